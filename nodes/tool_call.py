"""tool_call: run what the model asked for; the archive keeps a long result, the window its extract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from ninefold.policies.compaction.extraction import arriving, is_long_json
from ninefold.policies.notices import notice
from ninefold.policies.references import reference_marker
from ninefold.policies.render import as_sent
from ninefold.policies.text import plain_text, storable
from ninefold.state import AgentSettings, Degraded, Entry, Event, Language, Step, StorageError, ToolCalled, reference_id
from ninefold.state.turn_state import TurnState, Update

from .ports import Archive, InThread, TokenCounter, Toolbox


def tool_call(
    state: TurnState, *, tools: Toolbox, archive: Archive, tokens: TokenCounter, settings: AgentSettings
) -> Update:
    """Give the results of the last message's calls, each at most tool_result_tokens long in the window.

    A result is kept under its call before the next call runs. A call that was killed while it ran is reported as
    interrupted and not run again, for nobody can know whether it took effect.
    """
    done = []
    for slot in _slots(state):
        result = _begin(state, slot, archive) or _Result(tools.run(_keyed(slot)))
        done.append(_kept(state, slot, result, archive, tokens, settings))
    return _update(state, done)


async def atool_call(
    state: TurnState,
    *,
    tools: Toolbox,
    archive: Archive,
    tokens: TokenCounter,
    settings: AgentSettings,
    in_thread: InThread,
) -> Update:
    """Give what `tool_call` gives; the tools can be cancelled, what touches the archive runs in a thread to its end."""
    done = []
    for slot in _slots(state):
        result = await in_thread(_begin, state, slot, archive)
        if result is None:
            result = _Result(await tools.arun(_keyed(slot)))
        done.append(await in_thread(_kept, state, slot, result, archive, tokens, settings))
    return _update(state, done)


class _Slot(NamedTuple):
    """Where a call's result goes, known before the call runs."""

    call: ToolCall
    message: str
    sequence: int


class _Result(NamedTuple):
    """What a call gave, or what is said in place of it."""

    text: str
    interrupted: bool = False


class _Done(NamedTuple):
    """A result as it enters the window."""

    message: ToolMessage
    entry: Entry
    events: tuple[Event, ...]


def _slots(state: TurnState) -> list[_Slot]:
    assert state.turn is not None
    last = state.messages[-1]
    calls = last.tool_calls if isinstance(last, AIMessage) else []
    first = 1 + max(e.sequence for e in state.entries if e.turn == state.turn.id)
    return [
        _Slot(call, f"{state.turn.id}-tool-{state.tool_rounds}-{index}", first + index)
        for index, call in enumerate(calls)
    ]


def _keyed(slot: _Slot) -> ToolCall:
    """Give the call under the id of its result: models number their calls anew each time, and two would share a key."""
    return ToolCall(name=slot.call["name"], args=slot.call["args"], id=slot.message, type="tool_call")


def _begin(state: TurnState, slot: _Slot, archive: Archive) -> _Result | None:
    """Give the result that an earlier run of this step left, or None after noting that the call begins.

    An archive that fails is reported when the result is kept; the tool itself can run without it.
    """
    begun = f"started/{slot.message}"
    lost = notice("tool_interrupted", state.language, name=slot.call["name"])
    try:
        known = archive.original(_entry(state, slot, tokens=0))
        if known is not None:
            return _Result(plain_text(known), interrupted=plain_text(known) == lost)
        if archive.cached(begun) is not None:
            return _Result(lost, interrupted=True)
        archive.cache(begun, "")
    except StorageError:
        return None
    return None


def _entry(state: TurnState, slot: _Slot, *, tokens: int) -> Entry:
    assert state.turn is not None
    return Entry(message=slot.message, turn=state.turn.id, sequence=slot.sequence, tokens=tokens)


def _kept(
    state: TurnState, slot: _Slot, result: _Result, archive: Archive, tokens: TokenCounter, settings: AgentSettings
) -> _Done:
    """Give a result as it enters the window, after the archive has its original; a long one leaves its reference."""
    assert state.turn is not None
    name, call = slot.call["name"], slot.call["id"] or ""
    whole = ToolMessage(storable(result.text), tool_call_id=call, name=name, id=slot.message)
    size = tokens.message(as_sent(whole))
    lost = result.interrupted
    called = ToolCalled(name=name, call=call or slot.message, tokens=size, kept=size, interrupted=lost)
    events: tuple[Event, ...] = (called,)
    if lost:
        events = (called, Degraded(step=Step.TOOL_CALL, what=result.text, cause=name[:400]))
    entry = _entry(state, slot, tokens=size)
    try:
        archive.record(state.turn, [(entry, whole)])
    except StorageError as error:
        what = notice("result_unarchived", state.language)
        return _Done(whole, entry, (*events, Degraded(step=Step.TOOL_CALL, what=what, cause=error.cause[:400])))
    entry = entry.model_copy(update={"archived": True})
    # What the model cannot fetch again is cut only where it would not fit.
    cut = "expand_reference" in settings.tools and is_long_json(plain_text(whole))
    if size <= settings.result_limit and not cut:
        return _Done(whole, entry, events)
    language = state.language or Language.ENGLISH
    message, entry = shortened(whole, entry, focus=_focus(state), language=language, tokens=tokens, settings=settings)
    return _Done(message, entry, (called.model_copy(update={"kept": entry.tokens, "reference": entry.reference}),))


def shortened(
    whole: ToolMessage,
    entry: Entry,
    *,
    focus: str,
    language: Language,
    tokens: TokenCounter,
    settings: AgentSettings,
) -> tuple[ToolMessage, Entry]:
    """Give what of a long result matters to the focus, and the reference behind which all of it stands."""
    text = plain_text(whole)
    reference = reference_id(entry.turn, entry.sequence)
    marker = reference_marker(reference, len(text), language)
    limit = max(settings.result_limit - tokens.text(marker) - 8, 32)
    kept = arriving(text, room=limit, beside=len(marker) + 1, tokens=tokens, focus=focus)
    message = whole.model_copy(update={"content": f"{kept.text}\n{marker}"})
    size = tokens.message(as_sent(message))
    return message, entry.model_copy(update={"tokens": size, "reference": reference, "compacted": True})


def _update(state: TurnState, done: Sequence[_Done]) -> Update:
    return Update(
        messages=[each.message for each in done],
        entries=(*state.entries, *(each.entry for each in done)),
        tool_rounds=state.tool_rounds + 1,
        trace=tuple(event for each in done for event in each.events),
    )


def _focus(state: TurnState) -> str:
    """Give what the person wants in this turn, in the person's words and the call's arguments."""
    assert state.turn is not None
    mine = {e.message for e in state.entries if e.turn == state.turn.id}
    words = [plain_text(m) for m in state.messages if isinstance(m, HumanMessage) and m.id in mine]
    arguments = [str(value) for slot in _slots(state) for value in slot.call["args"].values()]
    return "\n".join(words + arguments)
