"""A session is the same session wherever it lies: in SQLite files, or in a Postgres that many machines share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ninefold import history
from ninefold.state import IdentityError, ThreadBusy
from ninefold.state.turn_state import TurnState
from tests.postgres.agents import PATIENCE, Place, config, said
from tests.turn.agents import server_count
from tests.wire.replies import Call, Hang, Reply, Say
from tests.wire.server import Body, WireServer

REQUEST = "[当前请求]\n"


class Words:
    """What the model says; it can be made to hang."""

    hangs = False

    def __call__(self, body: Body) -> Reply:
        last = body["messages"][-1]
        if last["role"] == "user" and "下单" in last["content"]:
            return Call("order", {"item": "灯泡"})
        if self.hangs:
            return Hang(60)
        # A rule that was just said stands before the words.
        return Say(f"re:{last['content'].split(REQUEST)[-1]}")


@pytest.fixture
def words() -> Words:
    return Words()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path, postgres: Callable[[], str], words: Words) -> Iterator[Place]:
    with WireServer(words, count=server_count) as wire:
        yield Place(wire.url, tmp_path, postgres() if request.param == "postgres" else None)


def texts(place: Place, thread: str = "t") -> list[str]:
    """The whole history as an agent of another process reads it."""
    return [message.text for message in history(place.graph(), config(thread))]


def state(place: Place, thread: str = "t") -> TurnState:
    return TurnState.model_validate(place.graph().get_state(config(thread)).values)


def wait_for(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_what_one_process_was_told_the_next_one_knows(place: Place) -> None:
    first = place.process("你好", "不要用红色。")
    first.go()
    assert first.ended() == 0
    graph = place.graph()
    graph.invoke(said("谢谢"), config())
    assert texts(place) == ["你好", "re:你好", "不要用红色。", "re:不要用红色。", "谢谢", "re:谢谢"]
    assert [each.words for each in state(place).constraints] == ["不要用红色"]
    assert len(list(graph.get_state_history(config()))) == 3


async def test_an_async_caller_takes_the_same_turns(place: Place) -> None:
    graph = place.graph()
    await graph.ainvoke(said("一"), config())
    parts = [part async for part in graph.astream(said("二"), config(), stream_mode="values")]
    assert parts[-1]["messages"][-1].text == "re:二"
    assert await asyncio.to_thread(texts, place) == ["一", "re:一", "二", "re:二"]
    found = [each async for each in graph.aget_state_history(config())]
    assert len(found) == 2


def test_threads_of_two_agents_lose_no_turn(place: Place) -> None:
    graphs = [place.graph(), place.graph()]
    wanted = [f"{number}" for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda text: graphs[int(text) % 2].invoke(said(text), config()), wanted))
    told = texts(place)
    assert sorted(told[::2]) == sorted(wanted)
    assert told[1::2] == [f"re:{text}" for text in told[::2]]


def test_two_processes_share_a_thread_and_keep_their_own(place: Place) -> None:
    workers = [place.process(*(f"{name}{turn}" for turn in range(4))) for name in "ab"]
    for worker in workers:
        worker.go()
    assert [worker.ended() for worker in workers] == [0, 0]
    told = texts(place)
    assert sorted(told[::2]) == [f"{name}{turn}" for name in "ab" for turn in range(4)]
    assert told[1::2] == [f"re:{text}" for text in told[::2]]
    turn = state(place).turn
    assert turn is not None
    assert turn.number == 8


def test_a_turn_waits_for_another_process_a_bounded_time(place: Place, words: Words) -> None:
    words.hangs = True
    worker = place.process("一")
    worker.go()
    graph = place.graph(lock_timeout=0.4)
    try:
        wait_for(lambda: graph.get_state(config()).next == ("model_call",))
        with pytest.raises(ThreadBusy):
            graph.invoke(said("二"), config())
        words.hangs = False
        graph.invoke(said("三"), config("another thread"))
    finally:
        worker.kill()
    assert texts(place, "another thread") == ["三", "re:三"]


@pytest.mark.parametrize(("text", "then"), [("你好", "followed"), ("请下单", "resumed")])
def test_a_killed_turn_is_taken_up_elsewhere_and_nothing_is_doubled(
    place: Place, words: Words, text: str, then: str
) -> None:
    place.graph().invoke(said("零"), config())
    words.hangs = True
    worker = place.process(text)
    worker.go()
    graph = place.graph(lock_timeout=20)
    wait_for(lambda: graph.get_state(config()).next == ("model_call",) and len(place.effects()) == (text == "请下单"))
    worker.kill()
    words.hangs = False
    end = "re:灯泡 已下单" if text == "请下单" else "re:你好"
    tools = ["", "灯泡 已下单"] if text == "请下单" else []
    if then == "resumed":
        graph.invoke(None, config())
        assert texts(place) == ["零", "re:零", text, *tools, end]
    else:
        graph.invoke(said("三"), config())
        assert texts(place) == ["零", "re:零", text, *tools, "三", f"re:{text}\n\n三"]
    assert place.effects() == (["灯泡"] if text == "请下单" else [])
    assert len(list(graph.get_state_history(config()))) in (2, 3)


def test_both_branches_of_a_fork_go_on(place: Place) -> None:
    graph = place.graph()
    for text in ("一", "二"):
        graph.invoke(said(text), config())
    first = list(graph.get_state_history(config()))[-1].config.get("configurable", {})
    graph.invoke(said("三"), config(checkpoint_id=first["checkpoint_id"]))
    assert texts(place) == ["一", "re:一", "三", "re:三"]
    graph.invoke(said("四"), config())
    assert texts(place) == ["一", "re:一", "三", "re:三", "四", "re:四"]
    assert len(list(graph.get_state_history(config()))) == 4


def test_a_question_is_answered_in_another_process(place: Place) -> None:
    graph = place.graph()
    graph.invoke(said("不要用红色。"), config())
    graph.invoke(said("主色用红色。"), config())
    assert graph.get_state(config()).next == ("conflict_confirmation",)
    other = place.process("replace")
    other.go()
    assert other.ended() == 0
    assert [each.words for each in state(place).constraints] == ["主色用红色"]


def test_a_thread_belongs_to_who_opened_it(place: Place) -> None:
    graph = place.graph()
    graph.invoke(said("一"), config())
    with pytest.raises(IdentityError):
        graph.invoke(said("二"), config(user="bob"))


def test_turns_that_are_too_old_are_gone_and_the_rest_can_be_gone_back_to(place: Place) -> None:
    graph = place.graph(history_turns=3)
    for number in range(6):
        graph.invoke(said(f"{number}"), config())
    kept = list(graph.get_state_history(config()))
    assert [each.values["turn"].number for each in kept] == [6, 5, 4]
    assert len(texts(place)) == 12
