"""A turn that is told to stop ends at once, lets its thread go, and is taken up where it stood."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool

from ninefold import history
from tests.cli.shell import Shell
from tests.turn.agents import Agent, agent, config
from tests.wire.replies import Call, Hang, Say
from tests.wire.server import WireServer

SLOW = Say("一二三四五" * 100, pieces=200, pause=0.1)


def ask(text: str) -> Any:
    return {"messages": [{"role": "user", "content": text}]}


def spoken(told: Agent) -> list[str]:
    return [f"{message.type}: {message.text}" for message in history(told.graph, config())]


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["SIGTERM", "Ctrl-C"])
def test_a_signal_ends_a_chat_in_the_middle_of_a_reply_and_the_turn_can_be_taken_up(
    tmp_path: Path, sent: signal.Signals, status: int
) -> None:
    (tmp_path / "agent.yaml").write_text("agent:\n  memory: off\n", encoding="utf-8")
    with WireServer([SLOW]) as wire:
        shell = Shell(tmp_path, wire.url)
        words = shell.command("chat", "--thread", "t1", "--agent", str(tmp_path / "agent.yaml"), "--say", "写一首长诗")
        running = subprocess.Popen(words, env=shell.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wire.wait_for_chats(1, seconds=60)
        began = time.monotonic()
        running.send_signal(sent)
        output, errors = running.communicate(timeout=60)
        took = time.monotonic() - began
        assert (running.returncode, output) == (status, b"")
        assert b"Traceback" not in errors
        assert len(errors.splitlines()) <= 1, "no more than that the folder is begun"
        assert took < 4, "two seconds, and as much again for a busy machine"
        with agent(tmp_path, ["好"], memory=False) as told:
            told.graph.invoke(None, config(user="local"))
            values = told.graph.get_state(config(user="local")).values
    assert [f"{message.type}: {message.text}" for message in values["messages"]] == ["human: 写一首长诗", "ai: 好"]


@pytest.mark.parametrize("stop", ["cancel", "close"])
async def test_a_stopped_async_turn_lets_its_thread_go_at_once(tmp_path: Path, stop: str) -> None:
    with agent(tmp_path, [Hang(20), "好"] if stop == "cancel" else ["好"], memory=False) as told:
        if stop == "cancel":
            running = asyncio.create_task(told.graph.ainvoke(ask("在吗？"), config()))
            await asyncio.to_thread(told.wire.wait_for_chats, 1)
            began = time.monotonic()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
        else:
            stream = told.graph.astream(ask("在吗？"), config(), stream_mode="updates")
            async for part in stream:
                if "turn_start" in part:
                    break
            began = time.monotonic()
            await stream.aclose()
        result = await told.graph.ainvoke(None, config())
        assert time.monotonic() - began < 4
        assert result["messages"][-1].text == "好"
        assert spoken(told) == ["human: 在吗？", "ai: 好"]


def test_a_closed_stream_lets_its_thread_go(tmp_path: Path) -> None:
    with agent(tmp_path, memory=False) as told:
        stream = told.graph.stream(ask("在吗？"), config(), stream_mode="updates")
        next(stream)
        stream.close()
        told.graph.invoke(None, config())
        assert spoken(told) == ["human: 在吗？", "ai: OK."]


def test_the_same_input_under_the_same_turn_id_is_the_same_turn(tmp_path: Path) -> None:
    def taken(text: str, turn: str) -> str:
        where: RunnableConfig = {"configurable": {"thread_id": "t1", "user_id": "ann", "turn_id": turn}}
        return str(told.graph.invoke(ask(text), where)["messages"][-1].text)

    with agent(tmp_path, ["一", "二"], memory=False) as told:
        assert [taken("甲", "a"), taken("甲", "a"), taken("乙", "b")] == ["一", "一", "二"]
        assert [taken("甲", "a"), taken("乙", "b")] == ["一", "二"]
        assert len(told.wire.chats) == 2
        assert spoken(told) == ["human: 甲", "ai: 一", "human: 乙", "ai: 二"]


def test_every_tool_call_has_a_key_of_its_own_whatever_the_model_calls_it(tmp_path: Path) -> None:
    keys: list[str] = []

    @tool
    def pay(amount: int, config: RunnableConfig) -> str:
        """Pay an amount."""
        keys.append(str((config.get("metadata") or {}).get("tool_call_id")))
        return "paid"

    call = Call("pay", {"amount": 1})
    twice = Call("pay", {"amount": 1}, more=(("pay", {"amount": 1}),))
    with agent(tmp_path, [call, twice, "好", call, "好"], tools=[pay], memory=False) as told:
        told.say("付款。")
        told.say("再付。")
    assert len(keys) == 4
    assert len(set(keys)) == 4
