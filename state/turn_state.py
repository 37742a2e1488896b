"""The graph's typed state: everything a turn needs, nothing that grows with the session."""

from __future__ import annotations

from typing import Annotated, TypedDict

from langchain_core.messages import AnyMessage, BaseMessage
from langgraph.graph.message import add_messages
from pydantic import BaseModel, ConfigDict, Field

from .appending import append_events
from .base import Count, Identifier
from .compaction import Proposal, Struck, Verdict
from .constraint import Conflict, Constraint, Task
from .memory import Intent, MemoryRecord, Recalled
from .summary import Summary
from .trace import ConstraintChange, Event
from .turn import Language, Outcome, Turn
from .view import View
from .window import Entry, Unprocessed

SCHEMA_VERSION = 1
"""The version of every stored value below; a change of shape raises it and adds a migration."""

REMOVE_ALL = "__remove_all__"
"""The id of a RemoveMessage after which the window is exactly the messages that follow (LangGraph's own marker)."""

INPUT_ROLE = "input_role"
"""The key in a message's additional_kwargs that names the role of input that is data, not a person's words."""


class Counters(BaseModel):
    """Totals of the thread, for people and for calibration."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt_tokens: Count = 0
    reply_tokens: Count = 0
    compactions: Count = 0
    internal_calls: Count = 0
    internal_tokens: Count = 0
    """Tokens of the prompts of internal calls."""
    refused_summaries: Count = 0
    """Summaries of a model that were refused since the last one that was taken, or not asked for because of that."""
    wishes_not_found: Count = 0
    """Times since the last find that a model was asked for wishes and found none, or was not asked because of that."""
    correction: Annotated[float, Field(ge=1, le=16)] = 1.0
    """Factor by which the server counts more than we do; it is only ever raised."""


class TurnState(BaseModel):
    """The state between two steps, as a checkpoint keeps it.

    `messages` is the working window: a list, so that a parent graph's reducer can take it. Every other collection is a
    tuple. Fields of one turn are reset by turn_start; the others live as long as the thread.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=False)

    schema_version: Annotated[int, Field(ge=1)] = SCHEMA_VERSION

    # The thread.
    messages: Annotated[list[AnyMessage], add_messages] = Field(default_factory=list)
    entries: tuple[Entry, ...] = ()
    owner: Identifier | None = None
    language: Language | None = None
    constraints: tuple[Constraint, ...] = ()
    task: Task | None = None
    conflicts: tuple[Conflict, ...] = ()
    summary: Summary = Summary()
    next_cut: tuple[Identifier, ...] = ()
    head: str = ""
    """The digest of the system message that was proven last; empty before a thread's first call."""
    unprocessed: Unprocessed = Unprocessed()
    unwritten: tuple[MemoryRecord, ...] = ()
    taken_back: tuple[ConstraintChange, ...] = ()
    """Rules that were removed or replaced and that the memory may keep still; empty after the turn that wrote it."""
    forgetting: tuple[str, ...] = ()
    """Texts that the person asked to be forgotten and that are not gone from everywhere yet; empty after the turn."""
    counters: Counters = Counters()

    # The turn.
    turn: Turn | None = None
    intent: Intent | None = None
    recalled: tuple[Recalled, ...] = ()
    view: View | None = None
    proposals: tuple[Proposal, ...] = ()
    struck: tuple[Struck, ...] = ()
    verdict: Verdict | None = None
    tool_rounds: Count = 0
    candidates: Count = 0
    outcome: Outcome | None = None
    trace: Annotated[tuple[Event, ...], append_events] = ()


class TurnInput(TypedDict):
    """What a caller gives: new messages."""

    messages: Annotated[list[AnyMessage], add_messages]


class TurnOutput(TypedDict):
    """What a caller gets: the working window, whose last message is the reply, and how the turn ended."""

    messages: Annotated[list[AnyMessage], add_messages]
    outcome: Outcome | None


class Update(TypedDict, total=False):
    """What a node may change. `messages` follows LangGraph's rules: a known id replaces, RemoveMessage removes."""

    messages: list[BaseMessage]
    entries: tuple[Entry, ...]
    owner: str | None
    language: Language | None
    constraints: tuple[Constraint, ...]
    task: Task | None
    conflicts: tuple[Conflict, ...]
    summary: Summary
    next_cut: tuple[str, ...]
    head: str
    unprocessed: Unprocessed
    unwritten: tuple[MemoryRecord, ...]
    taken_back: tuple[ConstraintChange, ...]
    forgetting: tuple[str, ...]
    counters: Counters
    turn: Turn | None
    intent: Intent | None
    recalled: tuple[Recalled, ...]
    view: View | None
    proposals: tuple[Proposal, ...]
    struck: tuple[Struck, ...]
    verdict: Verdict | None
    tool_rounds: int
    candidates: int
    outcome: Outcome | None
    trace: tuple[Event, ...]
