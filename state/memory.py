"""What is kept about a person across sessions, and what became of each candidate of a recall."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from .base import Count, Identifier, ShortText, Value


class MemoryKind(StrEnum):
    """What a memory is; preferences and profile come every turn, the rest on demand."""

    PREFERENCE = "preference"
    DECISION = "decision"
    TODO = "todo"
    FACT = "fact"
    PROFILE = "profile"
    KNOWLEDGE = "knowledge"
    CONFIG = "config"


ALWAYS_RECALLED = (MemoryKind.PREFERENCE, MemoryKind.PROFILE)


class MemoryStatus(StrEnum):
    """Where a memory stands; superseded and archived ones are kept for audit only."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


class MemoryRecord(Value):
    """One statement worth keeping; its id derives from user, turn and content, so a replay writes it once."""

    id: Identifier
    user: Identifier
    kind: MemoryKind
    text: Annotated[str, Field(min_length=1, max_length=4000)]
    """A span of what the person wrote."""
    description: str = ""
    """What a later question may call it; searched, never shown as the person's words."""
    subject: str | None = None
    """The key under which a newer statement replaces this one."""
    created: str
    """When it was said: ISO 8601 with offset."""
    sequence: Count = 0
    """The turn's number; orders statements before the wall clock does."""
    last_hit: str | None = None
    hits: Count = 0
    status: MemoryStatus = MemoryStatus.ACTIVE
    superseded_by: Identifier | None = None
    thread: Identifier
    turn: Identifier
    role: str = "user"
    embedder: str = ""


class Intent(Value):
    """Whether this turn needs a search of the memories, for what, and why."""

    search: bool
    query: str = ""
    kinds: tuple[MemoryKind, ...] = ()
    """Empty means every kind that is searched on demand."""
    reason: ShortText = ""


class Fate(StrEnum):
    """What became of a candidate."""

    RECALLED = "recalled"
    BELOW_THRESHOLD = "below_threshold"
    BEYOND_TOP_K = "beyond_top_k"
    DUPLICATE = "duplicate"
    IN_VIEW = "in_view"
    SUPERSEDED = "superseded"
    OVER_BUDGET = "over_budget"


class Recalled(Value):
    """One candidate of this turn's recall: what it says, its score, and why it is or is not in the prompt."""

    id: Identifier
    kind: MemoryKind
    text: ShortText
    created: str
    score: float | None
    """Cosine similarity; None for those that came by filter."""
    fate: Fate


class Placed(Value):
    """A memory as it stands in a sent message; it stays there until the next cut, so that the prefix stays."""

    id: Identifier
    text: str
