"""What the page's data says of a session that another one changed: rules that gave way, words that were forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.page.shown import Served, let_in, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("page"), light_model="none", default="I heard of durian.") as found:
        yield found


@pytest.fixture
def visitor(served: Served) -> Iterator[httpx.Client]:
    with let_in(served) as client:
        yield client


def take(visitor: httpx.Client, thread: str, text: str) -> None:
    """Take a turn, to its end."""
    assert visitor.post("/api/say", json={"thread": thread, "text": text}).status_code == 202
    assert watched(visitor, thread)[-1] == {"kind": "over"}


def watched(visitor: httpx.Client, thread: str) -> list[dict[str, Any]]:
    """Give what happened in the last turn, as a page that opens it is told."""
    lines = visitor.get("/api/watch", params={"thread": thread}).text.splitlines()
    return [json.loads(line) for line in lines if line]


def shown(visitor: httpx.Client, thread: str) -> dict[str, Any]:
    answer: dict[str, Any] = visitor.get("/api/session", params={"thread": thread}).json()
    return answer


def words(visitor: httpx.Client, thread: str) -> list[str]:
    return [rule["words"] for rule in shown(visitor, thread)["constraints"]]


@pytest.mark.parametrize(
    ("first", "then", "gone"),
    [
        ("以后回答不要超过一百字", "以后回答改成不超过三百字", "一百字"),
        ("From now on, show all amounts in euros", "From now on, show all amounts in yen", "euros"),
    ],
)
def test_a_rule_that_another_session_replaced_is_not_shown_as_holding(
    visitor: httpx.Client, first: str, then: str, gone: str
) -> None:
    take(visitor, f"first {gone}", first)
    assert first in words(visitor, f"first {gone}")
    take(visitor, f"then {gone}", then)
    assert then in words(visitor, f"first {gone}")
    assert first not in words(visitor, f"first {gone}")
    assert then in words(visitor, f"new {gone}"), "it will hold in a session that has no turn yet"


@pytest.mark.parametrize("where", ["here", "there", "everywhere"])
def test_what_was_forgotten_is_in_no_turn_that_was_watched(visitor: httpx.Client, where: str) -> None:
    thread = f"forget-{where}"
    take(visitor, "other", "The train is late.")
    take(visitor, thread, "My brother likes durian.")
    assert "durian" in str(watched(visitor, thread))
    assert "durian" in shown(visitor, thread)["run"]["said"]
    if where == "everywhere":
        given = {"what": "durian"}
    else:
        given = {"what": "durian", "thread": thread if where == "here" else "other"}
    assert visitor.post("/api/forget", json=given).status_code == 200
    for each in (thread, "other"):
        assert "durian" not in str(watched(visitor, each))
        assert "durian" not in str(shown(visitor, each))
        assert watched(visitor, each)[-1] == {"kind": "over"}
        assert [event["kind"] for event in watched(visitor, each)].count("ended") == 1


@pytest.mark.parametrize(
    "request_text", ["Please forget what I told you about the durian farm.", "忘掉我说过的 durian farm"]
)
def test_what_the_chat_was_asked_to_forget_is_in_no_turn_either(visitor: httpx.Client, request_text: str) -> None:
    told, asks = f"told-{len(request_text)}", f"asks-{len(request_text)}"
    for thread in (told, asks):
        take(visitor, thread, "I have a durian farm in Johor.")
        assert "durian farm" in str(shown(visitor, thread))
    take(visitor, asks, request_text)
    for thread in (told, asks):
        assert "durian farm" not in str(watched(visitor, thread))
        assert "durian farm" not in str(shown(visitor, thread))


@pytest.mark.parametrize(
    ("told", "word", "hello"), [("我的门禁码是 778899。", "778899", "你好"), ("My pet is Rex.", "Rex", "Hi")]
)
def test_the_mark_of_what_was_forgotten_stands_in_its_own_turn(
    visitor: httpx.Client, told: str, word: str, hello: str
) -> None:
    thread = f"mark-{word}"
    for text in (told, hello, hello):
        take(visitor, thread, text)
    before = [(each["turn"], each["role"]) for each in shown(visitor, thread)["messages"]]
    assert visitor.post("/api/forget", json={"what": word, "thread": thread}).status_code == 200
    messages = shown(visitor, thread)["messages"]
    assert [(each["turn"], each["role"]) for each in messages] == before
    assert word not in messages[0]["text"]
