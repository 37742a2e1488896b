"""Checkpoints between steps without an effect wait, and nothing that a turn leaves behind shows it."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any, Literal

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from ninefold.graph.deferring import Deferred
from ninefold.graph.guard import Guard, TurnGraph
from ninefold.state.turn_state import TurnState
from tests.guard.toy import echo, on, rows, say, sqlite_toy, toy, window
from tests.turn.agents import agent
from tests.wire.replies import Say


def light() -> Guard:
    return Guard(deferred=Deferred({"turn_start", "conflict_confirmation"}))


def all_but_the_end() -> Guard:
    return Guard(deferred=Deferred({"turn_start", "conflict_confirmation", "model_call"}))


def take(graph: TurnGraph, given: Any, where: RunnableConfig, *, async_: bool, **options: Any) -> None:
    if async_:
        asyncio.run(graph.ainvoke(given, where, **options))
    else:
        graph.invoke(given, where, **options)


def kept(folder: Path) -> list[tuple[str, str | None]]:
    with sqlite3.connect(folder / "checkpoints.sqlite") as database:
        return database.execute("SELECT checkpoint_id, parent_checkpoint_id FROM checkpoints ORDER BY 1").fetchall()


@pytest.mark.parametrize("async_", [False, True], ids=["invoke", "ainvoke"])
def test_a_turn_writes_its_input_and_what_stands_before_and_behind_an_effect(tmp_path: Path, *, async_: bool) -> None:
    seen: list[list[tuple[str, str | None]]] = []

    def answer(state: TurnState) -> str:
        seen.append(kept(tmp_path))
        return echo(state)

    graph = sqlite_toy(tmp_path, answer=answer, settings=light())
    for text in ("one", "two"):
        take(graph, say(text), on(), async_=async_)
    assert [len(each) for each in seen] == [2, 3]
    assert [parent for _, parent in seen[1]] == [None, *[row for row, _ in seen[1][:-1]]]
    assert [parent for _, parent in kept(tmp_path)] == [None, kept(tmp_path)[0][0]]
    assert window(graph, on()) == ["human: one", "ai: re:one", "human: two", "ai: re:two"]


@pytest.mark.parametrize("async_", [False, True], ids=["invoke", "ainvoke"])
def test_a_run_that_stops_between_two_such_steps_leaves_its_newest_state(tmp_path: Path, *, async_: bool) -> None:
    graph = sqlite_toy(tmp_path, settings=light())
    take(graph, say("one"), on(), async_=async_, interrupt_before=["conflict_confirmation"])
    assert graph.get_state(on()).next == ("conflict_confirmation",)
    take(sqlite_toy(tmp_path, settings=light()), None, on(), async_=async_)
    assert window(graph, on()) == ["human: one", "ai: re:one"]
    assert rows(graph) == 1


@pytest.mark.parametrize("async_", [False, True], ids=["invoke", "ainvoke"])
def test_what_a_step_wrote_on_a_checkpoint_that_waits_is_kept_with_it(tmp_path: Path, *, async_: bool) -> None:
    graph = sqlite_toy(tmp_path, settings=light())
    take(graph, say("but"), on(), async_=async_)
    assert [interrupt.value for interrupt in graph.get_state(on()).interrupts] == [{"ask": "which?"}]
    take(sqlite_toy(tmp_path, settings=light()), Command(resume="keep"), on(), async_=async_)
    assert graph.get_state(on()).values["next_cut"] == ("keep",)


@pytest.mark.parametrize("async_", [False, True], ids=["invoke", "ainvoke"])
def test_a_saver_that_keeps_only_what_is_new_misses_nothing(*, async_: bool) -> None:
    graph = toy(InMemorySaver(), settings=light())
    for text in ("one", "two"):
        take(graph, say(text), on(), async_=async_)
    state = TurnState.model_validate(graph.get_state(on()).values)
    assert [message.text for message in state.messages] == ["one", "re:one", "two", "re:two"]
    assert state.turn is not None
    assert state.turn.number == 2
    assert state.owner == "local"


def test_the_agent_asks_its_model_when_the_prompt_is_proven_and_on_the_disk(tmp_path: Path) -> None:
    counts: list[int] = []

    def script(_: Any) -> Say:
        counts.append(len(kept(tmp_path)))
        return Say("OK.")

    with agent(tmp_path, script, memory=False) as a:
        a.say("Do not use red.")
        a.say("Go on.")
    assert counts == [2, 3]


class Slow(InMemorySaver):
    """A saver whose writes take their time, and let themselves be cancelled."""

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        await asyncio.sleep(0.2)
        return super().put(config, checkpoint, metadata, new_versions)


@pytest.mark.parametrize("times", [1, 2])
async def test_a_run_that_is_cancelled_while_it_writes_leaves_its_newest_state(times: int) -> None:
    def answer(state: TurnState) -> str:
        loop.call_soon_threadsafe(asked.set)
        assert done.wait(20)
        return echo(state)

    loop, asked, done = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    graph = toy(Slow(), settings=all_but_the_end(), answer=answer)
    running = asyncio.create_task(graph.ainvoke(say("one"), on()))
    await asked.wait()
    for _ in range(times):
        running.cancel()
        done.set()
        await asyncio.sleep(0.05)
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (await graph.aget_state(on())).next == ("model_call",)


class Full(InMemorySaver):
    """A saver that takes only the input."""

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        if metadata.get("source") != "input":
            raise OSError("the disk is full")
        return super().put(config, checkpoint, metadata, new_versions)


@pytest.mark.parametrize("async_", [False, True], ids=["invoke", "ainvoke"])
def test_the_error_that_ends_a_run_goes_before_that_of_the_writing(*, async_: bool) -> None:
    def answer(_: TurnState) -> str:
        raise ZeroDivisionError

    graph = toy(Full(), answer=answer, settings=all_but_the_end())
    with pytest.raises(ZeroDivisionError):
        take(graph, say("one"), on(), async_=async_)


class WithoutPaths(InMemorySaver):
    """A saver of the time before tasks had paths."""

    def put_writes(self, config: RunnableConfig, writes: Any, task_id: str) -> None:  # type: ignore[override]
        super().put_writes(config, writes, task_id)

    async def aput_writes(self, config: RunnableConfig, writes: Any, task_id: str) -> None:  # type: ignore[override]
        super().put_writes(config, writes, task_id)


@pytest.mark.parametrize("async_", [False, True], ids=["invoke", "ainvoke"])
def test_a_saver_that_knows_no_paths_of_tasks_is_given_none(*, async_: bool) -> None:
    graph = toy(WithoutPaths())
    take(graph, say("one"), on(), async_=async_)
    assert window(graph, on()) == ["human: one", "ai: re:one"]


@pytest.mark.parametrize("durability", ["async", "sync"])
def test_no_write_stands_without_its_checkpoint_whatever_the_durability(
    tmp_path: Path, durability: Literal["async", "sync"]
) -> None:
    graph = sqlite_toy(tmp_path, settings=light())
    for text in ("one", "two", "three"):
        asyncio.run(graph.ainvoke(say(text), on(), durability=durability))
    with sqlite3.connect(tmp_path / "checkpoints.sqlite") as database:
        orphans = "SELECT count(*) FROM writes WHERE checkpoint_id NOT IN (SELECT checkpoint_id FROM checkpoints)"
        assert database.execute(orphans).fetchone() == (0,)
