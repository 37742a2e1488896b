"""Who speaks when: the turn, its stamp, its outcome."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from .base import Count, Identifier, ShortText, Value


class Language(StrEnum):
    """The language of labels and prompts, fixed by a thread's first turn."""

    CHINESE = "zh"
    ENGLISH = "en"


class Step(StrEnum):
    """The steps of a turn, in order; the nine of the pipeline and the four that serve them."""

    TURN_START = "turn_start"
    INTENT_CHECK = "intent_check"
    MEMORY_RETRIEVAL = "memory_retrieval"
    CONSTRAINT_UPDATE = "constraint_update"
    CONFLICT_CONFIRMATION = "conflict_confirmation"
    ASSEMBLY = "assembly"
    THRESHOLD_CHECK = "threshold_check"
    COMPACTION = "compaction"
    FIDELITY_CHECK = "fidelity_check"
    MODEL_CALL = "model_call"
    TOOL_CALL = "tool_call"
    MEMORY_WRITE = "memory_write"
    WINDOW_ROLL = "window_roll"


class Turn(Value):
    """One turn: a person's input and everything done to answer it."""

    id: Identifier
    parent: Identifier | None
    """The turn before it on this branch; forks make siblings, never an overwrite."""
    number: Count
    """1 for a branch's first turn."""
    at: str
    """When it began: ISO 8601 with offset."""
    user: Identifier


class Stamp(Value):
    """What is fixed about a turn before the graph starts: id, time and person."""

    turn_id: Identifier
    at: str
    user: Identifier
    thread: Identifier


class OutcomeStatus(StrEnum):
    """How a turn ended."""

    ANSWERED = "answered"
    DEGRADED = "degraded"
    OVER_BUDGET = "over_budget"
    STEP_LIMIT = "step_limit"
    INTERRUPTED = "interrupted"


class Outcome(Value):
    """How a turn ended, and everything that was done less well than asked, each said once."""

    status: OutcomeStatus
    layer: str | None = None
    """The layer that could not fit, when the status is over_budget."""
    notes: Annotated[tuple[ShortText, ...], Field(max_length=16)] = ()
