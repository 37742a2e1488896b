"""Turns that come at once on one thread are all kept, in some order; threads do not wait for each other (BUG-44)."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool

from ninefold import build_graph, history
from ninefold.state import ModelUnavailable, ThreadBusy
from tests.turn.agents import agent, config
from tests.wire.replies import Call, Hang

WORDS = {"zh": "第 {n} 个问题在这里。", "en": "Question number {n} is here."}


def given(text: str) -> Any:
    return {"messages": [{"role": "user", "content": text}]}


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("way", ["threads", "tasks", "two agents"])
def test_eight_turns_at_once_on_one_thread_are_all_kept(tmp_path: Path, language: str, way: str) -> None:
    said = [WORDS[language].format(n=n) for n in range(8)]
    with agent(tmp_path, memory=False) as told:
        graphs = [told.graph, build_graph(told.settings) if way == "two agents" else told.graph]

        async def tasks() -> None:
            await asyncio.gather(*(told.graph.ainvoke(given(text), config()) for text in said))

        if way == "tasks":
            asyncio.run(tasks())
        else:
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda n: graphs[n % 2].invoke(given(said[n]), config()), range(8)))
        kept = [message.text for message in history(told.graph, config())]
        assert sorted(kept[::2]) == sorted(said)
        assert kept[1::2] == ["OK."] * 8
        assert told.values()["turn"].number == 8


@pytest.mark.parametrize("language", WORDS)
def test_who_waits_too_long_is_told_and_nothing_of_its_turn_is_kept(tmp_path: Path, language: str) -> None:
    first, second, third = (WORDS[language].format(n=n) for n in range(3))
    with agent(tmp_path, [Hang(60)], memory=False) as told, ThreadPoolExecutor(1) as pool:
        stored = told.settings.storage.model_copy(update={"lock_timeout": 0.3})
        other = build_graph(told.settings.model_copy(update={"storage": stored}))
        running = pool.submit(told.say, first)
        told.wire.wait_for_chats(1)
        with pytest.raises(ThreadBusy, match="'t1'"):
            other.invoke(given(second), config())
        assert [m.text for m in other.get_state(config()).values["messages"]] == [first]
        told.wire.down()
        with pytest.raises(ModelUnavailable):
            running.result(60)
        told.wire.up()
        other.invoke(given(third), config())
        spoken = [m.text for m in history(other, config()) if m.type == "human"]
        assert spoken == [first, third]


@pytest.mark.parametrize("language", WORDS)
def test_turns_of_two_threads_run_at_the_same_time(tmp_path: Path, language: str) -> None:
    both = threading.Barrier(2)

    @tool
    def meet() -> str:
        """Wait for the other."""
        both.wait(60)
        return "met"

    with agent(tmp_path, [Call("meet"), Call("meet")], tools=[meet], memory=False) as told:
        text = WORDS[language].format(n=1)
        with ThreadPoolExecutor(2) as pool:
            replies = list(pool.map(lambda thread: told.say(text, thread), ["t1", "t2"]))
        assert replies == ["OK.", "OK."]
        assert not both.broken
