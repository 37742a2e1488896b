"""One turn at a time on a thread, and no wait without an end."""

from __future__ import annotations

import asyncio
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ninefold.graph.guard import Guard, TurnGraph
from ninefold.graph.locks import FileLocks, hold
from ninefold.state import StorageError, ThreadBusy
from ninefold.state.turn_state import TurnState
from tests.guard.toy import echo, on, say, sqlite_toy, toy, window

SHORT = Guard(lock_timeout=0.2)


class Gate:
    """A model that keeps its first message waiting until it is told to answer."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.open = threading.Event()

    def __call__(self, state: TurnState) -> str:
        if state.messages[-1].text == "first":
            self.entered.set()
            assert self.open.wait(10)
        return echo(state)


def busy_graph(settings: Guard, pool: ThreadPoolExecutor) -> tuple[TurnGraph, Gate, Any]:
    gate = Gate()
    graph = toy(answer=gate, settings=settings)
    running = pool.submit(graph.invoke, say("first"), on())
    assert gate.entered.wait(10)
    return graph, gate, running


def test_eight_threads_at_once_lose_no_turn_and_double_none(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path, settings=Guard(locks=FileLocks(tmp_path / "locks")))
    said = [f"{thread}.{turn}" for thread in range(8) for turn in range(4)]

    def run(thread: int) -> None:
        for turn in range(4):
            graph.invoke(say(f"{thread}.{turn}"), on())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(run, range(8)))
    kept = window(graph, on())
    assert sorted(kept) == sorted([f"human: {text}" for text in said] + [f"ai: re:{text}" for text in said])
    assert all(kept[i + 1] == f"ai: re:{kept[i][7:]}" for i in range(0, len(kept), 2))
    assert graph.get_state(on()).values["turn"].number == len(said)


async def test_eight_tasks_at_once_lose_no_turn(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)

    async def run(task: int) -> None:
        for turn in range(3):
            await graph.ainvoke(say(f"{task}.{turn}"), on())

    await asyncio.gather(*(run(task) for task in range(8)))
    assert len(window(graph, on())) == 48


def test_two_graphs_over_one_file_are_one_queue(tmp_path: Path) -> None:
    settings = Guard(locks=FileLocks(tmp_path / "locks"))
    graphs = [sqlite_toy(tmp_path, settings=settings) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda g: [g.invoke(say("x"), on()) for _ in range(5)], graphs))
    assert len(window(graphs[0], on())) == 20


def test_turns_of_two_threads_run_at_the_same_time() -> None:
    with ThreadPoolExecutor(1) as pool:
        graph, gate, running = busy_graph(Guard(lock_timeout=5), pool)
        graph.invoke(say("mine"), on("other"))
        gate.open.set()
        running.result(10)


def test_a_second_turn_waits_no_longer_than_it_should() -> None:
    with ThreadPoolExecutor(1) as pool:
        graph, gate, running = busy_graph(SHORT, pool)
        started = time.monotonic()
        with pytest.raises(ThreadBusy, match="'t'"):
            graph.invoke(say("second"), on())
        assert time.monotonic() - started < 5
        gate.open.set()
        running.result(10)
        graph.invoke(say("third"), on())
    assert window(graph, on()) == ["human: first", "ai: re:first", "human: third", "ai: re:third"]


async def test_a_second_turn_waits_without_blocking_the_loop() -> None:
    with ThreadPoolExecutor(1) as pool:
        graph, gate, running = busy_graph(Guard(lock_timeout=5), pool)
        waiting = asyncio.create_task(graph.ainvoke(say("second"), on()))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        gate.open.set()
        await waiting
        running.result(10)
    assert len(window(graph, on())) == 4


def test_an_update_during_a_turn_waits_for_its_end() -> None:
    with ThreadPoolExecutor(2) as pool:
        graph, gate, running = busy_graph(Guard(lock_timeout=5), pool)
        update = pool.submit(graph.update_state, on(), {"next_cut": ("a",)})
        time.sleep(0.05)
        assert not update.done()
        gate.open.set()
        update.result(10)
        running.result(10)
    assert graph.get_state(on()).values["next_cut"] == ("a",)
    assert window(graph, on()) == ["human: first", "ai: re:first"]


def test_a_turn_from_inside_a_turn_of_the_same_thread_is_refused_at_once() -> None:
    seen: list[BaseException] = []
    graphs: list[TurnGraph] = []

    def inside(state: TurnState) -> str:
        for call in (
            lambda: graphs[0].invoke(say("inner"), on()),
            lambda: asyncio.run(graphs[0].ainvoke(say("inner"), on())),
            lambda: graphs[0].update_state(on(), {"next_cut": ()}),
        ):
            with pytest.raises(ThreadBusy, match="inside") as caught:
                call()
            seen.append(caught.value)
        graphs[0].get_state(on())
        return "done"

    graphs.append(toy(answer=inside))
    started = time.monotonic()
    graphs[0].invoke(say("hi"), on())
    assert len(seen) == 3
    assert time.monotonic() - started < 10


def test_a_turn_of_another_thread_may_be_taken_from_inside_a_turn() -> None:
    graphs: list[TurnGraph] = []

    def inside(state: TurnState) -> str:
        if state.messages[-1].text == "outer":
            return str(graphs[0].invoke(say("inner"), on("other"))["messages"][-1].text)
        return "in"

    graphs.append(toy(answer=inside))
    assert graphs[0].invoke(say("outer"), on())["messages"][-1].text == "in"


def test_a_paused_stream_holds_the_thread_until_it_is_closed() -> None:
    graph = toy(settings=SHORT)
    stream = graph.stream(say("first"), on(), stream_mode="updates")
    next(stream)
    with pytest.raises(ThreadBusy):
        graph.invoke(say("second"), on())
    stream.close()
    graph.invoke(say("third"), on())
    assert window(graph, on())[-2:] == ["human: third", "ai: re:third"]
    assert "human: first" in window(graph, on())


async def test_a_cancelled_turn_lets_the_thread_go_and_keeps_the_message() -> None:
    gate = Gate()
    graph = toy(answer=gate, settings=Guard(lock_timeout=5))
    running = asyncio.create_task(graph.ainvoke(say("first"), on()))
    await asyncio.to_thread(gate.entered.wait, 10)
    running.cancel()
    gate.open.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    result = await graph.ainvoke(None, on())
    assert [m.text for m in result["messages"]] == ["first", "re:first"]


def test_a_failed_turn_lets_the_thread_go_and_goes_on_where_it_failed() -> None:
    fails = [True]

    def answer(state: TurnState) -> str:
        if fails.pop() if fails else False:
            raise RuntimeError("down")
        return echo(state)

    graph = toy(answer=answer, settings=SHORT)
    with pytest.raises(RuntimeError, match="down"):
        graph.invoke(say("first"), on())
    assert graph.invoke(None, on())["messages"][-1].text == "re:first"
    assert window(graph, on()) == ["human: first", "ai: re:first"]


def test_a_paused_stream_of_another_graph_over_the_same_files_is_waited_for_too(tmp_path: Path) -> None:
    settings = Guard(lock_timeout=0.2, locks=FileLocks(tmp_path / "locks"))
    stream = sqlite_toy(tmp_path, settings=settings).stream(say("first"), on(), stream_mode="updates")
    next(stream)
    other = sqlite_toy(tmp_path, settings=settings)
    with pytest.raises(ThreadBusy):
        other.invoke(say("second"), on())
    stream.close()
    other.invoke(say("third"), on())


def test_lock_files_are_the_owner_s_alone_and_their_names_tell_nothing(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path, settings=Guard(locks=FileLocks(tmp_path / "locks")))
    graph.invoke(say("hi"), on("../secret"))
    (file,) = (tmp_path / "locks").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert "secret" not in file.name


def test_a_turn_and_an_update_of_an_async_caller_take_their_turn() -> None:
    with ThreadPoolExecutor(1) as pool:
        graph, gate, running = busy_graph(Guard(lock_timeout=5), pool)

        async def update() -> None:
            waiting = asyncio.create_task(graph.aupdate_state(on(), {"next_cut": ("a",)}))
            await asyncio.sleep(0.05)
            assert not waiting.done()
            gate.open.set()
            await waiting

        asyncio.run(update())
        running.result(10)
    assert graph.get_state(on()).values["next_cut"] == ("a",)


class Stuck:
    """An outer lock whose server is gone when it is to be let go."""

    def try_acquire(self) -> bool:
        return True

    def release(self) -> None:
        raise StorageError("The server is gone.", "Look at it.")


def test_a_lock_that_cannot_be_let_go_holds_up_no_later_turn_of_the_process() -> None:
    for _ in range(2):
        with pytest.raises(StorageError), hold("here", "t1\0", lambda _: Stuck(), 0.2):
            pass
