"""The guard around the agent itself: every entry point of LangGraph, forks, subgraphs, a turn that is stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from pydantic import Field

from ninefold import build_graph
from ninefold.graph.guard import TurnGraph
from ninefold.state import (
    AgentSettings,
    ConflictRule,
    ConstraintSettings,
    Outcome,
    StorageSettings,
    Turn,
)
from ninefold.state.turn_state import TurnState
from tests.guard.toy import on, say, window


class Scripted(BaseChatModel):
    """Streams "re:" and the last words; asks for the stock when the word stands in them."""

    prompts: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _reply(self, messages: list[BaseMessage]) -> AIMessage:
        self.prompts.append(messages)
        last = messages[-1]
        if isinstance(last, HumanMessage) and "stock" in last.text:
            return AIMessage("", tool_calls=[{"name": "stock", "args": {}, "id": f"call-{len(self.prompts)}"}])
        return AIMessage(f"re:{last.text.splitlines()[-1]}")

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages))])

    def _stream(self, messages: list[BaseMessage], *args: Any, **options: Any) -> Iterator[ChatGenerationChunk]:
        whole = self._reply(messages)
        if whole.tool_calls:
            call = whole.tool_calls[0]
            chunk = tool_call_chunk(name=call["name"], args="{}", id=call["id"], index=0)
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[chunk]))
            return
        for letter in whole.text:
            yield ChatGenerationChunk(message=AIMessageChunk(content=letter))


class Stock:
    """A tool that can be kept busy."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.open = threading.Event()
        self.open.set()
        self.calls = 0

    def tool(self) -> Any:
        @tool
        def stock() -> str:
            """Count what is in stock."""
            self.calls += 1
            self.entered.set()
            assert self.open.wait(10)
            return "seven lamps"

        return stock


def agent(folder: Path, *, stock: Stock | None = None, ask: bool = False, wait: float = 5, **options: Any) -> TurnGraph:
    rule = ConflictRule.ASK if ask else ConflictRule.NEWEST
    settings = AgentSettings(
        storage=StorageSettings(folder=str(folder), lock_timeout=wait),
        constraints=ConstraintSettings(on_conflict=rule),
        memory="off",
    )
    tools = [(stock or Stock()).tool()]
    return build_graph(settings, model=Scripted(), tools=tools, **options)


def test_each_way_to_run_it_takes_the_same_turn(tmp_path: Path) -> None:
    graph = agent(tmp_path)
    graph.invoke(say("one"), on())
    list(graph.stream(say("two"), on(), stream_mode=["values", "updates", "messages", "custom"]))
    graph.batch([say("three"), say("four")], on())
    list(graph.stream(say("five"), on(), version="v2"))

    async def others() -> None:
        await graph.ainvoke(say("six"), on())
        async for _ in graph.astream(say("seven"), on(), stream_mode="messages"):
            pass
        async for _ in graph.astream_events(say("eight"), on(), version="v2"):
            pass
        await graph.abatch([say("nine"), say("ten")], on())

    asyncio.run(others())
    spoken = [text.removeprefix("human: ") for text in window(graph, on()) if text.startswith("human")]
    assert sorted(spoken) == sorted(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"])
    assert graph.get_state(on()).values["turn"].number == 10
    assert len(list(graph.get_state_history(on()))) == 10


def test_the_stream_of_messages_holds_the_reply_once_and_nothing_internal(tmp_path: Path) -> None:
    graph = agent(tmp_path)
    parts = list(graph.stream(say("look into the stock"), on(), stream_mode="messages"))
    assert {metadata["langgraph_node"] for _, metadata in parts} == {"model_call"}
    assert "".join(str(chunk.text) for chunk, _ in parts) == "re:seven lamps"


@pytest.mark.parametrize("async_", [False, True])
def test_every_copy_keeps_types_and_turns(tmp_path: Path, async_: bool) -> None:
    graph = agent(tmp_path).with_config(tags=["x"]).copy({"checkpointer": InMemorySaver(), "store": InMemoryStore()})
    for text in ("不要用红色。", "端口是 18443。"):
        asyncio.run(graph.ainvoke(say(text), on())) if async_ else graph.invoke(say(text), on())
    state = TurnState.model_validate(graph.get_state(on()).values)
    assert [constraint.words for constraint in state.constraints] == ["不要用红色"]
    assert isinstance(graph.invoke(say("x"), on(), version="v2").value["outcome"], Outcome)


class Parent(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


@pytest.mark.parametrize("memory", [True, None])
def test_as_a_subgraph_it_takes_one_turn_for_each_of_its_parent(tmp_path: Path, memory: bool | None) -> None:
    child = agent(tmp_path).copy({"checkpointer": memory})
    builder = StateGraph(Parent)
    builder.add_node("agent", child)
    builder.add_edge(START, "agent")
    parent = builder.compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    for text in ("one", "two", "look into the stock"):
        result = parent.invoke({"messages": [HumanMessage(text)]}, on())
    words = [m.text for m in result["messages"]]
    assert words == ["one", "re:one", "two", "re:two", "look into the stock", "", "seven lamps", "re:seven lamps"]


def test_both_branches_of_a_fork_complete_and_keep_their_own_history(tmp_path: Path) -> None:
    graph = agent(tmp_path)
    for text in ("one", "two"):
        graph.invoke(say(text), on())
    first = list(graph.get_state_history(on()))[-1]
    graph.invoke(say("other"), first.config)
    assert window(graph, on()) == ["human: one", "ai: re:one", "human: other", "ai: re:other"]
    (trunk,) = [s for s in graph.get_state_history(on()) if s.values["messages"][-1].text == "re:two"]
    graph.invoke(say("three"), trunk.config)
    assert window(graph, on())[2:] == ["human: two", "ai: re:two", "human: three", "ai: re:three"]


async def test_a_turn_stopped_inside_a_tool_leaves_a_thread_that_goes_on_and_says_so(tmp_path: Path) -> None:
    stock = Stock()
    stock.open.clear()
    graph = agent(tmp_path, stock=stock)
    running = asyncio.create_task(graph.ainvoke(say("look into the stock"), on()))
    await asyncio.to_thread(stock.entered.wait, 10)
    running.cancel()
    stock.open.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    await graph.ainvoke(say("and now?"), on())
    state = TurnState.model_validate(graph.get_state(on()).values)
    asked, call, result = state.messages[:3]
    assert isinstance(call, AIMessage)
    assert isinstance(result, ToolMessage)
    assert (asked.text, result.tool_call_id) == ("look into the stock", call.tool_calls[0]["id"])
    assert result.status == "error" or "interrupted" in result.text.lower() or result.text == "seven lamps"
    assert [m.text for m in state.messages[3:]] == ["and now?", "re:and now?"]


def test_a_conflict_waits_for_its_answer_and_a_new_message_keeps_the_older_wish(tmp_path: Path) -> None:
    graph = agent(tmp_path, ask=True)
    graph.invoke(say("不要用红色。"), on())
    asked = graph.invoke(say("主色用红色。"), on())
    assert asked["__interrupt__"]
    graph.invoke(say("端口是多少？"), on())
    state = TurnState.model_validate(graph.get_state(on()).values)
    assert [constraint.words for constraint in state.constraints] == ["不要用红色"]
    assert state.conflicts == ()
    human = [m.text for m in state.messages if m.type == "human"]
    assert human == ["不要用红色。", "主色用红色。", "端口是多少？"]


def test_a_conflict_is_answered_in_another_process_s_graph(tmp_path: Path) -> None:
    graph = agent(tmp_path, ask=True)
    graph.invoke(say("不要用红色。"), on())
    graph.invoke(say("主色用红色。"), on())
    agent(tmp_path, ask=True).invoke(Command(resume="replace"), on())
    state = TurnState.model_validate(graph.get_state(on()).values)
    assert [constraint.words for constraint in state.constraints] == ["主色用红色"]
    assert isinstance(state.turn, Turn)
    assert state.turn.number == 2
