"""What is kept about a person across sessions, and what became of each candidate of a recall."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal

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
    """When it last reached a prompt by search."""
    hits: Count = 0
    seen: str | None = None
    """When the person last said the same again."""
    status: MemoryStatus = MemoryStatus.ACTIVE
    superseded_by: Identifier | None = None
    thread: Identifier
    turn: Identifier
    role: str = "user"
    embedder: str = ""


def in_order(records: Iterable[MemoryRecord]) -> tuple[MemoryRecord, ...]:
    """Give the records oldest first: within a thread by turn, whatever the wall clock did; between threads by time."""
    ordered: list[tuple[float, MemoryRecord]] = []
    latest: dict[str, float] = {}
    for record in sorted(records, key=lambda r: (r.sequence, instant(r.created), r.id)):
        latest[record.thread] = max(latest.get(record.thread, instant(record.created)), instant(record.created))
        ordered.append((latest[record.thread], record))
    return tuple(record for _, record in sorted(ordered, key=lambda pair: (pair[0], pair[1].sequence, pair[1].id)))


def instant(moment: str) -> float:
    """Give an ISO 8601 time as seconds since 1970; one without an offset is read as UTC, an unreadable one is 0."""
    try:
        parsed = datetime.fromisoformat(moment)
    except ValueError:
        return 0.0
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


class Intent(Value):
    """Whether this turn needs a search of the memories, for what, and why."""

    search: bool
    query: str = ""
    kinds: tuple[MemoryKind, ...] = ()
    """Empty means every kind that is searched on demand."""
    reason: ShortText = ""


class Said(Value):
    """A message of an earlier turn, as the archive gives it back."""

    turn: Identifier
    sequence: Count
    at: str
    """When its turn began: ISO 8601 with offset."""
    role: Literal["user", "assistant", "data"]
    """Who said it; data came in another role than the person's, and nobody said it."""
    text: str
    score: float
    """How much of the question it and what stands around it hold: 0 nothing, about 1 everything."""


class Fate(StrEnum):
    """What became of a candidate."""

    RECALLED = "recalled"
    BELOW_THRESHOLD = "below_threshold"
    BEYOND_TOP_K = "beyond_top_k"
    DUPLICATE = "duplicate"
    IN_VIEW = "in_view"
    SUPERSEDED = "superseded"
    OVER_BUDGET = "over_budget"
    GAVE_WAY = "gave_way"
    """The prompt had no room for it; when a cut makes some, it is in the prompt again."""


class Recalled(Value):
    """One candidate of this turn's recall: what it says, its score, and why it is or is not in the prompt."""

    id: Identifier
    kind: MemoryKind
    text: ShortText
    created: str
    score: float | None
    """Cosine similarity; None for those that came by filter or by their words alone."""
    words: float | None = None
    """How much of the question's words it holds; None for those that were not found by them."""
    fate: Fate
    subject: str | None = None
    """The record's subject key; `constraint:…` is a constraint that the person said for all time."""
    role: str = "user"
    """Who said it: what a model noted by a tool never passes for the person's words."""
    source: Literal["memory", "turn"] = "memory"
    """A memory, or a message of an earlier turn; the id of the latter is its reference."""
    replaces: str | None = None
    """The day of an older statement that this one contradicts, so that both dates can be shown."""


class Placed(Value):
    """A memory as it stands in a sent message; it stays there until the next cut, so that the prefix stays."""

    id: Identifier
    text: str
