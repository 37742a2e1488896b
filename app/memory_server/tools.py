"""The four tools of one person's memory; whose it is is fixed when they are made, and no argument names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import Field

from ninefold.adapters.tools.own import LONGEST_RESULT, RESULTS
from ninefold.graph.forgetting import erase
from ninefold.graph.guard_settings import new_turn_id
from ninefold.graph.tools import looked_for
from ninefold.nodes.ports import MemoryStore
from ninefold.policies.intent import QUERY_CHARACTERS
from ninefold.policies.memory_ids import folded
from ninefold.policies.neutralise import neutralise
from ninefold.policies.notes import note
from ninefold.policies.text import storable
from ninefold.policies.write_judge import LONGEST
from ninefold.state import InputError, Language, MemoryKind, MemoryRecord, MemoryStatus

THREAD = "mcp"
"""The thread that stands in what is noted here."""
PAGE = 50
"""Memories that one list shows at most."""

NotedKind = Literal["decision", "todo", "fact", "knowledge", "config"]
"""What a model may note: a preference and the person's profile come from the person's own words only."""

_SAY = {
    Language.ENGLISH: {
        "noted": "Noted as {kind}, under {id}: {text}",
        "nothing": "Nothing was found in the memories.",
        "none": "No memories are kept here.",
        "by_model": ", noted by a model",
        "more": "{shown} of {all}; the rest with skip={next}.",
        "forgotten": "Forgotten: {count}. What was said in sessions stays there;"
        " the person takes words out of those with `ninefold memory forget WORDS`.",
    },
    Language.CHINESE: {
        "noted": "已记下（{kind}），编号 {id}：{text}",
        "nothing": "记忆里没有找到。",
        "none": "这里没有记忆。",
        "by_model": "，模型所记",
        "more": "共 {all} 条，显示了 {shown} 条；其余用 skip={next}。",
        "forgotten": "已忘掉 {count} 条。会话里说过的话还在那里；"
        "本人可以用 `ninefold memory forget 词语` 把它们也去掉。",
    },
}


@dataclass(frozen=True, kw_only=True)
class MemoryTools:
    """What another program may do with one person's memories.

    Args:
        memory: where they are kept.
        user: whose they are.
        language: of what the tools say.
        clock: gives the time with its offset.
    """

    memory: MemoryStore
    user: str
    language: Language
    clock: Callable[[], datetime]

    def made(self) -> tuple[BaseTool, ...]:
        """Give the tools."""
        functions: tuple[Callable[..., str], ...] = (
            self.memory_search,
            self.memory_write,
            self.memory_list,
            self.memory_forget,
        )
        return tuple(StructuredTool.from_function(function) for function in functions)

    def memory_search(
        self,
        query: Annotated[
            str,
            Field(
                min_length=1, max_length=QUERY_CHARACTERS, description="what to look for, in the words it was said in"
            ),
        ],
        limit: Annotated[int, Field(ge=1, le=RESULTS, description="how many to give at most")] = 5,
    ) -> str:
        """Search what was said, decided and planned in earlier sessions. Each line begins with the memory's id."""
        found = looked_for(self.memory, self.user, storable(query), self._now())
        return "\n".join(map(self._line, found[:limit])) or self._say("nothing")

    def memory_write(
        self,
        content: Annotated[
            str,
            Field(min_length=1, max_length=LONGEST, description="one fact, decision, plan or setting, in one sentence"),
        ],
        kind: Annotated[NotedKind, Field(description="what it is")] = "fact",
    ) -> str:
        """Keep one finding for later sessions, as noted by a model: it never becomes the person's own rule."""
        record = note(storable(content), kind, user=self.user, thread=THREAD, turn=new_turn_id(), at=self._now())
        if record is None:
            raise InputError(
                "Not kept: it is empty, or an instruction, and those are taken from the person's own words only.",
                "Write the fact behind it, or let the person say it in a chat.",
            )
        self.memory.write([record])
        text = neutralise(record.text[:LONGEST_RESULT])
        return self._say("noted", kind=record.kind.value, id=record.id, text=text)

    def memory_list(
        self,
        kind: Annotated[
            MemoryKind | None, Field(description="only this kind; all of them where it is left out")
        ] = None,
        limit: Annotated[int, Field(ge=1, le=PAGE, description="how many to give at most")] = 20,
        skip: Annotated[int, Field(ge=0, description="how many of the newest to pass over")] = 0,
    ) -> str:
        """List what is remembered, newest first. Each line begins with the memory's id."""
        active = self.memory.records(self.user, status=MemoryStatus.ACTIVE)
        records = [each for each in reversed(active) if kind in (None, each.kind)]
        shown = records[skip : skip + limit]
        lines = [self._line(record) for record in shown]
        if lines and skip + len(shown) < len(records):
            lines.append(self._say("more", shown=len(shown), all=len(records), next=skip + len(shown)))
        return "\n".join(lines) or self._say("none")

    def memory_forget(
        self,
        id: Annotated[str, Field(description="the memory's id, as memory_list and memory_search give it")],  # noqa: A002
    ) -> str:
        """Forget a memory for good, with everything that was kept in the same words."""
        records = self.memory.records(self.user)
        meant = next((each for each in records if each.id == id), None)
        if meant is None:
            raise InputError(f"There is no memory {id[:80]!r}.", "Take an id from memory_list or memory_search.")
        gone = [each.id for each in records if each.id == id or folded(each.text) == folded(meant.text)]
        count = self.memory.delete(self.user, gone)
        erase(self.memory)
        return self._say("forgotten", count=count)

    def _now(self) -> str:
        return self.clock().isoformat()

    def _say(self, name: str, **values: object) -> str:
        return _SAY[self.language][name].format(**values)

    def _line(self, record: MemoryRecord) -> str:
        noted = self._say("by_model") if record.role != "user" else ""
        text = " ".join(record.text.split())[:LONGEST_RESULT]
        return neutralise(f"{record.id}  {record.created[:10]} ({record.kind.value}{noted}) {text}")
