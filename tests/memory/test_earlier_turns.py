"""What left the window is found again by its words: on the thread's own branch, below the memories, never a rule."""

from pathlib import Path

import pytest

from tests.turn.agents import agent, whole_prompt

SAID = {
    "zh": ("去年在大理住的那家民宿叫云栖小筑，老板养了三只猫", "我们上次在大理住的民宿叫什么？", "云栖小筑"),
    "en": (
        "Last year in Lisbon we stayed at a guesthouse called Casa Amora, the owner had three cats",
        "What was the guesthouse in Lisbon called?",
        "Casa Amora",
    ),
}
FILLERS = [f"Let us look at row {number} of the table: it holds {number * 7} boxes." for number in range(6)]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_left_the_window_is_in_the_prompt_when_it_is_asked_for(tmp_path: Path, language: str) -> None:
    told, question, answer = SAID[language]
    with agent(tmp_path, memory=True, recent_keep=4) as a:
        a.say(told)
        for filler in FILLERS:
            a.say(filler)
        window = [str(message.text) for message in a.values()["messages"]]
        assert not any(answer in text for text in window)
        a.say(question)
        found = [candidate for candidate in a.values()["recalled"] if candidate.source == "turn"]
        asked = a.wire.chats[-1]
    assert answer in str(asked["messages"][-1]["content"]), found


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_a_cut_takes_out_of_view_in_the_turn_that_needs_it_comes_back(tmp_path: Path, language: str) -> None:
    told, question, answer = SAID[language]
    with agent(tmp_path, memory=True, recent_keep=4) as a:
        for words in (told, *FILLERS, *[question] * 4):
            a.say(words)
        asked = a.wire.chats[-4:]
        cuts = a.values()["counters"].compactions
    assert cuts > 3
    assert [answer in whole_prompt(body) for body in asked] == [True] * 4


def test_small_talk_looks_nothing_up(tmp_path: Path) -> None:
    with agent(tmp_path, memory=True, recent_keep=4) as a:
        a.say(SAID["en"][0])
        for filler in FILLERS:
            a.say(filler)
        embedded = len(a.wire.embeds)
        a.say("Thanks a lot!")
        assert len(a.wire.embeds) == embedded
        assert not a.values()["recalled"]


AGAIN = {
    "zh": ("我对花生过敏", "我对花生不过敏", "花生那件事我说过什么？"),
    "en": ("We decided to ship on Friday.", "We decided not to ship on Friday.", "What did we decide about Friday?"),
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_was_said_twice_and_then_replaced_is_in_no_prompt(tmp_path: Path, language: str) -> None:
    old, new, question = AGAIN[language]
    with agent(tmp_path, memory=True, recent_keep=4) as a:
        for words in (old, *FILLERS[:2], old, *FILLERS[2:4], new, *FILLERS[4:], *FILLERS):
            a.say(words)
        a.say(question)
        asked = "".join(whole_prompt(body) for body in a.wire.chats[-6:])
        fates = [(candidate.text, candidate.fate) for candidate in a.values()["recalled"]]
    assert old not in asked, fates
    assert new in asked, fates
