"""The session whose turns are measured in time and bytes; the peers, in their own environment, play the same.

About 100 tokens from the person, about 300 of reply, and in every other turn a call with about 500 tokens of result.
"""

from __future__ import annotations

import json
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

WORDS = [
    "report",
    "budget",
    "invoice",
    "shipment",
    "client",
    "region",
    "target",
    "margin",
    "update",
    "server",
    "deploy",
    "release",
    "schema",
    "table",
    "index",
    "query",
    "latency",
    "cache",
    "token",
    "window",
    "summary",
    "plan",
    "review",
    "decision",
    "confirm",
    "format",
    "currency",
    "title",
    "link",
]
SUMMARY = ("Context Extraction Assistant", "Create a summary of the conversation", "Extend this summary")
"""How a summariser's own prompt begins."""


APART = 1009
"""Texts between those of one seed and those of the next."""


def prose(tokens: int, number: int, seed: int = 0) -> str:
    """Give about so many tokens of plain words, different for each number and seed."""
    place = number + seed * APART
    return " ".join(WORDS[(place * 31 + i * (place % 7 + 3)) % len(WORDS)] for i in range(tokens))


def says(turn: int, seed: int = 0) -> str:
    """Give what the person says in a turn."""
    return f"{turn}: {prose(100, turn, seed)}"


def calls(turn: int) -> bool:
    """Whether a turn calls the tool."""
    return turn % 2 == 0


@tool
def lookup(what: str) -> str:
    """Look something up."""
    return json.dumps([{"row": i, "what": what, "note": prose(12, i)} for i in range(20)])


class Instant(BaseChatModel):
    """Answers at once: a call in every other turn, then prose; a summary to who asks for one."""

    turn: int = 0
    seed: int = 0

    @property
    def _llm_type(self) -> str:
        return "instant"

    def bind_tools(self, *_: Any, **__: Any) -> Instant:
        """Take the tools; it knows the only one that it calls."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        if any(start in str(messages[-1].content) for start in SUMMARY):
            return _answer(AIMessage(prose(200, self.turn, self.seed)))
        if isinstance(messages[-1], HumanMessage):
            self.turn += 1
            if calls(self.turn):
                call = {"name": "lookup", "args": {"what": "orders"}, "id": f"call-{self.turn}"}
                return _answer(AIMessage("", tool_calls=[call]))
        assert isinstance(messages[-1], HumanMessage | ToolMessage)
        return _answer(AIMessage(prose(300, self.turn, self.seed)))


def history(turns: int, seed: int = 0) -> list[BaseMessage]:
    """Give the messages of the first turns, for a session that is not played from its beginning."""
    told: list[BaseMessage] = []
    for turn in range(1, turns + 1):
        told.append(HumanMessage(says(turn, seed)))
        if calls(turn):
            asked = {"what": "orders"}
            call = {"name": "lookup", "args": asked, "id": f"call-{turn}"}
            result = str(lookup.invoke(asked))
            told += [AIMessage("", tool_calls=[call]), ToolMessage(result, tool_call_id=f"call-{turn}", name="lookup")]
        told.append(AIMessage(prose(300, turn, seed)))
    return told


def _answer(message: AIMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])
