"""turn_start: receive the input; what belongs to one turn begins anew."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage

from ninefold.policies.notices import notice
from ninefold.policies.render import as_sent
from ninefold.policies.text import detect_language, plain_text, storable
from ninefold.state import Degraded, Entry, Language, Stamp, Step, Turn, TurnStarted, Unprocessed
from ninefold.state.turn_state import INPUT_ROLE, REMOVE_ALL, TurnState, Update

from .ports import TokenCounter


def turn_start(
    state: TurnState,
    *,
    stamp: Stamp,
    tokens: TokenCounter,
    language: Language | None = None,
    degradations: Sequence[str] = (),
) -> Update:
    """Open a turn: stamp it, take in the new messages, close what an unfinished turn left open.

    Characters that no database keeps (NUL, lone surrogates) become U+FFFD; the person's other bytes stay. Every new
    message gets its entry with its tokens counted once; the person's new messages are noted as unprocessed. What the
    agent's model cannot do (`degradations`) is said in a thread's first turn.
    """
    turn = Turn(
        id=stamp.turn_id,
        parent=state.turn.id if state.turn else None,
        number=state.turn.number + 1 if state.turn else 1,
        at=stamp.at,
        user=stamp.user,
    )
    known = {entry.message for entry in state.entries}
    spoken = language or state.language or _language(state.messages)
    cleaned = [_clean(message) for message in state.messages]
    window = close_open_calls(cleaned, known, spoken)
    entries = _with_entries(window, state.entries, turn, tokens)
    new = tuple(m.id for m in window if m.id and m.id not in known and _is_of_the_person(m))
    return Update(
        messages=[] if window == state.messages else [RemoveMessage(id=REMOVE_ALL), *window],
        entries=entries,
        owner=state.owner or stamp.user,
        language=spoken,
        unprocessed=Unprocessed(
            constraints=(*state.unprocessed.constraints, *new), memories=(*state.unprocessed.memories, *new)
        ),
        turn=turn,
        intent=None,
        recalled=(),
        view=None,
        proposals=(),
        struck=(),
        verdict=None,
        tool_rounds=0,
        candidates=0,
        outcome=None,
        trace=(
            TurnStarted(turn=turn.id, number=turn.number, at=turn.at),
            *(
                Degraded(step=Step.MODEL_CALL, what=what[:400], cause=tokens.name)
                for what in degradations
                if turn.number == 1
            ),
        ),
    )


def _is_of_the_person(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and INPUT_ROLE not in message.additional_kwargs


def _clean(message: BaseMessage) -> BaseMessage:
    content = storable(message.content)
    return message if content == message.content else message.model_copy(update={"content": content})


def _language(messages: Sequence[BaseMessage]) -> Language:
    return detect_language("\n".join(plain_text(m) for m in messages if isinstance(m, HumanMessage)))


def close_open_calls(messages: Sequence[BaseMessage], known: set[str], language: Language) -> list[BaseMessage]:
    """Give the window with an honest result behind every call of an earlier turn that has none."""
    answered = {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
    window: list[BaseMessage] = []
    pending: list[BaseMessage] = []
    for message in messages:
        if pending and not isinstance(message, ToolMessage):
            window += pending
            pending = []
        window.append(message)
        if isinstance(message, AIMessage) and message.id in known:
            pending = [
                ToolMessage(
                    notice("call_interrupted", language),
                    tool_call_id=call["id"] or "",
                    name=call["name"],
                    id=f"{message.id}-{index}",
                )
                for index, call in enumerate(message.tool_calls)
                if call["id"] not in answered
            ]
    return window + pending


def _with_entries(
    window: Sequence[BaseMessage], entries: Sequence[Entry], turn: Turn, tokens: TokenCounter
) -> tuple[Entry, ...]:
    """Give one entry for each message, in the window's order; a closing tool result joins the turn of its call."""
    known = {entry.message: entry for entry in entries}
    following: dict[str, int] = {}
    for entry in entries:
        following[entry.turn] = max(following.get(entry.turn, 0), entry.sequence + 1)
    kept: list[Entry] = []
    for message in window:
        noted = known.get(message.id or "")
        if noted is None:
            owner = kept[-1].turn if isinstance(message, ToolMessage) and kept else turn.id
            sequence = following.get(owner, 0)
            count = tokens.message(as_sent(message))
            noted = Entry(message=message.id or "", turn=owner, sequence=sequence, tokens=count)
            following[owner] = sequence + 1
        kept.append(noted)
    return tuple(kept)
