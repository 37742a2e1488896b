"""What a recall is given: what the searches found, what the view holds, and how much may be recalled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ninefold.state import MemoryRecord, Said

from .dates import Span

Scored = tuple[MemoryRecord, float]


@dataclass(frozen=True)
class Found:
    """What the searches found, each best first."""

    near: Sequence[Scored] = ()
    """Memories by meaning, with their cosine."""
    matching: Sequence[Scored] = ()
    """Memories by their words, with how much of the query each holds."""
    said: Sequence[Said] = ()
    """Messages of this thread's earlier turns."""
    when: Span | None = None
    """When it was said, where the question tells; what was said then needs no other likeness."""
    of_their_turns: Sequence[MemoryRecord] = ()
    """What the memories hold of those turns, in any status, and all that was replaced, of whichever turn."""


@dataclass(frozen=True)
class InView:
    """What this turn's context holds already."""

    ids: frozenset[str] = frozenset()
    """Memories that stand in a message that was sent."""
    turns: frozenset[str] = frozenset()
    """Turns whose own words are in the window, whole."""
    texts: tuple[str, ...] = ()
    """Words that stand in the prompt in other places: constraints, the person's messages."""
    claims: frozenset[str] = frozenset()
    """What the rules that hold here leave to no other rule."""


@dataclass(frozen=True)
class Limits:
    """How much may be recalled."""

    min_score: float
    top_k: int
    """Memories that a search brought, and messages of earlier turns: so many of each at most."""
    tokens: int
    now: str = ""
    """The turn's time, from which ages are told; without it nothing fades."""
    fade_days: float = 90
    archive_days: float = 180
