"""What each step did in a turn, in typed events that a person can be told from."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Count, Identifier, ShortText, Value
from .compaction import Missing
from .constraint import ChangeKind, ConflictAnswer
from .turn import Step


class LeftOut(Value):
    """Calls to models for which a trace has no room, in sum."""

    calls: Count = 0
    """For the reply."""
    internal: Count = 0
    reply_tokens: Count = 0
    cached_tokens: Count = 0


class TurnStarted(Value):
    """A new turn began; it opens a new trace."""

    kind: Literal["turn_started"] = "turn_started"
    step: Literal[Step.TURN_START] = Step.TURN_START
    turn: Identifier
    number: Count
    at: str
    left_out: LeftOut | None = None
    """None while the trace holds every call."""


class IntentChecked(Value):
    """Whether and what to search."""

    kind: Literal["intent_checked"] = "intent_checked"
    step: Literal[Step.INTENT_CHECK] = Step.INTENT_CHECK
    search: bool
    reason: ShortText


class MemoryRetrieved(Value):
    """What the recall brought."""

    kind: Literal["memory_retrieved"] = "memory_retrieved"
    step: Literal[Step.MEMORY_RETRIEVAL] = Step.MEMORY_RETRIEVAL
    considered: Count
    recalled: Count
    reason: ShortText = ""


class Forgot(Value):
    """What the person asked to be forgotten, and how much of it there was."""

    kind: Literal["forgot"] = "forgot"
    step: Literal[Step.MEMORY_RETRIEVAL] = Step.MEMORY_RETRIEVAL
    what: ShortText = ""
    """Told to the person; empty after the turn, because it names what was forgotten."""
    memories: Count = 0
    constraints: Count = 0
    reason: ShortText = ""


class ConstraintChange(Value):
    """One constraint added, changed, removed or expired."""

    change: ChangeKind
    constraint: Identifier
    words: ShortText
    replaces: ShortText = ""
    record: Identifier | None = None
    """The memory of an earlier statement that keeps the constraint, where it has none of its own."""


class ConstraintsUpdated(Value):
    """What the turn changed in the constraint layer, or why nothing."""

    kind: Literal["constraints_updated"] = "constraints_updated"
    step: Literal[Step.CONSTRAINT_UPDATE, Step.MEMORY_RETRIEVAL] = Step.CONSTRAINT_UPDATE
    """memory_retrieval finds what another thread changed."""
    changes: Annotated[tuple[ConstraintChange, ...], Field(max_length=24)] = ()
    reason: ShortText = ""


class ConflictAnswered(Value):
    """How a conflict was decided, and by whom."""

    kind: Literal["conflict_answered"] = "conflict_answered"
    step: Literal[Step.CONFLICT_CONFIRMATION] = Step.CONFLICT_CONFIRMATION
    conflict: Identifier
    answer: ConflictAnswer
    by: Literal["person", "setting", "new_message"]


class Assembled(Value):
    """The view that was made."""

    kind: Literal["assembled"] = "assembled"
    step: Literal[Step.ASSEMBLY] = Step.ASSEMBLY
    tokens: Count
    needed: Count
    gave_way: Annotated[tuple[str, ...], Field(max_length=16)] = ()


class ThresholdChecked(Value):
    """The needed tokens against the thresholds."""

    kind: Literal["threshold_checked"] = "threshold_checked"
    step: Literal[Step.THRESHOLD_CHECK] = Step.THRESHOLD_CHECK
    needed: Count
    window: Count
    soft: Count
    hard: Count
    over: bool
    reason: ShortText = ""


class Compacted(Value):
    """A compaction that was proposed."""

    kind: Literal["compacted"] = "compacted"
    step: Literal[Step.COMPACTION] = Step.COMPACTION
    strategy: str
    messages: Count
    freed: Count
    reason: ShortText = ""


class FidelityChecked(Value):
    """The proof of the view and of the proposals in it."""

    kind: Literal["fidelity_checked"] = "fidelity_checked"
    step: Literal[Step.FIDELITY_CHECK] = Step.FIDELITY_CHECK
    proven: bool
    committed: tuple[str, ...] = ()
    strategy: str | None = None
    missing: Annotated[tuple[Missing, ...], Field(max_length=8)] = ()
    reason: ShortText = ""


class ModelCalled(Value):
    """One call to a model: ours for the reply, or internal."""

    kind: Literal["model_called"] = "model_called"
    step: Literal[Step.MODEL_CALL, Step.CONSTRAINT_UPDATE, Step.COMPACTION, Step.FIDELITY_CHECK, Step.MEMORY_WRITE]
    purpose: str
    prompt_tokens: Count
    """Our count of what was sent."""
    server_tokens: Count | None = None
    """The server's count of the same prompt, where it tells."""
    reply_tokens: Count | None = None
    cached_tokens: Count | None = None
    reason: ShortText = ""


class ToolCalled(Value):
    """One tool call and what its result became."""

    kind: Literal["tool_called"] = "tool_called"
    step: Literal[Step.TOOL_CALL] = Step.TOOL_CALL
    name: str
    call: Identifier
    tokens: Count
    kept: Count
    reference: Identifier | None = None
    error: ShortText = ""
    interrupted: bool = False
    """Whether it was killed while it ran, so that nobody knows whether it took effect."""


class MemoryWritten(Value):
    """What was stored for later sessions, or why nothing."""

    kind: Literal["memory_written"] = "memory_written"
    step: Literal[Step.MEMORY_WRITE] = Step.MEMORY_WRITE
    stored: Annotated[tuple[Identifier, ...], Field(max_length=32)] = ()
    superseded: Annotated[tuple[Identifier, ...], Field(max_length=32)] = ()
    archived: Count = 0
    reason: ShortText = ""


class WindowRolled(Value):
    """What left the window for the archive."""

    kind: Literal["window_rolled"] = "window_rolled"
    step: Literal[Step.WINDOW_ROLL] = Step.WINDOW_ROLL
    left: Count
    kept: Count
    tokens: Count
    reason: ShortText = ""


class Degraded(Value):
    """Something that was done less well than asked, said once."""

    kind: Literal["degraded"] = "degraded"
    step: Step
    what: ShortText
    cause: ShortText


Event = Annotated[
    TurnStarted
    | IntentChecked
    | MemoryRetrieved
    | Forgot
    | ConstraintsUpdated
    | ConflictAnswered
    | Assembled
    | ThresholdChecked
    | Compacted
    | FidelityChecked
    | ModelCalled
    | ToolCalled
    | MemoryWritten
    | WindowRolled
    | Degraded,
    Field(discriminator="kind"),
]
