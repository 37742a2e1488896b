"""Inside of a LangGraph node the reply streams under its own id, internal calls do not, and both say where they run."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, TypedDict
from uuid import UUID

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from ninefold.adapters.models.assistant import ModelAssistant
from ninefold.adapters.models.chat import ModelChat
from ninefold.adapters.models.ollama import ollama_chat
from ninefold.state import ModelSettings
from tests.wire.replies import Say
from tests.wire.server import Body, WireServer


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


class Seen(BaseCallbackHandler):
    """Keeps the metadata of every model call."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self.calls.append(metadata or {})


def graph_at(url: str) -> Any:
    model = ollama_chat(ModelSettings(base_url=url, timeout=5))
    chat = ModelChat(model, num_ctx=8192)
    assistant = ModelAssistant(model, num_ctx=8192)

    def internal(state: State) -> None:
        assistant.complete(state["messages"], purpose="veto", num_predict=10, schema={"type": "object"})

    def call(state: State) -> State:
        internal(state)
        return {"messages": [chat.reply(state["messages"], num_predict=50)]}

    async def acall(state: State) -> State:
        await asyncio.to_thread(internal, state)
        return {"messages": [await chat.areply(state["messages"], num_predict=50)]}

    builder = StateGraph(State)
    builder.add_node("speak", RunnableLambda(call, afunc=acall))
    builder.add_edge(START, "speak")
    builder.add_edge("speak", END)
    return builder.compile()


def reply(body: Body) -> Say:
    return Say('{"secret": true}') if body.get("format") else Say("一二三四五六", pieces=6)


async def collected(graph: Any, config: dict[str, Any]) -> list[Any]:
    given = {"messages": [HumanMessage("hi")]}
    return [part async for part in graph.astream(given, config, stream_mode=["messages", "values"])]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_only_the_reply_streams_and_it_keeps_the_id_it_streamed_under(asynchronous: bool) -> None:
    seen = Seen()
    with WireServer(reply) as wire:
        graph = graph_at(wire.url)
        config = {"callbacks": [seen]}
        if asynchronous:
            parts = asyncio.run(collected(graph, config))
        else:
            given = {"messages": [HumanMessage("hi")]}
            parts = list(graph.stream(given, config, stream_mode=["messages", "values"]))
    pieces = [data[0] for mode, data in parts if mode == "messages"]
    assert "".join(str(piece.text) for piece in pieces) == "一二三四五六"
    assert len(pieces) >= 6
    final = [data for mode, data in parts if mode == "values"][-1]["messages"][-1]
    assert final.content == "一二三四五六"
    assert {piece.id for piece in pieces} == {final.id}
    assert [call.get("langgraph_node") for call in seen.calls] == ["speak", "speak"]
    assert [call.get("purpose") for call in seen.calls] == ["veto", None]
