"""LangChain agents with our middleware: everything real (agent, SQLite, HTTP server) but the words of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import BaseTool, tool
from langchain_ollama import ChatOllama
from langgraph.checkpoint.sqlite import SqliteSaver

from ninefold.middleware import ContextAssemblyMiddleware
from tests.turn.agents import MODEL, Body
from tests.wire.server import WireServer

CONFIG: Any = {"configurable": {"thread_id": "t1"}}


@tool
def orders(month: str) -> str:
    """List the orders of a month."""
    return "\n".join(f'{{"order": "{month}-{n:04d}", "customer": "Kim {n}", "amount": {n * 3}.50}}' for n in range(400))


def chat_model(wire: WireServer) -> ChatOllama:
    return ChatOllama(model=MODEL, base_url=wire.url)


@contextmanager
def opened(wire: WireServer, folder: Path, *, tools: Sequence[BaseTool] = (orders,), **options: Any) -> Iterator[Any]:
    """Give an agent over the folder's checkpoints, as a program of its own would open it."""
    middleware = [ContextAssemblyMiddleware(**{"num_ctx": 4096, **options})]
    with SqliteSaver.from_conn_string(str(folder / "agent.db")) as saver:
        yield create_agent(chat_model(wire), tools=list(tools), middleware=middleware, checkpointer=saver)


def say(agent: Any, text: str) -> str:
    return str(agent.invoke({"messages": [{"role": "user", "content": text}]}, CONFIG)["messages"][-1].text)


def orphans(body: Body) -> list[Body]:
    """Give the results of a request that follow no call, and the calls that no result follows."""
    found: list[Body] = []
    waiting: list[Body] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            if not waiting:
                found.append(message)
            waiting = waiting[1:]
            continue
        found += waiting
        waiting = [message] * len(message.get("tool_calls") or ())
    return found + waiting
