"""What the person requires, forbids or prefers, in the person's own words."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from .base import Identifier, Value


class Polarity(StrEnum):
    """Whether the words ask for a thing, rule it out, or lean towards it."""

    REQUIRE = "require"
    FORBID = "forbid"
    PREFER = "prefer"


class Scope(StrEnum):
    """How long a constraint holds: the session, one turn, or whenever its condition is met."""

    SESSION = "session"
    TURN = "turn"
    WHEN = "when"


class ConstraintStatus(StrEnum):
    """Where a constraint stands; only active ones stay in the state."""

    ACTIVE = "active"
    ENDED = "ended"
    SUPERSEDED = "superseded"


class Origin(StrEnum):
    """What found a constraint."""

    RULES = "rules"
    MODEL = "model"
    PREFERENCE = "preference"


class Constraint(Value):
    """One requirement; `words` is a span of what the person wrote, copied, never rewritten."""

    id: Identifier
    key: str | None
    """Canonical key (output_format, exclude, currency, …) where one fits."""
    value: str | None
    """The part of the words that names the thing; a span of the source too."""
    polarity: Polarity
    words: Annotated[str, Field(min_length=1, max_length=2000)]
    lead: Annotated[str, Field(max_length=40)] = ""
    """What stands before the words where it is a mark that joins them to the rule said just before, or a heading."""
    tail: Annotated[str, Field(max_length=40)] = ""
    """The mark that ends their sentence, where it stands right behind the words."""
    scope: Scope = Scope.SESSION
    condition: str | None = None
    """The words of the condition, when the scope is `when`."""
    task: Identifier | None = None
    """The task it belongs to; None when it holds for the session."""
    about: str | None = None
    """What is looked for (酒店, "hotel"), where the same key may hold for several things."""
    turn: Identifier
    message: Identifier
    at: str
    """When it was said: ISO 8601 with offset."""
    lasting: bool = False
    """Said with "from now on", "以后", …: it is also kept as a preference for later threads."""
    record: Identifier | None = None
    """The memory that keeps it, where it is that of an earlier statement of the same, made on whichever thread."""
    origin: Origin = Origin.RULES
    status: ConstraintStatus = ConstraintStatus.ACTIVE
    overrules: Annotated[str, Field(max_length=2000)] | None = None
    """The words that it goes before while it holds, shown beside it: for one turn where a conflict was decided without
    the person, for the task that it was said for, or for good where it allows a part of a ban that stands; several
    are parted by "; "."""


class TaskStatus(StrEnum):
    """Whether the present task is under way or finished."""

    ACTIVE = "active"
    FINISHED = "finished"


class Task(Value):
    """What the person is having done now, in the person's own words."""

    id: Identifier
    words: Annotated[str, Field(min_length=1, max_length=2000)]
    turn: Identifier
    message: Identifier
    status: TaskStatus = TaskStatus.ACTIVE


class ChangeKind(StrEnum):
    """What happened to a constraint in a turn."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    EXPIRED = "expired"
    CONFLICT = "conflict"


class Conflict(Value):
    """A wish that cannot hold beside an active constraint, waiting for the person's answer."""

    id: Identifier
    old: Constraint
    new: Constraint


class ConflictAnswer(StrEnum):
    """What the person decides about a conflict."""

    REPLACE = "replace"
    KEEP = "keep"
    THIS_TURN = "this_turn"


class ConflictRule(StrEnum):
    """Who decides a conflict: the person, the newer wish, or the older one."""

    ASK = "ask"
    NEWEST = "newest"
    KEEP = "keep"
