"""An agent whose every port tells when it is called, and can die there: real databases, real memory, scripted words."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config
from langgraph.store.base import BaseStore, Op, Result

from ninefold import build_graph
from ninefold.adapters.archive.sqlite_store import ThreadedSqliteStore
from ninefold.adapters.checkpoints import PlainSerde, ThreadedSqliteSaver
from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.adapters.postgres.database import Database
from ninefold.adapters.postgres.saver import ThreadedPostgresSaver
from ninefold.adapters.postgres.store import ThreadedPostgresStore
from ninefold.adapters.sqlite_files import connect
from ninefold.adapters.tokens import for_model
from ninefold.graph.guard import TurnGraph
from ninefold.state import AgentSettings, ModelSettings, StorageSettings
from tests.memory.bag_of_words import BagOfWords

Side = Literal["before", "after"]
POSTGRES = "postgres-url"
"""The file that names the database, in the folder of a turn that is not kept in files."""
ROOM = 32_768
"""Tokens of the window: the counter that knows no model counts bytes, and constraints must not seem to crowd it."""


@dataclass
class Watch:
    """The calls of a turn in their order; at one of them the process is killed as by a power cut."""

    at: int = -1
    side: Side = "before"
    calls: list[str] = field(default_factory=list)

    @contextmanager
    def call(self, name: str) -> Iterator[None]:
        """Note a call, and die before or after it when it is its turn."""
        self.calls.append(f"{_node()}: {name}")
        mine = len(self.calls) - 1 == self.at
        if mine and self.side == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        yield
        if mine and self.side == "after":
            os.kill(os.getpid(), signal.SIGKILL)


def _node() -> str:
    try:
        return str((get_config().get("metadata") or {}).get("langgraph_node", "between"))
    except RuntimeError:
        return "between"


class Watched:
    """An object whose method calls are noted."""

    def __init__(self, inner: Any, name: str, watch: Watch, *, once_a_node: bool = False) -> None:
        self._inner, self._name, self._watch, self._once = inner, name, watch, once_a_node

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(self._inner, attribute)
        return self._noted(attribute, value) if callable(value) else value

    def _noted(self, attribute: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            calls = self._watch.calls
            if self._once and calls and calls[-1].startswith(f"{_node()}: "):
                return method(*args, **options)
            with self._watch.call(f"{self._name}.{attribute}"):
                return method(*args, **options)

        return call


class _WatchedPuts(BaseCheckpointSaver[str]):
    watch: Watch

    def put(self, *args: Any, **options: Any) -> Any:
        with self.watch.call("checkpoint.put"):
            return super().put(*args, **options)

    def put_writes(self, *args: Any, **options: Any) -> None:
        with self.watch.call("checkpoint.put_writes"):
            super().put_writes(*args, **options)


class _WatchedBatches(BaseStore):
    watch: Watch

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        with self.watch.call("archive.batch"):
            return super().batch(ops)  # type: ignore[safe-super]


class WatchedSaver(_WatchedPuts, ThreadedSqliteSaver):
    """Checkpoints in a file."""


class WatchedPostgresSaver(_WatchedPuts, ThreadedPostgresSaver):
    """Checkpoints in Postgres."""


class WatchedStore(_WatchedBatches, ThreadedSqliteStore):
    """The archive in a file."""


class WatchedPostgresStore(_WatchedBatches, ThreadedPostgresStore):
    """The archive in Postgres."""


class Scripted(BaseChatModel):
    """Looks into the stock when asked to, and answers with what it heard."""

    watch: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        with self.watch.call("chat.reply"):
            return ChatResult(generations=[ChatGeneration(message=reply(messages))])


def reply(messages: list[BaseMessage]) -> AIMessage:
    """Give the scripted reply to a prompt."""
    last = messages[-1]
    if isinstance(last, HumanMessage) and "库存" in last.text:
        return AIMessage("", tool_calls=[{"name": "stock", "args": {"item": "灯"}, "id": "call-1"}])
    if isinstance(last, HumanMessage):
        return AIMessage("好的。")
    return AIMessage(f"查到了：{last.text}")


def _databases(folder: Path, watch: Watch) -> tuple[BaseCheckpointSaver[str], BaseStore]:
    """Give what keeps checkpoints and archive: files, or the Postgres whose URL stands in a file."""
    named = folder / POSTGRES
    saver: WatchedSaver | WatchedPostgresSaver
    store: WatchedStore | WatchedPostgresStore
    if named.exists():
        database = Database(named.read_text())
        saver, store = WatchedPostgresSaver(database), WatchedPostgresStore(database)
    else:
        saver = WatchedSaver(connect(folder / "checkpoints.sqlite", autocommit=False), serde=PlainSerde())
        saver.setup()
        store = WatchedStore(connect(folder / "archive.sqlite", autocommit=True))
        store.setup()
    saver.watch = store.watch = watch
    return saver, store


def watched_graph(folder: Path, watch: Watch) -> TurnGraph:
    """Give the agent over the databases in a folder."""

    @tool
    def stock(item: str) -> str:
        """Count what is in stock."""
        with watch.call("tool.stock"):
            return f"{item} 有 7 件"

    saver, store = _databases(folder, watch)
    memory: Any = Watched(ChromaMemory(folder / "memory", BagOfWords(), "test:bag"), "memory", watch)
    tokens: Any = Watched(for_model("given", ""), "tokens", watch, once_a_node=True)
    return build_graph(
        AgentSettings(
            storage=StorageSettings(folder=str(folder)),
            model=ModelSettings(num_ctx=ROOM),
            light_model="none",
        ),
        model=Scripted(watch=watch),
        memory=memory,
        tokens=tokens,
        tools=[stock],
        checkpointer=saver,
        store=store,
    )
