"""The same agent over SQLite files and over Postgres, also taken up in a process of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.forkserver import ensure_running
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from langchain_core.tools import tool

from ninefold import build_graph
from ninefold.graph.guard import TurnGraph
from ninefold.state import AgentSettings, ConflictRule, StorageSettings
from tests.turn.agents import settings as settings_of

PATIENCE = 60
"""Seconds until a process is taken for hung."""


class Place(NamedTuple):
    """Where the sessions of a test lie, and the model's server."""

    wire: str
    folder: Path
    url: str | None
    """None for SQLite in the folder."""

    def settings(self, **storage: Any) -> AgentSettings:
        """Give the agent's settings."""
        chosen = settings_of(self.wire, self.folder, memory=False, on_conflict=ConflictRule.ASK)
        kept = StorageSettings(folder=str(self.folder), checkpointer=self.url, store=self.url, **storage)
        return chosen.model_copy(update={"storage": kept})

    def graph(self, **storage: Any) -> TurnGraph:
        """Give an agent, as another process would: on connections of its own."""
        effects = self.folder / "effects"

        @tool
        def order(item: str) -> str:
            """Order something."""
            with effects.open("a") as file:
                file.write(f"{item}\n")
            return f"{item} 已下单"

        return build_graph(self.settings(**storage), tools=[order])

    def effects(self) -> list[str]:
        """Give what the tool did, over all processes."""
        file = self.folder / "effects"
        return file.read_text().splitlines() if file.exists() else []

    def process(self, *texts: str) -> Worker:
        """Give a process with an agent that takes these turns as soon as it is told to."""
        mine, its = _forks().Pipe()
        process = _forks().Process(target=_take_turns, args=(self, texts, its))
        process.start()
        its.close()
        assert mine.poll(PATIENCE)
        assert mine.recv() == "ready"
        return Worker(process, mine)


class Worker(NamedTuple):
    """Another process."""

    process: BaseProcess
    pipe: Connection

    def go(self) -> None:
        """Let it take its turns."""
        self.pipe.send("go")

    def ended(self) -> int | None:
        """Wait for its end and give how it ended."""
        self.process.join(PATIENCE)
        return self.process.exitcode

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.kill()
        self.process.join(PATIENCE)


def _take_turns(place: Place, texts: Sequence[str], pipe: Connection) -> None:
    graph = place.graph()
    pipe.send("ready")
    pipe.recv()
    for text in texts:
        graph.invoke(said(text), config())


@cache
def _forks() -> ForkServerContext:
    """Give the server of forks, with all that an agent imports already loaded."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "langchain_ollama", "langgraph.checkpoint.postgres"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        ensure_running()
    return context


def config(thread: str = "t", user: str = "ann", **more: str) -> Any:
    """Give the config of a thread."""
    return {"configurable": {"thread_id": thread, "user_id": user, **more}}


def said(text: str) -> Any:
    """Give an input."""
    return {"messages": [{"role": "user", "content": text}]}
