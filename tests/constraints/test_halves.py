"""A rule of several things of which one is allowed again stands for the others, word for word."""

import pytest

from ninefold.policies.constraint_layer import read_constraints, render_constraints
from ninefold.policies.constraints import Source, extract, jointed, merge
from ninefold.state import ConflictRule, Constraint
from tests.constraints.conversation import Conversation


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


@pytest.mark.parametrize(
    ("ban", "allowed", "still"),
    [
        ("Never answer in French or German", "You may answer in French", "Answer in German"),
        ("不要用法语或德语回答", "可以用法语回答", "用德语回答"),
    ],
)
def test_what_stays_of_a_ban_is_still_ruled_out(ban: str, allowed: str, still: str) -> None:
    talk = Conversation(answer="replace").say(ban).say(allowed)
    assert talk.words == [ban, allowed]
    talk.answer = "keep"
    talk.say(still)
    assert (ban, still) in {(each["old"], each["new"]) for each in talk.questions[-1]["conflicts"]}
    assert talk.words == [ban, allowed]


@pytest.mark.parametrize(
    ("ban", "demand"),
    [
        ("Never answer in French or German", "Answer in German"),
        ("Never answer in French or German", "Answer in French"),
        ("不要用法语或德语回答", "用德语回答"),
    ],
)
def test_a_ban_of_several_values_is_set_against_a_demand_of_each(ban: str, demand: str) -> None:
    assert len(Conversation().say(ban).say(demand).questions) == 1
    assert len(Conversation().say(demand).say(ban).questions) == 1


def test_a_ban_of_several_things_in_one_place_leaves_a_demand_that_names_no_place() -> None:
    talk = Conversation().say("Never use lists or tables in e-mails").say("Use lists")
    assert talk.questions == []


def test_the_person_who_puts_a_demand_in_the_place_of_a_ban_allows_no_more_than_it_names() -> None:
    ban, demand = "Never answer in French or German", "Answer in German"
    talk = Conversation(answer="replace").say(ban).say(demand)
    assert talk.words == [ban, demand]
    assert talk.one(demand).overrules == "German"
