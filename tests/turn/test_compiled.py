"""The graph is an ordinary compiled one: copied, configured, nested, edited and streamed, it stays what it is."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from ninefold import build_graph
from ninefold.graph.guard import TurnGraph
from ninefold.state import ConflictRule, Constraint, Outcome, ThreadBusy, View
from tests.turn.agents import Agent, agent, config, settings, system_text
from tests.wire.replies import Call, Hang, Say
from tests.wire.server import WireServer

RULE = "不要用红色，所有金额用人民币。"


def say(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def typed(values: Any) -> bool:
    return (
        isinstance(values["view"], View)
        and all(isinstance(each, Constraint) for each in values["constraints"])
        and isinstance(values["outcome"], Outcome)
    )


@pytest.mark.parametrize("made", ["with_config", "copy", "copy with savers"])
def test_a_copy_keeps_types_lock_and_turn(tmp_path: Path, made: str) -> None:
    with agent(tmp_path) as a:
        match made:
            case "with_config":
                graph = a.graph.with_config({"metadata": {"who": "a test"}})
            case "copy":
                graph = a.graph.copy()
            case _:
                graph = a.graph.copy({"checkpointer": InMemorySaver(), "store": InMemoryStore()})
        assert isinstance(graph, TurnGraph)
        graph.invoke(say(RULE), config())
        graph.invoke(say("继续"), config())
        values = graph.get_state(config()).values
        assert typed(values)
        assert values["turn"].number == 2
        assert "不要用红色" in system_text(a.wire.chats[-1])


def test_version_two_of_the_stream_gives_typed_values(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        parts = list(a.graph.stream(say(RULE), config(), stream_mode="values", version="v2"))
        last = parts[-1]["data"]
    assert isinstance(last.outcome if hasattr(last, "outcome") else last["outcome"], Outcome)


def test_as_a_subgraph_it_keeps_its_own_state(tmp_path: Path) -> None:
    with WireServer() as wire:
        inner = build_graph(settings(wire.url, tmp_path), store=InMemoryStore()).copy({"checkpointer": True})
        parent = StateGraph(MessagesState)
        parent.add_node("agent", inner)
        parent.add_edge(START, "agent")
        parent.add_edge("agent", END)
        outer = parent.compile(checkpointer=InMemorySaver(), store=InMemoryStore())
        outer.invoke({"messages": [HumanMessage(RULE, id="m1")]}, config())
        result = outer.invoke({"messages": [HumanMessage("继续", id="m2")]}, config())
        second = wire.chats[-1]
    assert [m.text for m in result["messages"]] == [RULE, "OK.", "继续", "OK."]
    assert "不要用红色" in system_text(second)
    assert [m["content"] for m in second["messages"][1:]] == [RULE, "OK.", "继续"]


def test_an_edit_during_a_turn_waits_or_is_refused_and_loses_nothing(tmp_path: Path) -> None:
    with WireServer([Hang(1.5, text="半"), Say("好")]) as wire:
        chosen = settings(wire.url, tmp_path)
        graph = build_graph(chosen)
        turn = threading.Thread(target=lambda: _quietly(graph, say(RULE)))
        turn.start()
        wire.wait_for_chats(1)
        with contextlib.suppress(ThreadBusy):
            graph.update_state(config(), {"task": None})
        turn.join()
        graph.invoke(say("继续"), config())
        told = [m.text for m in graph.get_state(config()).values["messages"]]
    assert told[0] == RULE
    assert told.count("继续") == 1
    assert told[-1] == "好" or told[-1] == "OK."


def _quietly(graph: TurnGraph, given: dict[str, Any]) -> None:
    try:
        graph.invoke(given, config())
    except Exception:  # noqa: BLE001  the server hangs up in this turn; the next one is what is looked at
        return


def test_streaming_messages_shows_the_reply_s_tokens_and_nothing_else(tmp_path: Path) -> None:
    @tool
    def weather(city: str) -> str:
        """Tell the weather."""
        return f"{city}：晴，" + "气温 21 度；" * 400

    def answer(body: dict[str, Any]) -> Call | Say:
        if body.get("format"):
            return Say('{"constraints": []}')
        if body["messages"][-1]["role"] == "user" and "天气" in body["messages"][-1]["content"]:
            return Call("weather", {"city": "杭州"})
        return Say("好的，" * 200)

    with agent(
        tmp_path, answer, tools=[weather], light_model="same", summary_threshold_tokens=600, tool_result_tokens=300
    ) as a:
        a.say("帮我写个爬虫，只要标题和链接，不要正文。")
        for _ in range(3):
            a.say("继续说。" * 30)
        shown = list(a.graph.stream(say("杭州天气怎么样？以后都别用红色。"), config(), stream_mode="messages"))
        kinds = {event.kind for event in a.values()["trace"]}
    assert {meta["langgraph_node"] for _, meta in shown} == {"model_call"}
    assert "".join(chunk.text for chunk, _ in shown) == "好的，" * 200
    assert {"compacted", "tool_called"} <= kinds


def test_async_and_sync_give_the_same_turn(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        a.graph.invoke(say(RULE), config("sync"))
        asyncio.run(_ainvoke(a.graph, say(RULE), config("async")))
        one, other = (a.values(thread) for thread in ("sync", "async"))
    assert [m.text for m in one["messages"]] == [m.text for m in other["messages"]]
    assert [c.words for c in one["constraints"]] == [c.words for c in other["constraints"]]
    assert [e.kind for e in one["trace"]] == [e.kind for e in other["trace"]]


async def _ainvoke(graph: TurnGraph, given: dict[str, Any], where: Any) -> None:
    await graph.ainvoke(given, where)


@pytest.mark.parametrize(("answer", "kept"), [("replace", "英文"), ("keep", "中文")])
def test_a_conflict_asks_and_the_answer_may_come_from_another_graph(tmp_path: Path, answer: str, kept: str) -> None:
    with agent(tmp_path, on_conflict=ConflictRule.ASK) as a:
        a.say("所有回复都用中文。")
        paused = a.graph.invoke(say("所有回复都用英文。"), config())
        assert paused["__interrupt__"][0].value["kind"] == "constraint_conflict"
        again = Agent(build_graph(a.settings), a.wire, a.settings)
        result = again.graph.invoke(Command(resume=answer), config())
        words = [c.words for c in again.values()["constraints"]]
    assert result["messages"][-1].text == "OK."
    assert any(kept in each for each in words)
    assert len(words) == 1
