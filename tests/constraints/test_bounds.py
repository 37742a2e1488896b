"""The constraint layer has an end, and a rule that finds no room in it is named, never left out in silence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ninefold.policies.constraints import Source, take
from ninefold.policies.constraints.bounds import MAX_RULES, RULES_BYTES
from ninefold.policies.constraints.candidates import Candidate
from ninefold.policies.constraints.extraction import MAX_WISHES
from ninefold.state import ConflictRule, Constraint, Degraded, Polarity
from tests.constraints.conversation import Conversation
from tests.examples import examples
from tests.turn.agents import agent, system_text

RULES = {"zh": "不要用第{n}号颜色。", "en": "Don't use colour number {n}. "}


def wish(number: int, length: int, *, withdraws: bool = False) -> Candidate:
    words = f"{number}".ljust(length, "字")
    return Candidate(words, number * 2000, number * 2000 + length, Polarity.FORBID, withdraws=withdraws)


@given(st.lists(st.lists(st.integers(4, 1000), max_size=60), max_size=8))
@examples(40)
@example([[4] * 60] * 5)
def test_a_layer_stays_within_its_bounds_and_what_it_refuses_is_given_back(messages: list[list[int]]) -> None:
    held: tuple[str, ...] = ()
    active: tuple[Constraint, ...] = ()
    for turn, lengths in enumerate(messages):
        wishes = [wish(turn * 100 + place, length) for place, length in enumerate(lengths)]
        taken = take(active, wishes, Source(f"t{turn}", f"m{turn}", "2026-01-01", None), ConflictRule.NEWEST)
        active = taken.merged.constraints
        words = tuple(each.words for each in active)
        assert words[: len(held)] == held
        assert {*words, *(each.words for each in taken.refused)} == {*held, *(each.words for each in wishes)}
        assert len(words) <= MAX_RULES
        assert sum(len(each.encode()) for each in words) <= RULES_BYTES
        held = words


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_full_layer_tells_what_it_refuses_and_still_hears_what_is_taken_back(language: str) -> None:
    talk = Conversation()
    for first in range(0, MAX_RULES, MAX_WISHES):
        talk.say("".join(RULES[language].format(n=n) for n in range(100 + first, 100 + first + MAX_WISHES)))
    assert len(talk.words) == MAX_RULES
    talk.say(RULES[language].format(n=999))
    assert len(talk.words) == MAX_RULES
    (told,) = [event for event in talk.state.trace if isinstance(event, Degraded)]
    assert "999" in told.cause
    talk.say({"zh": "现在可以用第107号颜色了", "en": "You can use colour number 107 again"}[language])
    assert len(talk.words) == MAX_RULES - 1
    assert "999" in talk.say(RULES[language].format(n=999)).words[-1]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_rules_beyond_what_one_message_may_hold_are_named_in_the_answer(tmp_path: Path, language: str) -> None:
    with agent(tmp_path, memory=False) as a:
        a.say("".join(RULES[language].format(n=100 + n) for n in range(MAX_WISHES + 3)))
        notes = " ".join(a.values()["outcome"].notes)
        a.say("OK?")
        sent = system_text(a.wire.chats[-1])
    assert all(str(100 + MAX_WISHES + n) in notes for n in range(3))
    assert str(100 + MAX_WISHES - 1) in sent
