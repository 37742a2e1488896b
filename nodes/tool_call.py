"""tool_call: run what the model asked for; the archive keeps a long result, the window its extract."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from ninefold.policies.compaction.extraction import extract
from ninefold.policies.references import reference_id, reference_marker
from ninefold.policies.text import plain_text
from ninefold.state import AgentSettings, Degraded, Entry, Event, Language, Step, StorageError, ToolCalled
from ninefold.state.turn_state import TurnState, Update

from .ports import Archive, InThread, TokenCounter, Toolbox

_INTERRUPTED = {
    Language.CHINESE: "（工具 {name} 运行时被中断，不知道它是否已生效；没有再次运行）",
    Language.ENGLISH: "(the tool {name} was interrupted; whether it took effect is unknown; it was not run again)",
}
_UNARCHIVED = {
    Language.CHINESE: "工具结果没有存入档案，窗口里保留原文",
    Language.ENGLISH: "a tool result could not be archived; the window keeps it whole",
}


def tool_call(
    state: TurnState, *, tools: Toolbox, archive: Archive, tokens: TokenCounter, settings: AgentSettings
) -> Update:
    """Give the results of the last message's calls, each at most tool_result_tokens long in the window.

    A result is kept under its call before the next call runs. A call that was killed while it ran is reported as
    interrupted and not run again, for nobody can know whether it took effect.
    """
    results = []
    for call in _open_calls(state):
        text = _begin(state, call, archive)
        results.append(text if text is not None else _keep(state, call, tools.run(call), archive))
    return _taken(state, results, archive, tokens, settings)


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
    results = []
    for call in _open_calls(state):
        text = await in_thread(_begin, state, call, archive)
        if text is None:
            text = await in_thread(_keep, state, call, await tools.arun(call), archive)
        results.append(text)
    return await in_thread(_taken, state, results, archive, tokens, settings)


def _open_calls(state: TurnState) -> list[ToolCall]:
    last = state.messages[-1]
    return list(last.tool_calls) if isinstance(last, AIMessage) else []


def _key(state: TurnState, call: ToolCall, part: str) -> str:
    """Give where a call's progress is kept: a model may use one call id twice, but not in one message."""
    assert state.turn is not None
    return f"{part}/{state.turn.id}/{state.tool_rounds}/{call['id']}"


def _begin(state: TurnState, call: ToolCall, archive: Archive) -> str | None:
    """Give the result that an earlier run of this step left, or None after noting that the call begins."""
    known = archive.cached(_key(state, call, "result"))
    if known is not None:
        return known
    if archive.cached(_key(state, call, "started")) is not None:
        return _INTERRUPTED[state.language or Language.ENGLISH].format(name=call["name"])
    archive.cache(_key(state, call, "started"), "1")
    return None


def _keep(state: TurnState, call: ToolCall, text: str, archive: Archive) -> str:
    archive.cache(_key(state, call, "result"), text)
    return text


def _taken(
    state: TurnState, results: Sequence[str], archive: Archive, tokens: TokenCounter, settings: AgentSettings
) -> Update:
    assert state.turn is not None
    first = 1 + max(e.sequence for e in state.entries if e.turn == state.turn.id)
    messages: list[ToolMessage] = []
    entries: list[Entry] = []
    events: list[Event] = []
    for index, (call, text) in enumerate(zip(_open_calls(state), results, strict=True)):
        whole = ToolMessage(
            text,
            tool_call_id=call["id"] or "",
            name=call["name"],
            id=f"{state.turn.id}-tool-{state.tool_rounds}-{index}",
        )
        message, entry, seen = _enter(state, whole, first + index, archive, tokens, settings)
        messages.append(message)
        entries.append(entry)
        events += seen
    return Update(
        messages=list(messages),
        entries=(*state.entries, *entries),
        tool_rounds=state.tool_rounds + 1,
        trace=tuple(events),
    )


def _enter(
    state: TurnState,
    whole: ToolMessage,
    sequence: int,
    archive: Archive,
    tokens: TokenCounter,
    settings: AgentSettings,
) -> tuple[ToolMessage, Entry, list[Event]]:
    """Give a result as it enters the window; a long one goes to the archive first and leaves its reference."""
    assert state.turn is not None
    limit = settings.context_policy.tool_result_tokens
    language = state.language or Language.ENGLISH
    text = plain_text(whole)
    size = tokens.message(whole)
    entry = Entry(message=whole.id or "", turn=state.turn.id, sequence=sequence, tokens=size)
    called = ToolCalled(name=whole.name or "", call=whole.tool_call_id, tokens=size, kept=size)
    if size <= limit:
        return whole, entry, [called]
    reference = reference_id(state.turn.id, sequence)
    entry = entry.model_copy(update={"reference": reference})
    try:
        archive.record(state.turn, [(entry, whole)])
    except StorageError as error:
        degraded = Degraded(step=Step.TOOL_CALL, what=_UNARCHIVED[language], cause=error.cause[:400])
        return whole, entry.model_copy(update={"reference": None}), [called, degraded]
    marker = reference_marker(reference, len(text), language)
    kept = extract(text, limit=max(limit - tokens.text(marker) - 8, 32), tokens=tokens, focus=_focus(state))
    message = whole.model_copy(update={"content": f"{kept.text}\n{marker}"})
    size = tokens.message(message)
    entry = entry.model_copy(update={"tokens": size, "archived": True, "compacted": True})
    return message, entry, [called.model_copy(update={"kept": size, "reference": reference})]


def _focus(state: TurnState) -> str:
    """Give what the person wants in this turn, in the person's words and the call's arguments."""
    assert state.turn is not None
    mine = {e.message for e in state.entries if e.turn == state.turn.id}
    words = [plain_text(m) for m in state.messages if isinstance(m, HumanMessage) and m.id in mine]
    arguments = [str(value) for call in _open_calls(state) for value in call["args"].values()]
    return "\n".join(words + arguments)
