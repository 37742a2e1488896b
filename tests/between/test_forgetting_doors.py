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


def test_a_secret_that_is_forgotten_by_asking_goes_from_other_threads_and_from_the_kept_lines(tmp_path: Path) -> None:
    with agent(tmp_path, ["Noted: kiwi-778899 it is."]) as a:
        a.say("Remember that my wifi password is kiwi-778899.")
        a.say("I typed kiwi-778899 into the router", thread="t2")
        typed(tmp_path, "try kiwi-778899 at the door", "hello")
        said(a, tmp_path, "Please forget my wifi password.")
        assert records(a) == ()
        assert files_holding(tmp_path, "kiwi-778899") == []
        assert "hello" in (tmp_path / LINES).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("told", "beside", "kept"),
    [
        ("My dentist appointment is on 2026-12-24.", "Remember: the contract is signed on 2026-12-24.", "contract"),
        ("我的牙医预约是2026年12月24日。", "请记住合同在2026年12月24日签署。", "合同"),
        ("My budget is 120000 dollars.", "Remember: the machine costs 120000 dollars.", "machine"),
    ],
)
def test_with_a_memory_goes_nothing_that_only_names_the_same_day_or_amount(
    tmp_path: Path, told: str, beside: str, kept: str
) -> None:
    with agent(tmp_path) as a:
        a.say(told)
        a.say(beside, thread="t2")
        (record,) = [each for each in records(a) if kept not in each.text]
        forget(a.graph, config(), record.id)
        assert [kept in each.text for each in records(a)] == [True]
        assert beside in [message.text for message in a.graph.get_state(config("t2")).values["messages"]]


def test_of_a_message_with_two_secrets_only_the_one_that_is_meant_goes(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        a.say("Remember that my wifi password is kiwi-778899. Remember that my card number is 4111111111111111.")
        a.say("pay the rent with card 4111111111111111", thread="t2")
        (wifi,) = [each for each in records(a) if "wifi" in each.text]
        forget(a.graph, config(), wifi.id)
        assert "pay the rent with card 4111111111111111" in [
            message.text for message in a.graph.get_state(config("t2")).values["messages"]
        ]


@pytest.mark.parametrize(
    ("told", "edit"),
    [
        ("Remember: my name is Ann Example.", "Remove my name and put the landlord's there."),
        ("请记住我的名字是安例文。", "把我的名字删掉，换成房东的名字"),
    ],
)
def test_an_edit_of_a_text_forgets_nothing(tmp_path: Path, told: str, edit: str) -> None:
    with agent(tmp_path) as a:
        a.say(told)
        (name,) = records(a)
        a.say(edit)
        assert name.text in [each.text for each in records(a)]
