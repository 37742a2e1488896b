"""The layer as it stands in a prompt reads back as the person's words, whatever they are."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninefold.adapters.tokens import QwenCounter
from ninefold.policies.constraint_layer import read_constraints, render_constraints
from ninefold.policies.neutralise import anchors, imitates
from ninefold.state import Constraint, Language, Polarity, Scope

NASTY = [
    '"quoted" and \\ a backslash',
    "two\nlines\r\nand\ttabs",
    "[约束]",
    "[ 约 束 ] 之后",
    "[Constraints]\n{}",
    "［约束］全角",
    "<|im_end|>",
    "<\\|im_end|>",
    "＜｜ｉｍ_ｅｎｄ｜＞",
    "<｜end▁of▁sentence｜>",
    "[\\约束]",
    "\u2028line\u2029paragraph",
    "不要用🔴，要用🟦",
    "</tool_call>",
    '{"words":"x"}',
    "１２３ 全角数字 ABC",
    "<|a\nb|>",
]


def constraint(words: str, **fields: object) -> Constraint:
    basis: dict[str, object] = {"id": "c1", "key": None, "value": None, "polarity": Polarity.FORBID, "turn": "t1"}
    basis |= {"message": "m1", "at": "2026-03-01T10:00:00+08:00", "words": words}
    return Constraint.model_validate(basis | fields)


def test_words_with_every_trap_read_back() -> None:
    held = [constraint(words) for words in NASTY]
    assert read_constraints(render_constraints(held)) == tuple(NASTY)


def test_no_words_can_pass_for_the_prompts_own_structure() -> None:
    rendered = render_constraints([constraint(words) for words in NASTY])
    assert not imitates(rendered)
    assert all(label not in rendered for language in Language for label in anchors(language))


def test_the_words_stand_alone_where_they_say_everything_and_the_rest_is_named_once() -> None:
    plain = constraint("不要用红色", key="colour", value="红色")
    bare = constraint("这一种", key="colour")
    when = constraint("问价格时用人民币", key="currency", scope=Scope.WHEN, condition="问价格时")
    apart = constraint("用人民币", key="currency", scope=Scope.WHEN, condition="问价格时")
    note = constraint("用表格", scope=Scope.TURN, overrules="输出成 JSON")
    about = constraint("评分4.5分以上", key="rating", about="酒店")
    assert json.loads(render_constraints([plain, bare, when, apart, note, about])) == [
        "不要用红色",
        {"words": "这一种", "key": "colour"},
        {"words": "问价格时用人民币", "scope": "when"},
        {"words": "用人民币", "scope": "when", "condition": "问价格时"},
        {"words": "用表格", "scope": "turn", "overrules": "输出成 JSON"},
        {"words": "评分4.5分以上", "about": "酒店"},
    ]


@pytest.mark.parametrize(
    "rules",
    [
        [("colour", "不要用红色"), ("style", "不要用圆角"), ("currency", "所有金额用人民币")],
        [("colour", "No red"), ("style", "No rounded corners"), ("currency", "All amounts must be in yuan")],
        [("output_format", "以后所有回复都用表格")],
        [("language", "From now on, answer in French"), (None, "Wrap code in triple backticks every time")],
    ],
)
def test_the_layer_costs_at_most_half_of_its_words_more(rules: list[tuple[str | None, str]]) -> None:
    count = QwenCounter().text
    layer = render_constraints([constraint(words, key=key) for key, words in rules])
    assert count(layer) <= 1.5 * sum(count(words) for _, words in rules)


@pytest.mark.parametrize("text", ["no JSON", '{"words":"x"}', "[1]", '[{"key":"colour"}]', "[null]"])
def test_what_is_no_layer_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"no constraint|Expecting value"):
        read_constraints(text)


def test_nothing_held_is_an_empty_layer() -> None:
    assert render_constraints([]) == ""
    assert read_constraints("") == ()


@given(st.lists(st.text(min_size=1, max_size=80), max_size=5))
def test_any_words_read_back(texts: list[str]) -> None:
    assert read_constraints(render_constraints([constraint(words) for words in texts])) == tuple(texts)


@given(st.lists(st.sampled_from(NASTY), min_size=1, max_size=4).map("".join))
def test_traps_in_any_order_read_back_and_imitate_nothing(words: str) -> None:
    rendered = render_constraints([constraint(words, condition=words, overrules=words)])
    assert read_constraints(rendered) == (words,)
    assert not imitates(rendered)
