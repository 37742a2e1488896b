"""The server is asked which template it renders: once when it answers, seldom while it does not."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from langchain_core.messages import HumanMessage

from ninefold.adapters.tokens import ServedCounter
from tests.wire.server import WireServer, nobody_there

MODEL = "qwen2.5:14b"


def questions(wire: WireServer) -> int:
    return sum(request.path == "/api/show" for request in wire.requests)


def test_a_server_that_answers_is_asked_once_however_many_count_at_once() -> None:
    with WireServer() as wire:
        counter = ServedCounter(wire.url, MODEL)
        assert wire.requests == [], "nothing is asked before the first count"
        with ThreadPoolExecutor(8) as pool:
            counts = list(pool.map(lambda _: counter.prompt([HumanMessage("你好")]), range(40)))
        assert len(set(counts)) == 1
        assert questions(wire) == 1


def test_a_server_that_does_not_know_the_model_is_left_alone_for_a_while() -> None:
    with WireServer(models=["other"]) as wire:
        counter = ServedCounter(wire.url, MODEL)
        for _ in range(40):
            counter.text("你好")
        assert questions(wire) == 1
        assert counter.exact, "the model's name alone tells enough"


def test_after_a_while_it_is_asked_again() -> None:
    with WireServer(models=["other"]) as wire:
        counter = ServedCounter(wire.url, MODEL, ask_again=0.2)
        counter.text("你好")
        time.sleep(0.3)
        counter.text("你好")
        counter.text("你好")
        assert questions(wire) == 2


def test_a_server_that_is_down_costs_one_short_wait() -> None:
    counter = ServedCounter(nobody_there(), MODEL)
    counter.text("你好")
    began = time.monotonic()
    for _ in range(200):
        counter.text("你好")
    assert time.monotonic() - began < 1
