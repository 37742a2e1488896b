"""A rule that is ended by hand holds no longer, in later threads neither; no other rule ends with it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ninefold.console.conversation import Conversation
from ninefold.console.reports import constraints
from ninefold.graph.ending import end
from ninefold.graph.forgetting import forget
from ninefold.graph.in_force import constraints_in_force
from ninefold.state import InputError, Language
from ninefold.wording import Wording
from tests.turn.agents import Agent, agent, config

from .test_forgetting import files_holding


def held(a: Agent, thread: str = "t1") -> list[str]:
    return [each.words for each in constraints_in_force(a.graph, config(thread))]


@pytest.mark.parametrize(
    ("short", "longer", "hello"),
    [
        ("Always answer in French", "Always answer in French when I write about wine", "Hello."),
        ("以后都不要用缩写", "以后都不要用缩写和表情", "你好。"),
    ],
)
def test_only_the_rule_that_was_named_ends(tmp_path: Path, short: str, longer: str, hello: str) -> None:
    with agent(tmp_path) as a:
        a.say(short)
        a.say(longer, thread="t2")
        (gone,) = (each for each in constraints_in_force(a.graph, config()) if each.words == short)
        assert end(a.graph, config(), gone.id) == gone
        assert short not in held(a)
        a.say(hello, thread="t3")
        assert short not in held(a, "t3")
        assert longer in held(a, "t3")
        with pytest.raises(InputError):
            end(a.graph, config(), gone.id)


@pytest.mark.parametrize(
    ("rules", "named", "ended", "shared"),
    [
        (("以后不要用红色。", "以后不要用表格。"), "红色", "以后不要用红色", "不要用"),
        (
            ("From now on never use red.", "From now on never use tables."),
            "RED",
            "From now on never use red",
            "never use",
        ),
    ],
)
def test_a_rule_is_named_by_words_that_no_other_has(
    tmp_path: Path, rules: tuple[str, str], named: str, ended: str, shared: str
) -> None:
    with agent(tmp_path) as a:
        for rule in rules:
            a.say(rule)
        a.say("Always list the required fields")
        before = held(a)
        with pytest.raises(InputError, match="More than one"):
            end(a.graph, config(), shared)
        for wrong in ("blue", "quire", "", "。"):
            with pytest.raises(InputError, match="No constraint that holds has the words"):
                end(a.graph, config(), wrong)
        assert held(a) == before
        assert end(a.graph, config(), named).words == ended
        assert held(a) == [words for words in before if words != ended]


@pytest.mark.parametrize(
    ("rule", "other"),
    [("所有金额都用人民币", "所有金额都用美元"), ("Always answer in English", "Always answer in French")],
)
def test_a_rule_that_took_anothers_place_is_ended_by_its_words(tmp_path: Path, rule: str, other: str) -> None:
    with agent(tmp_path, on_conflict="newest", memory=False) as a:
        a.say(rule)
        a.say(other)
        assert end(a.graph, config(), other).words == other
        assert rule not in held(a)


def conversation(a: Agent) -> Conversation:
    return Conversation(a.graph, "t1", "ann", num_ctx=8192, folder=Path(a.settings.storage.folder or ""))


@pytest.mark.parametrize(
    ("language", "said", "warning"),
    [
        (Language.CHINESE, "以后都不要用缩写", "无法查询记忆"),
        (Language.ENGLISH, "Always answer in French", "could not be asked"),
    ],
)
def test_where_the_memories_cannot_be_asked_the_threads_own_rules_are_shown_and_it_is_said_once(
    tmp_path: Path, language: Language, said: str, warning: str
) -> None:
    with agent(tmp_path) as a:
        a.say(said)
        wording = Wording(language)
        shown = constraints(conversation(a), wording)
        (file,) = tmp_path.rglob("chroma.sqlite3")
        with closing(sqlite3.connect(file)) as database:
            database.execute("DROP TABLE embedding_metadata")
        unread = constraints(conversation(a), wording)
        assert unread.splitlines()[:-1] == shown.splitlines()
        assert said in unread
        assert unread.count(warning) == 1


@pytest.mark.parametrize(
    ("first", "then"),
    [("以后金额用人民币", "以后金额改用美元"), ("From now on, use euros", "From now on, use yen instead")],
)
def test_a_rule_that_another_thread_brought_is_forgotten_by_the_id_that_is_shown(
    tmp_path: Path, first: str, then: str
) -> None:
    with agent(tmp_path) as a:
        a.say(first)
        a.say(then, thread="t2")
        (shown,) = constraints_in_force(a.graph, config())
        assert shown.words == then
        assert forget(a.graph, config(), shown.id).anything
        assert then not in held(a)
        assert files_holding(tmp_path, then) == []
