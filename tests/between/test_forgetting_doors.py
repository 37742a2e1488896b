"""Whichever way a person asks, the same goes: what a memory tells goes with it, and the lines that a chat keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from ninefold.cli import run
from ninefold.console.conversation import Conversation
from ninefold.console.lines import kept_lines, scrub
from ninefold.graph.forgetting import forget
from ninefold.state import MemoryRecord
from tests.turn.agents import Agent, agent, config

from .test_forgetting import files_holding

LINES = "chat_history"


def typed(folder: Path, *lines: str) -> None:
    """Keep lines as a terminal's chat does."""
    entries = [f"\n# 2030-01-0{day}\n+{line}\n" for day, line in enumerate(lines, 1)]
    (folder / LINES).write_text("".join(entries), encoding="utf-8")


def talking(a: Agent, folder: Path) -> Conversation:
    return Conversation(a.graph, "t1", "ann", num_ctx=8192, folder=folder)


def said(a: Agent, folder: Path, words: str) -> None:
    async def play() -> None:
        async for _ in talking(a, folder).say(words):
            pass

    asyncio.run(play())


def records(a: Agent) -> tuple[MemoryRecord, ...]:
    parts = a.graph._guard.parts
    assert parts is not None
    assert parts.memory is not None
    return parts.memory.records("ann")


def in_code(a: Agent, _: Path, what: str) -> None:
    forget(a.graph, config(), what)


def in_a_chat(a: Agent, folder: Path, what: str) -> None:
    talking(a, folder).forget(what)


def by_command(_: Agent, __: Path, what: str) -> None:
    assert run(["memory", "forget", what, "--user", "ann"]) == 0


@pytest.mark.parametrize(
    ("told", "reply", "value", "door"),
    [
        ("我的手机号是 13900001234。", "记下了：13900001234。", "13900001234", in_a_chat),
        ("My address is 12 Elm Street.", "Noted: 12 Elm Street it is.", "12 Elm Street", by_command),
        ("请记住我的门禁密码是 kiwi-778899。", "好的。", "kiwi-778899", in_a_chat),
        ("Remember that my wifi password is kiwi-778899.", "OK.", "kiwi-778899", in_code),
    ],
)
def test_with_a_memory_goes_what_it_tells_wherever_it_stands(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    told: str,
    reply: str,
    value: str,
    door: Callable[[Agent, Path, str], None],
) -> None:
    with agent(tmp_path, [reply]) as a:
        monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
        monkeypatch.setenv("OLLAMA_HOST", a.wire.url)
        a.say(told)
        (record,) = records(a)
        if door is not in_code:
            typed(tmp_path, told, f"> {value}", "你好")
        door(a, tmp_path, record.id)
        assert records(a) == ()
        assert files_holding(tmp_path, value) == []
        assert door is in_code or "你好" in (tmp_path / LINES).read_text(encoding="utf-8")


async def test_a_line_that_was_forgotten_is_not_brought_up_again_in_the_same_chat(tmp_path: Path) -> None:
    typed(tmp_path, "I hate durian.", "你好")
    lines = kept_lines(tmp_path / LINES)
    assert [line async for line in lines.load()] == ["你好", "I hate durian."]
    scrub(tmp_path / LINES, ("durian",))
    lines.append_string("再见")
    assert [line async for line in lines.load()] == ["再见", "你好"]


@pytest.mark.parametrize(
    ("told", "request_", "word"),
    [("我讨厌榴莲。", "忘掉榴莲", "榴莲"), ("I hate durian.", "Forget durian.", "durian")],
)
def test_the_kept_lines_lose_what_was_forgotten_and_nothing_where_nothing_was_meant(
    tmp_path: Path, told: str, request_: str, word: str
) -> None:
    with agent(tmp_path) as a:
        typed(tmp_path, told, request_)
        said(a, tmp_path, request_)
        assert (tmp_path / LINES).read_text(encoding="utf-8").count(word) == 2
        said(a, tmp_path, told)
        said(a, tmp_path, request_)
        assert files_holding(tmp_path, word) == []


@pytest.mark.parametrize(
    ("told", "request_"),
    [("I live at 12 Elm Street.", "Please forget my address."), ("我住在苏州莲花路十二号。", "请忘掉我的地址。")],
)
def test_a_memory_that_does_not_say_what_it_is_is_forgotten_by_what_it_is_about(
    tmp_path: Path, told: str, request_: str
) -> None:
    with agent(tmp_path) as a:
        a.say(told)
        a.say(request_)
        assert records(a) == ()
        assert files_holding(tmp_path, told.rstrip(".。")) == []
