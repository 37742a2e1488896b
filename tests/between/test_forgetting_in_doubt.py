"""A rule is forgotten by its words; what may be no request to forget is asked back, and nothing goes meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.turn.agents import agent, whole_prompt

from .test_forgetting import files_holding
from .test_forgetting_by_chat import forgot


@pytest.mark.parametrize(
    ("told", "request_", "words"),
    [
        ("以后报价都不要用美元。", "忘掉不要用美元这条规则", "不要用美元"),
        ("From now on never use dollars.", "Forget the rule never use dollars.", "never use dollars"),
    ],
)
def test_a_rule_that_is_named_by_its_words_without_quotation_marks_is_forgotten_and_not_only_taken_back(
    tmp_path: Path, told: str, request_: str, words: str
) -> None:
    with agent(tmp_path) as a:
        a.say(told)
        assert words in a.values()["constraints"][0].words
        a.say(request_)
        assert a.values()["constraints"] == ()
        assert files_holding(tmp_path, words) == []


@pytest.mark.parametrize("request_", ["请忘记不要用表格", "Please forget never use tables."])
def test_a_request_to_forget_a_rule_that_nobody_gave_is_none(tmp_path: Path, request_: str) -> None:
    with agent(tmp_path) as a:
        a.say(request_)
        parts = a.graph._guard.parts
        memory: Any = parts.memory if parts else None
        assert a.values()["constraints"] == ()
        assert memory.records("ann") == ()


@pytest.mark.parametrize(
    ("told", "request_", "hint", "then"),
    [
        ("我喜欢用Python写脚本。", "忘掉你知道的关于Python的一切", "没有忘记：Python", "忘掉我说过的Python"),
        (
            "I prefer Python for scripts.",
            "Forget everything you know about Python.",
            "Not forgotten: Python",
            "Forget what I said about Python.",
        ),
    ],
)
def test_what_may_be_no_request_is_asked_back_and_done_when_it_is_said_again(
    tmp_path: Path, told: str, request_: str, hint: str, then: str
) -> None:
    with agent(tmp_path) as a:
        a.say(request_)
        assert forgot(a) == []
        a.say(told)
        a.say(request_)
        assert hint in a.values()["outcome"].notes[0]
        assert hint in whole_prompt(a.wire.chats[-1])
        assert told in [message.text for message in a.values()["messages"]]
        a.say(then)
        assert files_holding(tmp_path, "Python") == []
