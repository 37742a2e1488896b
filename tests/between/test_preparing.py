"""A summary made in idle time: the turn that cuts calls no model for it, and nothing else of the thread changes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from ninefold import aprepare, build_graph, prepare
from ninefold.graph.forgetting import forget
from ninefold.state import (
    AgentSettings,
    ContextPolicy,
    IdentityError,
    ModelSettings,
    StorageSettings,
)
from tests.turn.agents import MODEL, Agent, Body, config, server_count
from tests.wire.replies import Hang, Reply, Say
from tests.wire.server import WireServer

from .test_forgetting import files_holding

SAID = {
    "zh": "第 {} 段说明：" + "这里写得更细一些，" * 12 + "图标用线条的。",
    "en": "Paragraph {}: " + "here it is told at greater length, " * 8 + "the icons are made of lines.",
}
NOTHING = json.dumps({"decisions": [], "next_steps": [], "other_facts": []})


def is_summary(body: Body) -> bool:
    return "decisions" in (body.get("format") or {}).get("properties", {})


@contextmanager
def summarising(folder: Path, summary: Reply | None = None, **more: Any) -> Iterator[Agent]:
    """Give an agent whose chat model makes its summaries, and that cuts at 900 tokens."""

    def answer(body: Body) -> Reply:
        return (summary or Say(NOTHING)) if is_summary(body) else Say("好的。")

    with WireServer(answer, count=server_count) as wire:
        settings = AgentSettings(
            model=ModelSettings(base_url=wire.url, model_name=MODEL),
            memory="off",
            context_policy=ContextPolicy(summary_threshold_tokens=900, recent_keep=40, key_turns=0),
            storage=StorageSettings(folder=str(folder)),
            **more,
        )
        yield Agent(build_graph(settings), wire, settings)


def until_noted(a: Agent, language: str) -> int:
    for number in range(1, 30):
        a.say(SAID[language].format(number))
        if a.values()["next_cut"]:
            return number
    raise AssertionError("no cut was noted")


def until_cut(a: Agent, language: str, number: int) -> None:
    for later in range(number + 1, number + 30):
        a.say(SAID[language].format(later))
        if a.values()["counters"].compactions:
            return
    raise AssertionError("nothing was cut")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_cut_that_was_prepared_calls_no_model_for_its_summary(tmp_path: Path, language: str) -> None:
    with summarising(tmp_path) as a:
        number = until_noted(a, language)
        before, asked = a.graph.get_state(config()), len(a.wire.chats)
        assert prepare(a.graph, config())
        assert a.graph.get_state(config()) == before
        (made,) = a.wire.chats[asked:]
        assert is_summary(made)
        # What the server has read of the last prompt stands unchanged before the instruction.
        last = a.wire.chats[asked - 1]["messages"]
        assert made["messages"][: len(last)] == last
        until_cut(a, language, number)
        assert [is_summary(body) for body in a.wire.chats].count(True) == 1


def test_what_was_prepared_is_found_after_a_restart(tmp_path: Path) -> None:
    with summarising(tmp_path) as a:
        number = until_noted(a, "zh")
        assert prepare(a.graph, config())
        again = Agent(build_graph(a.settings), a.wire, a.settings)
        until_cut(again, "zh", number)
        assert [is_summary(body) for body in a.wire.chats].count(True) == 1


def test_below_the_soft_mark_and_without_a_model_there_is_nothing_to_prepare(tmp_path: Path) -> None:
    with summarising(tmp_path / "a") as a:
        a.say("你好。")
        assert not prepare(a.graph, config())
        assert not prepare(a.graph, config("never begun"))
    with summarising(tmp_path / "b", light_model="none") as b:
        until_noted(b, "zh")
        asked = len(b.wire.chats)
        assert not prepare(b.graph, config())
        assert len(b.wire.chats) == asked


def test_another_user_s_thread_is_not_prepared(tmp_path: Path) -> None:
    with summarising(tmp_path) as a:
        until_noted(a, "zh")
        with pytest.raises(IdentityError):
            prepare(a.graph, config(user="bob"))


def test_cancelling_ends_the_model_s_work_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with summarising(tmp_path, Hang(60)) as a:
        number = until_noted(a, "zh")
        asked = len(a.wire.chats)

        async def begun_and_cancelled() -> None:
            running = asyncio.ensure_future(aprepare(a.graph, config()))
            await asyncio.to_thread(a.wire.wait_for_chats, asked + 1)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

        asyncio.run(begun_and_cancelled())
        assert a.say(SAID["zh"].format(number + 1)) == "好的。"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_is_forgotten_while_a_summary_is_made_of_it_is_not_kept(tmp_path: Path, language: str) -> None:
    go_on = Event()
    with summarising(tmp_path, Say(NOTHING, released=go_on)) as a, ThreadPoolExecutor(1) as beside:
        a.say({"zh": "项目代号是 XQ-20931。", "en": "The project's code is XQ-20931."}[language])
        until_noted(a, language)
        asked = len(a.wire.chats)
        running = beside.submit(prepare, a.graph, config())
        a.wire.wait_for_chats(asked + 1)
        assert forget(a.graph, config(), "XQ-20931").messages
        go_on.set()
        assert running.result(timeout=60)
        assert files_holding(tmp_path, "XQ-20931") == []


def test_the_prompt_log_tells_of_it(tmp_path: Path) -> None:
    with summarising(tmp_path, prompt_log=True) as a:
        until_noted(a, "zh")
        assert prepare(a.graph, config())
    (log,) = (tmp_path / "prompts").glob("*.jsonl")
    last = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    assert (last["purpose"], last["thread"]) == ("summary", "t1")
