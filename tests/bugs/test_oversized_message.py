"""A message bigger than the window leaves as its ends, its ask and a marker that expands in the turn (BUG-10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
from langchain_core.tools import tool

from ninefold.policies.neutralise import anchors
from ninefold.policies.references import references_in
from ninefold.state import Language, OutcomeStatus
from tests.bugs.wire_laws import agent_with, layer, over_the_window, spoken
from tests.turn.agents import Body
from tests.wire.replies import Call, Say

Place = Literal["beginning", "middle", "end"]
RULES = {
    Language.CHINESE: ("不要用红色，所有金额用人民币。", ("不要用红色", "所有金额用人民币")),
    Language.ENGLISH: (
        "Don't use red. All amounts must be in yuan.",
        ("Don't use red", "All amounts must be in yuan"),
    ),
}
FILLER = {
    Language.CHINESE: "仓库的第{n}排货架上放着旧零件和说明书，保管员每周清点一次并登记在册{end}",
    Language.ENGLISH: "Shelf {n} of the store holds old parts and manuals and the keeper counts them every week{end}",
}
ASK = {
    Language.CHINESE: "请告诉我蓝色阀门的保修期是多久？",
    Language.ENGLISH: "Please tell me how long the blue valve is under warranty?",
}
FACT = {Language.CHINESE: "蓝色阀门的保修期是 37 个月", Language.ENGLISH: "The blue valve has 37 months of warranty"}


def lines(language: Language, characters: int, end: str) -> list[str]:
    made: list[str] = []
    while sum(map(len, made)) < characters:
        made.append(FILLER[language].format(n=len(made), end=end))
    return made


def paste(language: Language, place: Place, *, characters: int, end: str) -> str:
    """Give a long text with a fact off its middle and the ask at a place."""
    text = lines(language, characters, end)
    text.insert(len(text) * 5 // 12, FACT[language] + end)
    at = {"beginning": 0, "middle": len(text) * 7 // 12, "end": len(text)}[place]
    text.insert(at, ASK[language] + end)
    return "".join(text)


def reference_in(body: Body, language: Language) -> str:
    """Give the reference that the visible marker of the last message of the person names."""
    last = next(m["content"] for m in reversed(body["messages"]) if m["role"] == "user")
    assert last.count(anchors(language).reference) == 1
    (found,) = references_in(last)
    return found


def expanding(language: Language) -> Any:
    """Give a model that looks behind the reference for the fact before it answers."""

    def answer(body: Body) -> Call | Say:
        last = body["messages"][-1]
        if last["role"] == "tool":
            return Say(last["content"])
        if ASK[language] not in last["content"]:
            return Say("OK.")
        return Call("expand_reference", {"id": reference_in(body, language), "find": FACT[language][:8]})

    return answer


def assert_ask_rules_and_fit(bodies: list[Body], language: Language) -> None:
    for body in bodies:
        assert over_the_window(body) == ""
        assert all(words in "".join(layer(body, language)) for words in RULES[language][1])
    for body in bodies[1:]:
        users = [m["content"] for m in body["messages"] if m["role"] == "user"]
        assert ASK[language] in users[-1]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("place", ["beginning", "middle", "end"])
@pytest.mark.parametrize(("characters", "end", "num_ctx"), [(40_000, "\n", 8192), (12_500, " ", 3072)])
def test_ask_and_rules_are_sent_and_the_rest_can_be_expanded_in_the_same_turn(
    tmp_path: Path, characters: int, end: str, num_ctx: int, place: Place, language: Language
) -> None:
    said = paste(language, place, characters=characters, end=end)
    with agent_with(tmp_path, expanding(language), memory=False, num_ctx=num_ctx) as a:
        a.say(RULES[language][0])
        assert FACT[language] in a.say(said)
        assert_ask_rules_and_fit(a.wire.chats, language)
        outcome = a.values()["outcome"]
        assert outcome.status is OutcomeStatus.DEGRADED
        assert reference_in(a.wire.chats[1], language) in "".join(outcome.notes)
        assert said in spoken(a)
        a.say("好的" if language is Language.CHINESE else "Fine")
        assert over_the_window(a.wire.chats[-1]) == ""
        assert all(words in "".join(layer(a.wire.chats[-1], language)) for words in RULES[language][1])


@pytest.mark.parametrize("language", Language)
def test_an_over_long_result_leaves_the_ask_and_the_rules_and_can_be_expanded(
    tmp_path: Path, language: Language
) -> None:
    whole = paste(language, "end", characters=60_000, end=" ").replace(ASK[language], "")

    @tool
    def read_file(name: str) -> str:
        """Read a file."""
        return whole

    def answer(body: Body) -> Call | Say:
        results = [m["content"] for m in body["messages"] if m["role"] == "tool"]
        if not any(ASK[language] in m["content"] for m in body["messages"]):
            return Say("OK.")
        if not results:
            return Call("read_file", {"name": "a.txt"})
        if len(results) == 1:
            (reference,) = references_in(results[0])
            return Call("expand_reference", {"id": reference, "find": FACT[language][:8]})
        return Say(results[-1])

    with agent_with(tmp_path, answer, tools=[read_file], memory=False, num_ctx=4096) as a:
        a.say(RULES[language][0])
        assert FACT[language] in a.say(ASK[language])
        assert_ask_rules_and_fit(a.wire.chats, language)
        assert whole in spoken(a)
