"""A rule of several things of which one is allowed again stands for the others, word for word."""

import pytest

from ninefold.policies.constraint_layer import read_constraints, render_constraints
from ninefold.policies.constraints import Source, extract, jointed, merge
from ninefold.state import ConflictRule, Constraint


def after(*messages: str) -> tuple[Constraint, ...]:
    held: tuple[Constraint, ...] = ()
    for turn, text in enumerate(messages):
        source = Source(turn=f"t{turn}", message=f"m{turn}", at="2026-03-01T10:00:00+08:00", task=None)
        held = merge(held, jointed(text, extract(text).wishes), source, ConflictRule.NEWEST).constraints
    return held


HALVES = [
    ("No emojis and no tables.", "You can use tables again.", "You can use emojis again.", "no tables"),
    ("不要用表格和表情。", "可以用表格了。", "可以用表情了。", "不要用表格"),
    ("这次聊天里不要用表格和表情。", "表格可以用了。", "可以用表情了。", "这次聊天里不要用表格"),
    ("From now on, no emojis and no tables.", "Tables are fine again.", "You can use emojis again.", "no tables"),
]


@pytest.mark.parametrize(("rule", "allowed", "rest", "part"), HALVES)
def test_the_rule_stands_with_the_permission_beside_it(rule: str, allowed: str, rest: str, part: str) -> None:
    ban, permission = after(rule, allowed)
    assert ban.words == rule.rstrip(".。")
    assert permission.words == allowed.rstrip(".。")
    assert permission.overrules == part
    layer = render_constraints((ban, permission))
    assert read_constraints(layer, (ban, permission)) == (ban.words, permission.words)
    assert part in layer


@pytest.mark.parametrize(("rule", "allowed", "rest", "part"), HALVES)
def test_when_the_rest_is_allowed_too_nothing_of_it_stands(rule: str, allowed: str, rest: str, part: str) -> None:
    assert after(rule, allowed, rest) == ()


@pytest.mark.parametrize(
    ("rule", "allowed", "again"),
    [
        ("No emojis and no tables.", "You can use tables again.", "No tables please."),
        ("不要用表格和表情。", "可以用表格了。", "不要用表格。"),
    ],
)
def test_forbidden_again_ends_the_permission(rule: str, allowed: str, again: str) -> None:
    assert [each.words for each in after(rule, allowed, again)] == [rule.rstrip(".。"), again.rstrip(".。")]


@pytest.mark.parametrize(
    ("rule", "allowed"),
    [
        ("不要用红色和圆角。", "取消红色和圆角的限制。"),
        ("No red and no blue.", "Red and blue are fine again."),
        ("不要在标题和正文里用红色。", "可以用红色了。"),
        ("Never use red in titles and tables.", "You can use red again."),
    ],
)
def test_what_allows_the_whole_ends_it(rule: str, allowed: str) -> None:
    assert after(rule, allowed) == ()


def test_a_demand_of_one_thing_leaves_the_ban_of_the_other() -> None:
    ban, demand = after("不要用表格和表情。", "以后用表格。")
    assert (ban.words, demand.words, demand.overrules) == ("不要用表格和表情", "以后用表格", "不要用表格")
