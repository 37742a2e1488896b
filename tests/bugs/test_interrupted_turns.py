"""A turn that is stopped inside a tool or a model call bricks no thread: its call is closed and told of (BUG-03)."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool

from ninefold import history
from ninefold.policies.notices import notice
from ninefold.state import Language
from tests.turn.agents import Agent, Body, agent, config
from tests.wire.replies import Call, Hang, Reply, Say

ASKED = {Language.CHINESE: "库存里有几个灯泡？", Language.ENGLISH: "How many bulbs are in stock?"}
THEN = {Language.CHINESE: "那就算了，谢谢。", Language.ENGLISH: "Never mind, thank you."}
LANGUAGES = [Language.CHINESE, Language.ENGLISH]
PATIENCE = 60
AGAIN, ELSE = "it is taken up again", "something else is said"

WORKER = """
import sys, time
from pathlib import Path
from langchain_core.tools import tool
from ninefold import build_graph
from tests.turn.agents import config, settings

folder, url, text = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

@tool
def stock() -> str:
    "Count what is in stock."
    with (folder / "effects").open("a") as file:
        file.write("ran\\n")
    time.sleep(60)
    return "never"

graph = build_graph(settings(url, folder, memory=False), tools=[stock])
graph.invoke({"messages": [("user", text)]}, config())
"""


def given(text: str) -> Any:
    return {"messages": [{"role": "user", "content": text}]}


def assert_closed(body: Body, language: Language) -> None:
    """Every call of a request has its result right behind it, and the one that was stopped says so."""
    results = [message for message in body["messages"] if message["role"] == "tool"]
    calls = [call for message in body["messages"] for call in message.get("tool_calls") or ()]
    assert len(results) == len(calls) == 1
    lost = (notice("call_interrupted", language), notice("tool_interrupted", language, name="stock"))
    assert results[0]["content"] in lost


def assert_goes_on(told: Agent, language: Language, *, in_tool: bool) -> None:
    assert told.say(THEN[language]) == "OK."
    if in_tool:
        assert_closed(told.wire.chats[-1], language)
    spoken = [message.text for message in history(told.graph, config()) if message.type == "human"]
    assert spoken == [ASKED[language], THEN[language]]
    assert told.say(THEN[language]) == "OK."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("inside", ["a sync tool", "an async tool", "a model call"])
def test_a_cancelled_turn_leaves_a_thread_that_goes_on(tmp_path: Path, language: Language, inside: str) -> None:
    entered, leave = threading.Event(), threading.Event()

    @tool
    def stock() -> str:
        """Count what is in stock."""
        entered.set()
        assert leave.wait(PATIENCE)
        return "never seen"

    async def slow() -> str:
        entered.set()
        await asyncio.sleep(PATIENCE)
        return "never seen"

    if inside == "an async tool":
        stock.coroutine = slow
    replies: list[Reply | str] = [Hang(PATIENCE)] if inside == "a model call" else [Call("stock")]

    async def stopped(told: Agent) -> None:
        running = asyncio.create_task(told.graph.ainvoke(given(ASKED[language]), config()))
        await asyncio.to_thread(told.wire.wait_for_chats, 1)
        assert inside == "a model call" or await asyncio.to_thread(entered.wait, PATIENCE)
        running.cancel()
        leave.set()
        with pytest.raises(asyncio.CancelledError):
            await running

    with agent(tmp_path, replies, tools=[stock], memory=False) as told:
        asyncio.run(stopped(told))
        assert_goes_on(told, language, in_tool=inside != "a model call")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("sent", "then"),
    [(signal.SIGTERM, ELSE), (signal.SIGINT, AGAIN), (signal.SIGKILL, ELSE)],
    ids=["SIGTERM", "Ctrl-C", "SIGKILL"],
)
def test_a_process_that_is_ended_inside_a_tool_leaves_a_thread_that_goes_on(
    tmp_path: Path, language: Language, sent: signal.Signals, then: str
) -> None:
    @tool
    def stock() -> str:
        """Count what is in stock."""
        raise AssertionError("run again")

    effects = tmp_path / "effects"
    effects.touch()
    with agent(tmp_path, [Call("stock"), Say("OK.")], tools=[stock], memory=False) as told:
        words = [sys.executable, "-c", WORKER, str(tmp_path), told.wire.url, ASKED[language]]
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as running:
            told.wire.wait_for_chats(1, seconds=PATIENCE)
            while not effects.read_text():
                assert running.poll() is None
            running.send_signal(sent)
            assert running.wait(10) != 0
        if then == AGAIN:
            assert told.graph.invoke(None, config())["messages"][-1].text == "OK."
            assert_closed(told.wire.chats[-1], language)
        else:
            assert_goes_on(told, language, in_tool=True)
    assert effects.read_text() == "ran\n"
