"""Whatever a tool or a model's calls do to a turn: the model hears of it or the person is told, and nothing is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool

from ninefold import history
from ninefold.state import Outcome, OutcomeStatus
from tests.turn.agents import Agent, agent, config
from tests.wire.replies import Call

ASKED = {"zh": "库存里有几个灯泡？", "en": "How many bulbs are in stock?"}


def said(text: str) -> Any:
    return {"messages": [{"role": "user", "content": text}]}


def outcome(told: Agent) -> Outcome:
    ended = told.values()["outcome"]
    assert isinstance(ended, Outcome)
    return ended


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_a_tool_that_wants_to_end_the_program_ends_only_its_call(tmp_path: Path, way: str) -> None:
    @tool
    def stock() -> str:
        """Count what is in stock."""
        raise SystemExit("bad arguments")

    with agent(tmp_path, [Call("stock"), "没有查到。"], tools=[stock], memory=False) as told:
        given = said(ASKED["zh"])
        if way == "invoke":
            told.graph.invoke(given, config())
        else:
            asyncio.run(told.graph.ainvoke(given, config()))
        result = told.wire.chats[-1]["messages"][-1]
        assert result["role"] == "tool"
        assert "SystemExit: bad arguments" in result["content"]
        assert outcome(told).status is OutcomeStatus.ANSWERED
        assert told.say("谢谢。") == "OK."


def test_a_tool_that_is_stopped_by_hand_leaves_a_turn_that_can_be_taken_up_and_is_not_run_again(tmp_path: Path) -> None:
    runs: list[int] = []

    @tool
    def stock() -> str:
        """Count what is in stock."""
        runs.append(1)
        raise KeyboardInterrupt

    with agent(tmp_path, [Call("stock"), "不清楚。"], tools=[stock], memory=False) as told:
        with pytest.raises(KeyboardInterrupt):
            told.say(ASKED["zh"])
        told.graph.invoke(None, config())
        assert "stock" in told.wire.chats[-1]["messages"][-1]["content"]
        assert len(runs) == 1
        ended = outcome(told)
        assert ended.status is OutcomeStatus.INTERRUPTED
        assert "stock" in ended.notes[0]
        assert [m.type for m in history(told.graph, config())] == ["human", "ai", "tool", "ai"]


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    "call",
    [
        Call("stock", {"item": "灯" * 60_000}),
        Call(
            "stock", {"item": "a lamp of number 0"}, more=tuple(("stock", {"item": f"a lamp, {n}"}) for n in range(400))
        ),
    ],
    ids=["a long argument", "many calls"],
)
def test_calls_that_can_never_fit_are_not_run_and_the_person_is_told(tmp_path: Path, call: Call, language: str) -> None:
    runs: list[str] = []

    @tool
    def stock(item: str) -> str:
        """Count what is in stock."""
        runs.append(item)
        return "seven"

    with agent(tmp_path, [call, "好的。"], tools=[stock], memory=False) as told:
        reply = told.say(ASKED[language])
        assert str(1 + len(call.more)) in reply
        assert "num_ctx" in reply
        assert ("没有运行" if language == "zh" else "none was run") in reply
        assert runs == []
        assert (outcome(told).status, outcome(told).layer) == (OutcomeStatus.OVER_BUDGET, "tool_calls")
        assert told.say("谢谢。" if language == "zh" else "Thanks.") == "好的。"
        assert outcome(told).status is OutcomeStatus.ANSWERED
        spoken = [m.text for m in history(told.graph, config())]
        assert spoken[:2] == [ASKED[language], reply]
        assert len(spoken) == 4


def test_many_short_calls_are_all_run_and_answered(tmp_path: Path) -> None:
    runs: list[str] = []

    @tool
    def stock(item: str) -> str:
        """Count what is in stock."""
        runs.append(item)
        return "seven"

    call = Call("stock", {"item": "0"}, more=tuple(("stock", {"item": str(n)}) for n in range(1, 60)))
    with agent(tmp_path, [call, "好的。"], tools=[stock], memory=False) as told:
        assert told.say(ASKED["zh"]) == "好的。"
        assert runs == [str(n) for n in range(60)]
        assert outcome(told).status is OutcomeStatus.ANSWERED
