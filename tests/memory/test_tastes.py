"""A taste that turned round holds in its newest form: in the rules, in the memories and in the prompt."""

from pathlib import Path

import pytest

from ninefold.policies.subject import subject
from ninefold.state import ConflictRule, MemoryKind, MemoryStatus
from tests.turn.agents import agent


@pytest.mark.parametrize("rule", [ConflictRule.NEWEST, ConflictRule.ASK])
@pytest.mark.parametrize(
    ("first", "then", "holds"),
    [
        ("我喜欢吃榴莲", "我不喜欢吃榴莲", ["我不喜欢吃榴莲"]),
        ("我不喜欢吃榴莲", "我现在喜欢吃榴莲了", ["我现在喜欢吃榴莲了"]),
        ("我讨厌榴莲", "我最近喜欢吃榴莲了", ["我最近喜欢吃榴莲了"]),
        ("I like durian", "I don't like durian any more", ["I don't like durian any more"]),
        ("I don't like horror movies", "I like horror movies now", []),
    ],
)
def test_the_later_taste_takes_the_place_of_the_earlier(
    tmp_path: Path, rule: ConflictRule, first: str, then: str, holds: list[str]
) -> None:
    with agent(tmp_path, on_conflict=rule) as a:
        a.say(first)
        a.say(then)
        assert [each.words for each in a.values()["constraints"]] == holds
        parts = a.graph._guard.parts
        assert parts is not None
        assert parts.memory is not None
        kept = parts.memory.records("ann")
        assert [each.text for each in kept if each.status is MemoryStatus.ACTIVE] == [then]
        assert [each.text for each in kept if each.status is MemoryStatus.SUPERSEDED] == [first]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("我喜欢吃榴莲", "我不喜欢榴莲了"),
        ("I like durian", "I don't like durian any more"),
        ("I'm into jazz", "I'm no longer into jazz these days"),
    ],
)
def test_a_taste_and_its_end_are_about_one_subject(one: str, other: str) -> None:
    assert subject(one) == subject(other) is not None


@pytest.mark.parametrize(("one", "other"), [("我喜欢吃榴莲", "我喜欢吃芒果"), ("I like tea", "I like coffee now")])
def test_tastes_of_two_things_stand_together(one: str, other: str) -> None:
    assert subject(one) != subject(other)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Deadline: Friday", "is:deadline"),
        ("订单号：A12，谢谢", "is:订单号"),
        ("Marta: I went to the lake", None),
        ("小王：我今天去了北京，很好玩", None),
        ("Marta: Looking for a flat near the harbour since May, and nothing yet", None),
        ("王芳是我的姑姑，其身高是160cm", None),
        ("王芳是会计", "is:王芳"),
    ],
)
def test_a_label_with_a_value_is_a_subject_and_a_name_with_what_somebody_says_is_none(
    text: str, about: str | None
) -> None:
    assert subject(text) == about


@pytest.mark.parametrize(
    ("standing", "bound"),
    [("请用中文回答", "这份报告我喜欢用英文写"), ("Answer in German", "I would prefer English for this report")],
)
def test_a_rule_of_one_piece_of_work_is_no_taste_whatever_it_goes_before(
    tmp_path: Path, standing: str, bound: str
) -> None:
    with agent(tmp_path) as a:
        a.say(standing)
        a.say(bound)
        parts = a.graph._guard.parts
        assert parts is not None
        assert parts.memory is not None
        kinds = [each.kind for each in parts.memory.records("ann") if each.text == bound]
        assert MemoryKind.PREFERENCE not in kinds
