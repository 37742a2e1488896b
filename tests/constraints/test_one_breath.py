"""Rules that were said in one breath stand in the prompt as the person's own sentence, and read back one by one."""

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninefold.policies.constraint_layer import read_constraints, render_constraints
from ninefold.policies.constraints import Source, extract, jointed, merge
from ninefold.state import ConflictRule, Constraint
from tests.turn.agents import agent, whole_prompt

SENTENCES = [
    "硬性要求：不要用红色，不要用圆角，所有金额用人民币。",
    "不要用红色，不要用圆角。回答不超过200字。",
    "Hard rules: never use red, don't use rounded corners, and always answer in English.",
    "Never use red; don't use rounded corners. Always answer in English.",
]
BESIDE = [
    ("不要用红色，我们公司在上海，不要用圆角。", ["不要用红色", "不要用圆角"]),
    ("Never use red. We are in Bonn. Don't use tables.", ["Never use red", "Don't use tables"]),
]


def heard(text: str, message: str = "m1") -> tuple[Constraint, ...]:
    source = Source(turn="t1", message=message, at="2026-03-01T10:00:00+08:00", task=None)
    return merge((), jointed(text, extract(text).wishes), source, ConflictRule.NEWEST).constraints


@pytest.mark.parametrize("text", SENTENCES)
def test_a_sentence_of_rules_alone_stands_as_it_was_said(text: str) -> None:
    rules = heard(text)
    assert len(rules) == 3
    layer = render_constraints(rules)
    assert layer == f'["{text}"]'
    assert read_constraints(layer, rules) == tuple(rule.words for rule in rules)


@pytest.mark.parametrize(("text", "words"), BESIDE)
def test_what_is_no_rule_joins_none(text: str, words: list[str]) -> None:
    rules = heard(text)
    assert render_constraints(rules).count('"') == 2 * len(words)
    assert list(read_constraints(render_constraints(rules))) == words


@pytest.mark.parametrize("text", SENTENCES)
def test_when_some_have_ended_the_others_stand_word_for_word(text: str) -> None:
    rules = heard(text)
    for count in (1, 2):
        for left in combinations(rules, count):
            layer = render_constraints(left)
            assert read_constraints(layer, left) == tuple(rule.words for rule in left)
            assert all(rule.words not in layer for rule in rules if rule not in left)


@pytest.mark.parametrize("text", SENTENCES)
def test_a_rule_that_a_layer_adds_or_lacks_is_seen(text: str) -> None:
    rules = heard(text)
    layer = render_constraints(rules)
    for gone in rules:
        assert read_constraints(layer, [rule for rule in rules if rule is not gone]) == (text,)
    assert read_constraints(layer.replace(text, text[:-4]), rules) == (text[:-4],)


PARTS = st.text(st.sampled_from('不红，。：a"\\ \n'), min_size=1, max_size=3)
RULES = st.lists(
    st.tuples(PARTS, st.sampled_from(["", "，", "。", "、", "规则：", " and "]), st.sampled_from(["", "。"]))
)


@given(RULES)
def test_whatever_joins_them_the_words_read_back(drawn: list[tuple[str, str, str]]) -> None:
    basis = {"key": None, "value": None, "polarity": "forbid", "turn": "t1", "message": "m1", "at": "2026-03-01T10:00Z"}
    rules = [
        Constraint.model_validate(basis | {"id": f"c{place}", "words": words, "lead": lead, "tail": tail})
        for place, (words, lead, tail) in enumerate(drawn)
    ]
    assert read_constraints(render_constraints(rules), rules) == tuple(rule.words for rule in rules)


@pytest.mark.parametrize(
    ("text", "talk"),
    [(SENTENCES[0], "说说仓库的第{n}步。"), (SENTENCES[2], "Tell me of step {n}.")],
)
def test_the_sentence_reaches_the_model_whole_long_after_it_left_the_window(
    tmp_path: Path, text: str, talk: str
) -> None:
    with agent(tmp_path, recent_keep=4) as a:
        for n in range(8):
            a.say(text if n == 0 else talk.format(n=n))
        assert text not in [str(message.content) for message in a.values()["messages"]]
        assert len(a.wire.chats) == 8
        assert all(text in whole_prompt(body) for body in a.wire.chats)


@pytest.mark.parametrize("gap", ["\n" * 45, " " * 60, "\n" + " " * 39])
def test_a_gap_of_any_length_costs_no_turn(tmp_path: Path, gap: str) -> None:
    with agent(tmp_path, memory=False) as a:
        a.say(f"以后不要用表格。{gap}不要用红色。")
        a.say(f"Never use red.{gap}Don't use tables.")
        a.say("Go on.")
        assert [rule.words for rule in a.values()["constraints"]][:2] == ["以后不要用表格", "不要用红色"]
        assert len(a.wire.chats) == 3


def test_a_request_to_forget_between_two_rules_costs_no_turn(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        a.say(
            "以后不要用红色。\n请忘掉我之前跟你说的关于搬家去北方那座靠海的小城市并且换一份新工作的全部打算。\n不要用蓝色。"
        )
        a.say("Go on.")
        assert [rule.words for rule in a.values()["constraints"]] == ["以后不要用红色", "不要用蓝色"]
