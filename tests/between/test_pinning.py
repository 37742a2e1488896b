"""A rule that is pinned by hand holds in the person's own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninefold.graph.between_turns import pin
from ninefold.state import IdentityError, InputError, Polarity, Scope
from tests.turn.agents import agent, config, system_text


@pytest.mark.parametrize(
    ("words", "polarity", "key"),
    [
        ("红色就别出现了，圆角也是", Polarity.FORBID, "colour"),
        ('Sign every letter "Ada / 林若"', Polarity.REQUIRE, None),
        ("所有金额都用人民币", Polarity.REQUIRE, "currency"),
    ],
)
def test_pinned_words_hold_from_the_next_prompt_on(
    tmp_path: Path, words: str, polarity: Polarity, key: str | None
) -> None:
    with agent(tmp_path) as a:
        a.say("你好")
        made = pin(a.graph, config(), words)
        assert (made.words, made.polarity, made.scope) == (words, polarity, Scope.SESSION)
        assert key is None or made.key == key
        a.say("写一句话")
        assert words.replace('"', '\\"') in system_text(a.wire.chats[-1])
        assert [c.words for c in a.values()["constraints"]] == [words]


def test_the_last_message_is_pinned_and_its_turn_stays_in_the_window(tmp_path: Path) -> None:
    with agent(tmp_path, recent_keep=6, key_turns=2) as a:
        a.say("The house style is British spelling throughout")
        made = pin(a.graph, config())
        assert made.words == "The house style is British spelling throughout"
        assert made.message == a.values()["messages"][0].id
        for number in range(8):
            a.say(f"Note {number}: nothing much happened today.")
        assert a.values()["counters"].compactions > 0
        assert a.values()["messages"][0].text == made.words


def test_a_pin_replaces_the_rule_that_it_cannot_stand_beside_and_is_not_doubled(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        a.say("所有金额都用美元。")
        pin(a.graph, config(), "所有金额都用人民币")
        pin(a.graph, config(), "所有金额都用人民币")
        assert [c.words for c in a.values()["constraints"]] == ["所有金额都用人民币"]


def test_a_thread_can_begin_with_a_pin_and_is_its_pinners(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        pin(a.graph, config(), "不要用红色")
        with pytest.raises(IdentityError, match="another user"):
            pin(a.graph, config(user="bob"), "不要用蓝色")
        a.say("画一个按钮")
        assert "不要用红色" in system_text(a.wire.chats[-1])
        assert a.values()["turn"].number == 1


def test_there_must_be_something_to_pin_and_not_too_much(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        for words in (None, "", " \n", "。"):
            with pytest.raises(InputError, match="nothing to pin"):
                pin(a.graph, config(), words)
        with pytest.raises(InputError, match="2000"):
            pin(a.graph, config(), "长" * 2001)
        assert a.graph.get_state(config()).values == {}
