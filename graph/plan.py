"""What a call does, decided before anything runs: the runs of the graph it takes, each with its stamp."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.types import Command, StateSnapshot

from ninefold.adapters.checkpoints.lineage import AT, TURN
from ninefold.policies.constraints import answer_of
from ninefold.state import ConflictAnswer, IdentityError, NothingPending, Stamp, Step, Turn

from .identity import Identity, check_owner
from .intake import Answer, GoOn, Intake, NewMessages, fresh_messages, resends, said, with_ids

CONFLICT = Step.CONFLICT_CONFIRMATION.value
RUN = "run_id"
"""In a run's metadata: the id that a server gave it."""


@dataclass(frozen=True)
class Head:
    """Where a thread stands: its latest checkpoint, or the one the call addresses."""

    exists: bool
    values: Mapping[str, Any]
    turn: str | None
    """The id of the turn that wrote it."""
    at: str
    waiting: tuple[str, ...]
    """The steps that wait for a person's answer."""
    unstarted: tuple[BaseMessage, ...] = ()
    """Messages whose turn died before its first step."""
    run: str | None = None
    """The id that a server gave the run which wrote it."""
    unfinished: bool = False
    """Whether the turn still has steps to take."""

    @property
    def window(self) -> Sequence[BaseMessage]:
        """The working window."""
        window: Sequence[BaseMessage] = self.values.get("messages", ())
        return window

    def stamp(self, identity: Identity) -> Stamp | None:
        """Give the stamp of the turn that wrote it, or None when no turn did."""
        if not self.turn or not self.at:
            return None
        return Stamp(turn_id=self.turn, at=self.at, user=identity.user, thread=identity.thread)


@dataclass(frozen=True)
class Run:
    """One pass through the graph."""

    input: object
    stamp: Stamp
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    shown: bool = True
    """Whether the caller sees what it streams."""
    own_id: bool = False
    """Whether it needs another run id than the call's: under the last run's id LangGraph drops an input."""


def head_of(snapshot: StateSnapshot | None, unstarted: Sequence[BaseMessage] = ()) -> Head:
    """Give where a thread stands, from its snapshot; a turn id is in the stamp, or in the state for an edited row."""
    if snapshot is None or snapshot.metadata is None:
        return Head(exists=False, values={}, turn=None, at="", waiting=())
    stamped: Mapping[str, Any] = {**snapshot.metadata}
    turn = snapshot.values.get("turn")
    known = turn if isinstance(turn, Turn) else None
    return Head(
        exists=True,
        values=snapshot.values,
        turn=stamped.get(TURN) or (known.id if known else None),
        at=stamped.get(AT) or (known.at if known else ""),
        waiting=tuple(task.name for task in snapshot.tasks if task.interrupts),
        unstarted=tuple(unstarted),
        run=stamped.get(RUN),
        unfinished=bool(snapshot.next),
    )


def decide(
    intake: Intake, identity: Identity, head: Head, *, stamp: Callable[[], Stamp], defaults: Mapping[str, Any]
) -> tuple[Run, ...]:
    """Give the runs that a call takes.

    The turn id of the head again, or its last message again, resumes the turn or shows its answer; a server that takes
    up a run again sends both the run's id and the message. A new message while a conflict waits is the answer when it
    reads as one; otherwise the older wish is kept, that turn ends before its model call, and both messages are answered
    in a new turn. A turn that died is taken up by the next message: its words are in the window.

    Raises:
        IdentityError: the thread is another person's, or the turn id is an older turn's.
        NothingPending: an answer, or no input, came to a thread that waits for none.
        InputError: the input holds nothing new.
    """
    check_owner(identity, head.values.get("owner"))
    same = head.stamp(identity)
    match intake:
        case Answer(command):
            if not head.waiting:
                raise _nothing_pending(identity, "for an answer")
            return (Run(command, same or stamp()),)
        case GoOn():
            if not head.exists:
                raise _nothing_pending(identity, "to go on")
            return (Run(None, same or stamp()),)
        case NewMessages(messages):
            if same is not None and (identity.turn == head.turn or _is_again(messages, head, identity.run)):
                return (Run(None, same),)
            return _new_turn(messages, head, same, stamp(), defaults, identity.run)


def _new_turn(
    messages: Sequence[BaseMessage],
    head: Head,
    same: Stamp | None,
    stamp: Stamp,
    defaults: Mapping[str, Any],
    run: str | None,
) -> tuple[Run, ...]:
    new = fresh_messages(messages, [*head.window, *head.unstarted])
    settled: tuple[Run, ...] = ()
    if CONFLICT in head.waiting and same is not None:
        answer = answer_of(said(new[-1]))
        if answer is not None:
            return (Run(Command(resume=answer.value), same),)
        keep: Command[Any] = Command(resume=ConflictAnswer.KEEP.value)
        settled = (Run(keep, same, options={"interrupt_after": [CONFLICT]}, shown=False, own_id=True),)
    missing = {name: value for name, value in defaults.items() if name not in head.values}
    taken = with_ids([*head.unstarted, *new], stamp.turn_id)
    if {message.id for message in taken} & {message.id for message in head.window}:
        raise IdentityError(
            f"The turn {stamp.turn_id!r} was begun before and did not end, and another turn came after it.",
            "Its words are in the conversation; use a new turn_id.",
        )
    return (*settled, Run({"messages": taken, **missing}, stamp, own_id=run is not None and run == head.run))


def _is_again(messages: Sequence[BaseMessage], head: Head, run: str | None) -> bool:
    """Whether the call was made before: its last message is known by its id, or by its words within the same run."""
    said_before = [message for message in (*head.window, *head.unstarted) if message.type == "human"]
    if not said_before or not messages:
        return False
    same_words = run is not None and run == head.run and said(messages[-1]) == said(said_before[-1])
    return same_words or resends(messages, said_before[-1:])


def _nothing_pending(identity: Identity, what: str) -> NothingPending:
    return NothingPending(f"The thread {identity.thread!r} does not wait {what}.", "Send a message instead.")
