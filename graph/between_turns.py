"""What a person can do with a thread between two turns: compact it now, take that back, pin a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from langchain_core.messages import HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig

from ninefold.adapters.checkpoints.lineage import AT, TURN, USER
from ninefold.policies.pinning import last_said, pinned
from ninefold.policies.render import as_sent
from ninefold.policies.restoring import restored
from ninefold.state import AgentSettings, Compacted, Constraint, Entry, FidelityChecked, InputError, Turn
from ninefold.state.turn_state import REMOVE_ALL, TurnState, Update

from .build import compaction_graph
from .changes import Standing, change
from .guard import TurnGraph

_BEGINNING: Mapping[str, Any] = {
    "view": None,
    "verdict": None,
    "outcome": None,
    "proposals": (),
    "struck": (),
    "candidates": 0,
    "trace": (),
    "next_cut": (),
}
"""What a compaction on request begins anew, as a turn does."""
ON_REQUEST = "on-request"
"""The id of the message by which a focus is told to the strategies; it never becomes part of the thread."""


class Compaction(NamedTuple):
    """What a compaction on request did."""

    strategies: tuple[str, ...]
    """Those that were proven, in order; empty when nothing was compacted."""
    left: int
    """Messages that left the window for the archive."""
    freed: int
    """Tokens by which the window is smaller."""
    reason: str
    """Why it did no more, as the steps tell it."""


class Restored(NamedTuple):
    """What came back into the window."""

    messages: int
    tokens: int
    """Of the window now."""


def pin(graph: TurnGraph, config: RunnableConfig, words: str | None = None) -> Constraint:
    """Make words hold for the session, character by character, and give the constraint that they are.

    Args:
        graph: what `build_graph` gave.
        config: names the thread and its user.
        words: what is to hold; None takes the person's last message.

    Raises:
        InputError: there is nothing to pin, too much, or the last turn is not finished.
    """

    def make(standing: Standing) -> tuple[Constraint, Update]:
        state = standing.state
        return pinned(state, last_said(state) if words is None else words, standing.turn)

    return change(graph, config, make)


def compact(graph: TurnGraph, config: RunnableConfig, focus: str = "") -> Compaction:
    """Compact the window now, as far as the strategies go and the proof allows, and say what that did.

    It is a turn's own compaction, from assembly to the fidelity check, whatever the thresholds say; what may never
    leave (the last two turns, key turns, open calls) stays.

    Args:
        graph: what `build_graph` gave.
        config: names the thread and its user.
        focus: what to keep an eye on, as if the person asked about it now.

    Raises:
        InputError: nothing was said on the thread yet, or its last turn is not finished.
    """

    def make(standing: Standing) -> tuple[Compaction, Update | None]:
        before = standing.state
        if before.turn is None:
            raise _nothing_said()
        after = _compacted(standing, before, before.turn, focus.strip())
        events = [event for event in after.trace if isinstance(event, Compacted | FidelityChecked)]
        proven = tuple(name for event in events if isinstance(event, FidelityChecked) for name in event.committed)
        freed = _weight(before.entries) - _weight(after.entries)
        left = len(before.messages) - len(after.messages)
        reason = next((event.reason for event in reversed(events) if event.reason), "")
        done = Compaction(proven, left, freed, reason)
        if not proven:
            return done, None
        return done, Update(
            messages=[RemoveMessage(id=REMOVE_ALL), *after.messages],
            entries=after.entries,
            summary=after.summary,
            next_cut=after.next_cut,
            counters=after.counters,
            trace=tuple(events),
        )

    return change(graph, config, make, beside=True)


def undo(graph: TurnGraph, config: RunnableConfig) -> Restored:
    """Take the last compaction back: its originals return from the archive into the window, the old summary with them.

    They stay there until a prompt needs more than the hard threshold. Undone again, the compaction before it goes.

    Args:
        graph: what `build_graph` gave.
        config: names the thread and its user.

    Raises:
        InputError: no compaction is there to be taken back, or the last turn is not finished.
    """

    def make(standing: Standing) -> tuple[Restored, Update]:
        now = standing.state
        then = _before_last_compaction(standing)
        archive = standing.parts.archive(standing.store, standing.stamp.thread)
        update, back = restored(now, then, archive.original)
        return Restored(len(back), _weight(update.get("entries", ()))), update

    return change(graph, config, make)


def _compacted(standing: Standing, before: TurnState, turn: Turn, focus: str) -> TurnState:
    """Give the thread after the compaction steps of a turn, with every token of the window over its mark."""
    parts, stamp = standing.parts, standing.stamp
    policy = parts.settings.context_policy.model_copy(update={"summary_threshold_tokens": 0})
    settings: AgentSettings = parts.settings.model_copy(update={"context_policy": policy})
    steps = compaction_graph(replace(parts, settings=settings)).compile(store=standing.graph.store)
    messages = list(before.messages)
    entries = tuple(entry.model_copy(update={"restored": False}) for entry in before.entries)
    if focus:
        asked = HumanMessage(focus, id=ON_REQUEST)
        sequence = 1 + max((entry.sequence for entry in entries if entry.turn == turn.id), default=-1)
        entry = Entry(message=ON_REQUEST, turn=turn.id, sequence=sequence, tokens=parts.tokens.message(as_sent(asked)))
        messages, entries = [*messages, asked], (*entries, entry)
    given = before.model_copy(update={**_BEGINNING, "messages": messages, "entries": entries})
    config: RunnableConfig = {
        "configurable": {"thread_id": stamp.thread, "user_id": stamp.user},
        "metadata": {TURN: stamp.turn_id, AT: stamp.at, USER: stamp.user},
        "recursion_limit": standing.graph._guard.recursion_limit,
    }
    after = TurnState.model_validate(dict(steps.invoke(given, config)))
    return after.model_copy(
        update={
            "messages": [message for message in after.messages if message.id != ON_REQUEST],
            "entries": tuple(entry for entry in after.entries if entry.message != ON_REQUEST),
        }
    )


def _before_last_compaction(standing: Standing) -> TurnState:
    """Give the thread as it stood before its last compaction, along its own branch.

    Raises:
        InputError: there was none, or that state is no longer kept.
    """
    count = standing.state.counters.compactions
    if not count:
        raise InputError(
            "There is no compaction to take back.",
            "In a chat /compact makes one, in code compact(graph, config).",
        )
    snapshot = standing.graph.get_state(standing.config)
    while snapshot.parent_config is not None:
        snapshot = standing.graph.get_state(snapshot.parent_config)
        if not snapshot.values:
            break
        then = TurnState.model_validate(dict(snapshot.values))
        if then.counters.compactions < count:
            return then
    raise InputError(
        "The state before the last compaction is no longer kept.",
        "`ninefold sessions show` has its originals, in code `history`; storage.history_turns bounds the way back.",
    )


def _nothing_said() -> InputError:
    return InputError("Nothing was said on this thread yet.", "Say something first.")


def _weight(entries: Sequence[Entry]) -> int:
    return sum(entry.tokens for entry in entries)
