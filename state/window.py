"""What is known of each message in the working window."""

from __future__ import annotations

import hashlib

from .base import Count, Identifier, Value
from .memory import Placed


def reference_id(turn: str, sequence: int) -> str:
    """Give the id under which a message's original is expanded; equal for equal turn and sequence, in every process."""
    return "r" + hashlib.sha256(f"{turn}/{sequence}".encode("utf-8", "surrogatepass")).hexdigest()[:12]


class Entry(Value):
    """The bookkeeping of one message; the message itself stays as it was written."""

    message: Identifier
    turn: Identifier
    sequence: Count
    """Its place in its turn, from 0: with the turn id, its key in the archive."""
    tokens: Count
    """What the message adds to a rendered prompt, counted once."""
    archived: bool = False
    """True once the archive holds the original; only then may it leave the window."""
    reference: Identifier | None = None
    """The id under which the original can be expanded, when the window holds less than all of it."""
    compacted: bool = False
    """True when the window's text is a compaction of the original; it is never compacted twice."""
    key: bool = False
    """True for a turn that stays beyond the ring: a confirmed requirement, or pinned by the person."""
    placed: tuple[Placed, ...] = ()
    """The memories sent together with this message."""
    restored: bool = False
    """True when the person took its compaction back: nothing is compacted then until a prompt
    needs more than the hard threshold."""
    rules: tuple[Identifier, ...] = ()
    """Ids of the constraints that stand with this message until the prompt's head is next rewritten."""


class Unprocessed(Value):
    """The person's messages that a step has not taken yet, so that a crash loses none of them."""

    constraints: tuple[Identifier, ...] = ()
    memories: tuple[Identifier, ...] = ()
