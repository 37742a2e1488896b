"""The agent's own four tools: note, search, time, and the text behind a reference; every answer is bounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Protocol

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import Field

from ninefold.state import Language, MemoryKind, MemoryRecord, ToolName

PART = 1000
"""Characters of an expanded text in one answer: within the tokens that a tool result may bring into the window."""
RESULTS = 10
LONGEST_RESULT = 300
FINDINGS = 4
AROUND = 200
"""Characters shown on each side of a finding."""


class Memories(Protocol):
    """What the tools need of a memory store."""

    @property
    def min_score(self) -> float:
        """The threshold, as cosine similarity."""
        ...

    def search(
        self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()
    ) -> tuple[tuple[MemoryRecord, float], ...]:
        """Give the nearest active memories with their cosine, best first."""
        ...

    def matching(
        self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()
    ) -> tuple[tuple[MemoryRecord, float], ...]:
        """Give the active memories that share words with the query, best first."""
        ...

    def write(self, records: Sequence[MemoryRecord]) -> None:
        """Insert or replace records by id."""
        ...


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """What the agent's own tools work on in one turn."""

    user: str
    language: Language = Language.ENGLISH
    memory: Memories | None = None
    now: Callable[[], datetime]
    expand: Callable[[str], str]
    """Gives the whole text behind a reference, or raises ReferenceNotFound."""
    parts: Callable[[str, int], Sequence[str]]
    """Cuts a text into parts of at most so many characters."""
    find: Callable[[Memories, str], Sequence[MemoryRecord]]
    """Gives the memories that a question finds, by the rules of a recall, best first."""
    note: Callable[[str, str], MemoryRecord | None]
    """Makes the record of what the model wants noted, from content and kind; None when it may not be kept."""


_SAY = {
    Language.ENGLISH: {
        "off": "Long-term memory is off.",
        "noted": "Noted as {kind}: {text}",
        "refused": "Not kept: empty, or an instruction, and those are taken from the person's own words only.",
        "nothing": "Nothing was found in the memories.",
        "by_model": ", noted by the assistant",
        "part": "[{reference}, part {part} of {parts}]\n{text}",
        "no_part": "{reference} has the parts 1 to {parts}.",
        "found": "[{reference}, part {part} of {parts}] …{text}…",
        "not_found": "{find!r} does not stand in {reference}, which has {parts} parts.",
    },
    Language.CHINESE: {
        "off": "长期记忆已关闭。",
        "noted": "已记下（{kind}）：{text}",
        "refused": "没有保存：内容为空，或者是对今后的指令。这样的指令只取自用户本人的话。",
        "nothing": "记忆里没有找到。",
        "by_model": "，助手所记",
        "part": "[{reference}，第 {part}/{parts} 部分]\n{text}",
        "no_part": "{reference} 有第 1 到第 {parts} 部分。",
        "found": "[{reference}，第 {part}/{parts} 部分] …{text}…",
        "not_found": "{reference} 共 {parts} 部分，其中没有 {find!r}。",
    },
}


def own_tools(names: Sequence[ToolName], current: Callable[[], ToolContext]) -> list[BaseTool]:
    """Give the agent's own tools of these names, in their order; each asks for its context when it is called."""
    made: dict[ToolName, Callable[[Callable[[], ToolContext]], BaseTool]] = {
        "memory_write": _memory_write,
        "memory_search": _memory_search,
        "get_current_time": _get_current_time,
        "expand_reference": _expand_reference,
    }
    return [made[name](current) for name in names]


def _memory_write(current: Callable[[], ToolContext]) -> BaseTool:
    def memory_write(
        content: Annotated[str, Field(description="one fact, decision, plan or setting, in one sentence")],
        kind: Annotated[str, Field(description="decision, todo, fact, knowledge or config")] = "fact",
    ) -> str:
        """Keep one finding for later sessions. What the person says is kept without it."""
        context = current()
        say = _SAY[context.language]
        if context.memory is None:
            return say["off"]
        record = context.note(content, kind)
        if record is None:
            return say["refused"]
        context.memory.write([record])
        return say["noted"].format(kind=record.kind.value, text=record.text[:LONGEST_RESULT])

    return _tool(memory_write)


def _memory_search(current: Callable[[], ToolContext]) -> BaseTool:
    def memory_search(
        query: Annotated[str, Field(description="what to look for, in the words it was said in")],
        limit: Annotated[int, Field(ge=1, le=RESULTS, description="how many to give at most")] = 5,
    ) -> str:
        """Search what was said, decided and planned in earlier sessions."""
        context = current()
        say = _SAY[context.language]
        if context.memory is None:
            return say["off"]
        lines = [_line(record, say["by_model"]) for record in context.find(context.memory, query)[:limit]]
        return "\n".join(lines) or say["nothing"]

    return _tool(memory_search)


def _get_current_time(current: Callable[[], ToolContext]) -> BaseTool:
    def get_current_time() -> str:
        """Give the present date, weekday and time with its offset from UTC."""
        return current().now().astimezone().strftime("%Y-%m-%d %A %H:%M:%S %z")

    return _tool(get_current_time)


def _expand_reference(current: Callable[[], ToolContext]) -> BaseTool:
    def expand_reference(
        id: Annotated[str, Field(description="the reference as it stands in the text: r and twelve digits")],  # noqa: A002
        part: Annotated[int, Field(ge=1, description="which part, from 1")] = 1,
        find: Annotated[str, Field(description="show only the places where these words stand")] = "",
    ) -> str:
        """Give the full text behind a reference that stands in place of a shortened one, part by part."""
        context = current()
        say = _SAY[context.language]
        reference = id.strip().strip("[]()<>「」")
        parts = context.parts(context.expand(reference), PART)
        if find.strip():
            return _findings(reference, parts, find.strip(), say)
        if part > len(parts):
            return say["no_part"].format(reference=reference, parts=len(parts))
        return say["part"].format(reference=reference, part=part, parts=len(parts), text=parts[part - 1])

    return _tool(expand_reference)


def _findings(reference: str, parts: Sequence[str], find: str, say: dict[str, str]) -> str:
    found = []
    for number, text in enumerate(parts, start=1):
        start = text.casefold().find(find.casefold())
        if start >= 0:
            shown = text[max(0, start - AROUND) : start + len(find) + AROUND]
            found.append(say["found"].format(reference=reference, part=number, parts=len(parts), text=shown))
    return "\n".join(found[:FINDINGS]) or say["not_found"].format(find=find[:80], reference=reference, parts=len(parts))


def _line(record: MemoryRecord, by_model: str) -> str:
    noted = by_model if record.role != "user" else ""
    text = " ".join(record.text.split())
    return f"- {record.created[:10]} ({record.kind.value}{noted}) {text[:LONGEST_RESULT]}"


def _tool(function: Callable[..., str]) -> BaseTool:
    return StructuredTool.from_function(function, handle_tool_error=False)
