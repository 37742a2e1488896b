"""Wherever the window is cut, every result leaves right behind its call and every call has its result (BUG-01)."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from ninefold.state import Language
from tests.bugs.wire_laws import agent_with, opened_roles, over_the_window, roles_due, spoken, state_of
from tests.turn.agents import Body, config
from tests.wire.replies import Call, Say

WORDS = {
    Language.CHINESE: ("查一下 {n} 的库存和价格", "库存", "价格", "第 {n} 件已经查过，没有别的问题。"),
    Language.ENGLISH: ("Look up stock and price of {n}", "stock", "price", "Number {n} is looked up, nothing else."),
}


@tool
def look_up(what: str) -> str:
    """Look something up."""
    return f"result of {what}: " + "1 2 3 4 5 6 7 8 9 " * 6


def calls_of(message: Body) -> list[str]:
    """Give what the calls of a wire message ask for."""
    return [str(call["function"]["arguments"]["what"]) for call in message.get("tool_calls") or ()]


def assert_paired(body: Body) -> None:
    """Behind each message with calls stand its own results, as many and in its order, and nowhere else is a result."""
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            assert waiting, f"a result without a call: {message['content']}"
            assert f"result of {waiting.pop(0)}:" in message["content"]
            continue
        assert waiting == [], f"calls without results: {waiting}"
        waiting = calls_of(message)
        # The server keeps the calls of a message that has no text and no neighbour of its own role.
        assert not (waiting and message.get("content"))
    assert waiting == []
    roles = [m["role"] for m in body["messages"]]
    assert ("assistant", "assistant") not in pairwise(roles)
    assert opened_roles(body) == roles_due(body)
    assert over_the_window(body) == ""


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("cut_after", [1, 2, 3, 5, 7])
def test_parallel_calls_stay_whole_at_every_cut(tmp_path: Path, cut_after: int, language: Language) -> None:
    ask, stock, price, done = WORDS[language]

    def answer(body: Body) -> Call | Say:
        last = body["messages"][-1]
        if last["role"] == "user":
            number = last["content"].strip().rsplit(" ", 1)[-1] if language is Language.ENGLISH else last["content"]
            return Call("look_up", {"what": f"{stock} {number}"}, more=(("look_up", {"what": f"{price} {number}"}),))
        if len([m for m in body["messages"] if m["role"] == "tool"]) % 3:
            return Call("look_up", {"what": f"again {stock}"})
        return Say(done)

    options: dict[str, Any] = {"memory": False, "summary_threshold_tokens": 110 * cut_after, "max_tool_rounds": 2}
    with agent_with(tmp_path, answer, tools=[look_up], **options) as a:
        for number in range(9):
            a.say(ask.format(n=number))
        for body in a.wire.chats:
            assert_paired(body)
        assert state_of(a).counters.compactions
        assert sum("result of" in text for text in spoken(a)) >= 18


def transcript(language: Language, cut: int) -> list[Any]:
    """Give a client's transcript: calls in two messages one behind the other, then both results, then small talk."""
    ask, stock, price, done = WORDS[language]
    made: list[Any] = []
    for number in range(6):
        one, two = f"{number}-a", f"{number}-b"
        made += [
            HumanMessage(ask.format(n=number)),
            AIMessage("", tool_calls=[{"name": "look_up", "args": {"what": f"{stock} {number}"}, "id": one}]),
            AIMessage("", tool_calls=[{"name": "look_up", "args": {"what": f"{price} {number}"}, "id": two}]),
            ToolMessage(f"result of {stock} {number}: " + "1 2 3 " * 10, tool_call_id=one),
            ToolMessage(f"result of {price} {number}: " + "4 5 6 " * 10, tool_call_id=two),
            AIMessage(done.format(n=number)),
        ]
    return [*made, *(HumanMessage("好的") for _ in range(cut % 2)), HumanMessage(ask.format(n=99))]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("cut_after", [1, 2, 4, 6])
def test_calls_in_two_messages_with_both_results_behind_them_stay_whole(
    tmp_path: Path, cut_after: int, language: Language
) -> None:
    options: dict[str, Any] = {"memory": False, "summary_threshold_tokens": 150 * cut_after}
    with agent_with(tmp_path, tools=[look_up], **options) as a:
        a.graph.invoke({"messages": transcript(language, cut_after)}, config())
        for number in range(4):
            a.say(WORDS[language][0].format(n=number))
        for body in a.wire.chats:
            assert_paired(body)
        sent = json.dumps(a.wire.chats[0]["messages"], ensure_ascii=False)
        assert f"{WORDS[language][2]} 5" in sent
