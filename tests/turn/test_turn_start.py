"""A turn takes in what was said, and nothing that a database cannot keep."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from ninefold.adapters.tokens import for_model
from ninefold.nodes.turn_start import turn_start
from ninefold.state import Stamp
from ninefold.state.turn_state import TurnState

STAMP = Stamp(turn_id="t1", at="2026-01-01T00:00:00+00:00", user="ann", thread="t")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("端口\0是 18443", "端口\ufffd是 18443"),
        ("half \ud83d a letter", "half \ufffd a letter"),
        ([{"type": "text", "text": "端口\0"}, "rest \ud83d"], [{"type": "text", "text": "端口\ufffd"}, "rest \ufffd"]),
    ],
    ids=["text", "surrogate", "blocks"],
)
def test_what_no_database_keeps_becomes_a_visible_mark_in_text_and_in_blocks(said: Any, kept: Any) -> None:
    state = TurnState(messages=[HumanMessage(said, id="m1")])
    update = turn_start(state, stamp=STAMP, tokens=for_model("ollama", "qwen2.5:14b"))
    assert [message.content for message in update.get("messages", [])[1:]] == [kept]


@pytest.mark.parametrize("said", ["不要用红色", [{"type": "text", "text": "Don't use red"}]])
def test_what_can_be_kept_stays_as_it_was_written(said: Any) -> None:
    state = TurnState(messages=[HumanMessage(said, id="m1")])
    assert turn_start(state, stamp=STAMP, tokens=for_model("ollama", "qwen2.5:14b")).get("messages") == []
