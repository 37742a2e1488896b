"""What an agent's history holds that the window does not know yet, taken in turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.types import interrupt

from ninefold.graph.identity import DEFAULT_USER
from ninefold.nodes.conflict_confirmation import conflict_confirmation
from ninefold.nodes.constraint_update import constraint_update
from ninefold.nodes.tool_call import shortened
from ninefold.nodes.turn_start import turn_start
from ninefold.policies.constraints import answer_of
from ninefold.policies.render import as_sent
from ninefold.policies.text import plain_text
from ninefold.state import ConflictAnswer, ConflictRule, Entry, Language, Stamp, Step, Unprocessed
from ninefold.state.turn_state import INPUT_ROLE, TurnState

from .history import sequence_of, turns_of
from .keeping import in_history
from .steps import Ports, after, proven

CAUGHT_UP = 2
"""Turns that a call takes in when the middleware has been there all along: the last reply, and the new message."""
THREAD = "agent"
"""The name of the thread in a stamp: which one it is, the agent's own checkpointer knows."""


def taken_in(
    state: TurnState, history: Sequence[BaseMessage], ports: Ports, clock: Callable[[], datetime]
) -> TurnState:
    """Give the state with every new message in its window and every rule of the person's in its constraints.

    New is what follows the last message that the window knows, or everything where it knows none. Turns that were
    answered without the middleware are compacted one after the other, by rules, as they would have been.
    """
    places = {message.id: place for place, message in enumerate(history)}
    known = max((places[entry.message] for entry in state.entries), default=-1)
    new = [*zip(turns_of(history), history, strict=True)][known + 1 :]
    parts = [(turn, [message for _, message in part]) for turn, part in groupby(new, key=lambda pair: pair[0])]
    by_rules = replace(ports, assistant=None)
    for turn, messages in parts[:-1]:
        state = _with(state, turn, messages, by_rules, clock, last=None)
        if len(parts) > CAUGHT_UP:
            state = proven(state, by_rules).model_copy(update={"outcome": None})
    for turn, messages in parts[-1:]:
        state = _with(state, turn, messages, ports, clock, last=history[-1])
    return state.model_copy(update={"outcome": None})


def _with(
    state: TurnState,
    turn: str,
    messages: Sequence[BaseMessage],
    ports: Ports,
    clock: Callable[[], datetime],
    *,
    last: BaseMessage | None,
) -> TurnState:
    """Give the state after a turn's new messages; `last` is what the person waits for an answer to, if it is there."""
    if state.turn is None or state.turn.id != turn:
        stamp = Stamp(turn_id=turn, at=clock().isoformat(), user=DEFAULT_USER, thread=THREAD)
        state = state.model_copy(update={"messages": [*state.messages, *messages]})
        update = turn_start(state, stamp=stamp, tokens=ports.tokens, language=ports.settings.language)
        state = after(state, Step.TURN_START, update)
    else:
        state = _joined(state, turn, messages, ports)
    state = _bounded(state, {message.id or "" for message in messages}, ports)
    if state.unprocessed.constraints:
        state = _heard(state, ports, last)
    return state.model_copy(update={"unprocessed": Unprocessed()})


def _joined(state: TurnState, turn: str, messages: Sequence[BaseMessage], ports: Ports) -> TurnState:
    """Give the state with more messages of the turn that it is in."""
    entries = [
        Entry(message=m.id or "", turn=turn, sequence=sequence_of(m.id or ""), tokens=ports.tokens.message(as_sent(m)))
        for m in messages
    ]
    said = tuple(m.id or "" for m in messages if isinstance(m, HumanMessage) and INPUT_ROLE not in m.additional_kwargs)
    return state.model_copy(
        update={
            "messages": [*state.messages, *messages],
            "entries": (*state.entries, *entries),
            "unprocessed": Unprocessed(constraints=(*state.unprocessed.constraints, *said)),
        }
    )


def _bounded(state: TurnState, new: set[str], ports: Ports) -> TurnState:
    """Give the state with its new messages under their lasting numbers, and of each long result what matters."""
    limit = ports.settings.result_limit
    messages = {message.id or "": message for message in state.messages}
    entries = [in_history(entry) if entry.message in new else entry for entry in state.entries]
    for place, entry in enumerate(entries):
        message = messages[entry.message]
        if entry.message in new and isinstance(message, ToolMessage) and entry.tokens > limit:
            messages[entry.message], entries[place] = shortened(
                message,
                entry,
                focus=_focus(state, entry.turn, message.tool_call_id),
                language=state.language or Language.ENGLISH,
                tokens=ports.tokens,
                settings=ports.settings,
            )
    return state.model_copy(update={"messages": [*messages.values()], "entries": tuple(entries)})


def _focus(state: TurnState, turn: str, call: str) -> str:
    """Give what a result was wanted for: the person's words in its turn, and the arguments of its call."""
    mine = {entry.message for entry in state.entries if entry.turn == turn}
    words = [plain_text(m) for m in state.messages if isinstance(m, HumanMessage) and m.id in mine]
    calls = [each for m in state.messages if isinstance(m, AIMessage) for each in m.tool_calls if each["id"] == call]
    arguments = [str(value) for each in calls[-1:] for value in each["args"].values()]
    return "\n".join(words + arguments)


def _heard(state: TurnState, ports: Ports, last: BaseMessage | None) -> TurnState:
    rule = ports.settings.constraints.on_conflict
    update = constraint_update(
        state,
        assistant=ports.assistant,
        tokens=ports.tokens,
        conflict=rule,
        settings=ports.settings,
        fixed=ports.fixed,
        tools=ports.tools,
    )
    state = after(state, Step.CONSTRAINT_UPDATE, update)
    if not state.conflicts:
        return state
    decides = rule if last is not None else ConflictRule.NEWEST
    ask = partial(_asked, last, {each.new.message for each in state.conflicts})
    return after(state, Step.CONFLICT_CONFIRMATION, conflict_confirmation(state, ask=ask, conflict=decides))


def _asked(last: BaseMessage | None, wishes: set[str], question: Mapping[str, Any]) -> object:
    """Ask the person; who went on with another message has answered with it, or left the older wish as it was."""
    if last is None or last.id in wishes:
        return interrupt(question)
    answer = answer_of(plain_text(last))
    return (answer or ConflictAnswer.KEEP).value
