"""Takes turns in forks of this warm process, kills them where it is told, and looks at what is left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chromadb
import langchain_chroma
from langchain_core.messages import AIMessage, ToolMessage

from ninefold.adapters.archive import history_messages
from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.graph.guard import TurnGraph
from ninefold.state.turn_state import TurnState
from tests.crash.parts import Side, Watch, watched_graph
from tests.memory.bag_of_words import BagOfWords

WARM = (chromadb, langchain_chroma)
"""Imported here once, not late in every fork."""
FIRST = "我叫林若，项目端口是 18443，不要用红色。"
SECOND = "我喜欢喝绿茶。以后都用人民币报价。查一下灯的库存。"
THIRD = "谢谢，还有别的吗？"
Result = dict[str, Any]


@dataclass(frozen=True)
class Death:
    """One port call at which the turn is killed."""

    at: int
    side: Side
    name: str

    def __str__(self) -> str:
        return f"{self.side} call {self.at}, {self.name}"


def config(turn: str) -> Any:
    """Give the config of a turn."""
    return {"configurable": {"thread_id": "t", "user_id": "ann", "turn_id": turn}}


def said(text: str) -> Any:
    """Give an input."""
    return {"messages": [{"role": "user", "content": text}]}


def in_fork(work: Callable[[], Result]) -> Result | None:
    """Give what the work gives in a fork of this process, or None when the fork was killed."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            result = work()
        except BaseException:  # noqa: BLE001 - it is told to the parent, and the fork ends
            result = {"error": traceback.format_exc()}
        os.write(write, json.dumps(result).encode()) if len(json.dumps(result)) < 60_000 else None
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return None
    result = json.loads(data)
    if "error" in result:
        raise AssertionError(result["error"])
    return dict(result)


def prepared(folder: Path) -> tuple[Path, list[Death], Result]:
    """Give a folder after a first turn, every death that a second one can die, and what is left when it does not."""
    base = folder / "base"
    base.mkdir()
    in_fork(lambda: {"calls": len(_turn(base, Watch(), "turn-1", said(FIRST)))})
    quiet = _copy(base, folder / "quiet")
    calls = in_fork(lambda: {"calls": _turn(quiet, Watch(), "turn-2", said(SECOND))})
    assert calls is not None
    expected = in_fork(lambda: left(quiet, watched_graph(quiet, Watch())))
    assert expected is not None
    assert expected["outcome"] == "answered", expected
    sides: tuple[Side, Side] = ("before", "after")
    deaths = [Death(at, side, name) for at, name in enumerate(calls["calls"]) for side in sides]
    return base, deaths, expected


def resumed(base: Path, folder: Path, death: Death, *, again: bool) -> Result:
    """Give what is left when a turn died and was resumed: by the same call again, or by no input where it can be."""
    _die(base, folder, death)

    def work() -> Result:
        graph = watched_graph(folder, Watch())
        begun = graph.get_state(config("turn-2"))
        stamped: dict[str, Any] = {**(begun.metadata or {})}
        durable = stamped.get("ninefold_turn") == "turn-2"
        graph.invoke(said(SECOND) if again or not durable else None, config("turn-2"))
        return left(folder, graph)

    state = in_fork(work)
    assert state is not None
    return state


def followed(base: Path, folder: Path, death: Death) -> tuple[bool, Result]:
    """Give whether the message of a turn that died was durable, and what is left after a new message."""
    _die(base, folder, death)

    def work() -> Result:
        graph = watched_graph(folder, Watch())
        stamped: dict[str, Any] = {**(graph.get_state(config("turn-2")).metadata or {})}
        graph.invoke(said(THIRD), config("turn-3"))
        return {"durable": stamped.get("ninefold_turn") == "turn-2", "left": left(folder, graph)}

    result = in_fork(work)
    assert result is not None
    return result["durable"], result["left"]


def left(folder: Path, graph: TurnGraph) -> Result:
    """Give what a thread holds, without ids and times."""
    state = TurnState.model_validate(graph.get_state(config("x")).values)
    assert state.turn is not None
    assert graph.store is not None
    memory = ChromaMemory(folder / "memory", BagOfWords(), "test:bag")
    records = memory.records("ann")
    calls = {call["id"] for m in state.messages if isinstance(m, AIMessage) for call in m.tool_calls}
    return {
        "window": [f"{m.type}: {m.text}" for m in state.messages],
        "archive": [f"{m.type}: {m.text}" for m in history_messages(graph.store, "t", state.turn.id)],
        "constraints": sorted(constraint.words for constraint in state.constraints),
        "memories": sorted(f"{record.status.value}: {record.text}" for record in records),
        "turns": state.turn.number,
        "unprocessed": [*state.unprocessed.constraints, *state.unprocessed.memories],
        "outcome": state.outcome.status.value if state.outcome else None,
        "notes": [*state.outcome.notes] if state.outcome else [],
        "open_calls": sorted(
            str(call) for call in calls ^ {m.tool_call_id for m in state.messages if isinstance(m, ToolMessage)}
        ),
        "rows": _rows(graph),
    }


def _rows(graph: TurnGraph) -> int:
    saver: Any = graph.checkpointer
    return int(saver.conn.execute("SELECT count(*) FROM checkpoints").fetchone()[0])


def _die(base: Path, folder: Path, death: Death) -> None:
    _copy(base, folder)
    watch = Watch(death.at, death.side)
    assert in_fork(lambda: {"calls": _turn(folder, watch, "turn-2", said(SECOND))}) is None, f"it lived {death}"


def _turn(folder: Path, watch: Watch, turn: str, given: Any) -> list[str]:
    graph = watched_graph(folder, watch)
    watch.calls.clear()
    graph.invoke(given, config(turn))
    return watch.calls


def _copy(base: Path, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(base, folder)
    return folder
