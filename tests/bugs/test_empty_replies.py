"""A reply with nothing in it is asked for again a bounded number of times, then named; no blank is kept (BUG-30)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from ninefold import history
from ninefold.state import InputError, ModelEmpty
from tests.turn.agents import agent, config
from tests.wire.replies import EMPTY, Load, Reply, Say

ASKED = {"zh": "端口是多少？", "en": "Which port is it?"}
NOTHING: dict[str, Reply] = {
    "empty": EMPTY,
    "only space": Say(" \n\t\u3000"),
    "only loaded": Load(),
    "only thoughts": Say("<think>嗯，a port…</think>\n"),
    "unended thoughts": Say("<think>嗯，a port…"),
}


@pytest.mark.parametrize("language", ASKED)
@pytest.mark.parametrize("kind", NOTHING)
def test_nothing_is_asked_for_twice_then_named_and_never_kept(tmp_path: Path, kind: str, language: str) -> None:
    with agent(tmp_path, [NOTHING[kind]] * 2, default="18443", memory=False) as told:
        with pytest.raises(ModelEmpty) as raised:
            told.say(ASKED[language])
        assert raised.value.next_step
        assert len(told.wire.chats) == 2
        assert [m.type for m in told.values()["messages"]] == ["human"]
        assert told.graph.invoke(None, config())["messages"][-1].text == "18443"
        kept = [*history(told.graph, config())]
        assert [m.text for m in kept] == [ASKED[language], "18443"]
        assert all(m.text.strip() for m in kept if isinstance(m, AIMessage))


@pytest.mark.parametrize("language", ASKED)
@pytest.mark.parametrize("kind", NOTHING)
def test_nothing_once_is_not_noticed(tmp_path: Path, kind: str, language: str) -> None:
    with agent(tmp_path, [NOTHING[kind]], default="18443", memory=False) as told:
        assert told.say(ASKED[language]) == "18443"
        assert told.values()["outcome"].status == "answered"


@pytest.mark.parametrize("given", [[], "", " ", [("system", "x"), ("assistant", "y")], [("assistant", "y")]])
def test_no_request_leaves_without_words_of_the_person(tmp_path: Path, given: Any) -> None:
    with agent(tmp_path, memory=False) as told:
        with pytest.raises(InputError):
            told.graph.invoke({"messages": given}, config())
        told.graph.invoke({"messages": [("system", "Be brief."), ("user", ASKED["en"])]}, config())
        (body,) = told.wire.chats
        assert any(m["role"] == "user" and ASKED["en"] in m["content"] for m in body["messages"])
