"""The layer as it stands in a prompt reads back as the person's words, whatever they are."""

from hypothesis import given
from hypothesis import strategies as st

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


def test_a_line_tells_key_thing_words_scope_and_condition_and_no_more() -> None:
    plain = constraint("不要用红色", key="colour", value="红色")
    when = constraint("问价格时用人民币", key="currency", scope=Scope.WHEN, condition="问价格时")
    note = constraint("用表格", scope=Scope.TURN, overrules="输出成 JSON")
    about = constraint("评分4.5分以上", key="rating", about="酒店")
    assert render_constraints([plain, when, note, about]).split("\n") == [
        '{"key":"colour","words":"不要用红色"}',
        '{"key":"currency","words":"问价格时用人民币","scope":"when","condition":"问价格时"}',
        '{"words":"用表格","scope":"turn","overrules":"输出成 JSON"}',
        '{"key":"rating","about":"酒店","words":"评分4.5分以上"}',
    ]


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
