"""Takes turns in forks of a warm process, kills them where it is told, and looks at what is left."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from typing import Any

import chromadb
import chromadb.api.rust
import langchain_chroma
import pytest
from langchain_core.messages import AIMessage, ToolMessage

from ninefold.adapters.archive import history_messages
from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.graph.guard import TurnGraph
from ninefold.state.turn_state import TurnState
from tests.crash.parts import Side, Watch, watched_graph
from tests.memory.bag_of_words import BagOfWords

WARM = (chromadb.api.rust, langchain_chroma)
"""Imported here once, not late in every fork."""
FIRST = "我叫林若，项目端口是 18443，不要用红色。"
SECOND = "我喜欢喝绿茶。以后都用人民币报价。查一下灯的库存。"
PATIENCE = 120
"""Seconds until a fork is taken for hung."""
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


def difference(after: Result, expected: Result, death: Death) -> str:
    """Give what a death changed, empty for nothing.

    Whether a tool that died while it ran had its effect nobody knows: it is not run again, and its result, the outcome
    and a note say so. So of a death inside tool_call these are not compared, nor the reply's words that repeat them.
    """
    if death.name.startswith("tool_call"):
        after, expected = _without_result(after), _without_result(expected)
    return ", ".join(f"{key}: {after[key]}" for key in expected if after[key] != expected[key])


def _without_result(state: Result) -> Result:
    def bare(text: str) -> str:
        return next((start for start in ("tool: ", "ai: 查到了：") if text.startswith(start)), text)

    said = {key: [bare(text) for text in state[key]] for key in ("window", "archive")}
    return {**state, **said, "outcome": "", "notes": []}


def config(turn: str) -> Any:
    """Give the config of a turn."""
    return {"configurable": {"thread_id": "t", "user_id": "ann", "turn_id": turn}}


def said(text: str) -> Any:
    """Give an input."""
    return {"messages": [{"role": "user", "content": text}]}


def in_fork(work: Callable[..., Any], *args: Any) -> Any:
    """Give what the work gives in a fork of a warm process that runs nothing else, or None when the fork was killed."""
    given, giving = _forks().Pipe(duplex=False)
    process = _forks().Process(target=_give, args=(giving, work, args))
    process.start()
    giving.close()
    try:
        if not given.poll(PATIENCE):
            process.kill()
            raise AssertionError(f"{work.__name__} did not end within {PATIENCE} s")
        kind, result = given.recv()
    except EOFError:
        process.join(PATIENCE)
        assert process.exitcode == -signal.SIGKILL, f"{work.__name__} ended with {process.exitcode}"
        return None
    process.join(PATIENCE)
    assert kind == "done", result
    return result


@cache
def _forks() -> ForkServerContext:
    """Give the server of forks, with all that a turn needs already loaded."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.crash.warm"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        ensure_running()
    return context


def _give(giving: Connection, work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    try:
        answer = ("done", work(*args))
    except BaseException:  # noqa: BLE001 - it is told to the parent, and the fork ends
        answer = ("failed", traceback.format_exc())
    giving.send(answer)
    os._exit(0)


def prepared(folder: Path) -> tuple[Path, list[Death], Result]:
    """Give a folder after a first turn, every death that a second one can die, and what is left when it does not."""
    base = folder / "base"
    base.mkdir()
    in_fork(take_turn, base, Watch(), "turn-1", said(FIRST))
    quiet = _copy(base, folder / "quiet")
    calls: list[str] = in_fork(take_turn, quiet, Watch(), "turn-2", said(SECOND))
    expected: Result = in_fork(left, quiet)
    assert expected["outcome"] == "answered", expected
    sides: tuple[Side, Side] = ("before", "after")
    deaths = [Death(at, side, name) for at, name in enumerate(calls) for side in sides]
    return base, deaths, expected


def resumed(base: Path, folder: Path, death: Death, *, again: bool) -> Result:
    """Give what is left when a turn died and was resumed: by the same call again, or by no input where it can be."""
    _die(base, folder, death)
    result: Result = in_fork(resume, folder, again)
    return result


def followed(base: Path, folder: Path, death: Death) -> tuple[bool, Result]:
    """Give whether the message of a turn that died was durable, and what is left after a new message."""
    _die(base, folder, death)
    result: tuple[bool, Result] = in_fork(follow, folder)
    return result


def take_turn(folder: Path, watch: Watch, turn: str, given: Any) -> list[str]:
    """Take a turn and give the port calls it made."""
    graph = watched_graph(folder, watch)
    watch.calls.clear()
    graph.invoke(given, config(turn))
    return watch.calls


def resume(folder: Path, again: bool) -> Result:
    """Take the second turn up."""
    graph = watched_graph(folder, Watch())
    graph.invoke(said(SECOND) if again or not _begun(graph) else None, config("turn-2"))
    return left(folder, graph)


def follow(folder: Path) -> tuple[bool, Result]:
    """Say something else instead."""
    graph = watched_graph(folder, Watch())
    begun = _begun(graph)
    graph.invoke(said(THIRD), config("turn-3"))
    return begun, left(folder, graph)


def _begun(graph: TurnGraph) -> bool:
    stamped: dict[str, Any] = {**(graph.get_state(config("turn-2")).metadata or {})}
    return stamped.get("ninefold_turn") == "turn-2"


def left(folder: Path, graph: TurnGraph | None = None) -> Result:
    """Give what a thread holds, without ids and times."""
    graph = graph or watched_graph(folder, Watch())
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
    return len(saver.rows("t"))


def _die(base: Path, folder: Path, death: Death) -> None:
    _copy(base, folder)
    lived = in_fork(take_turn, folder, Watch(death.at, death.side), "turn-2", said(SECOND))
    assert lived is None, f"it lived {death}"


def _copy(base: Path, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(base, folder)
    return folder
