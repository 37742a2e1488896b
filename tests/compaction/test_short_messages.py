"""A conversation of very short messages leaves the window as any other does."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninefold.reading import history
from ninefold.state import ContextPolicy
from tests.guard.test_agent import agent
from tests.guard.toy import on, say

TURNS = 40


@pytest.mark.parametrize("words", ["0.{n}", "好{n}", "ok {n}"])
def test_the_window_keeps_recent_keep_however_short_the_messages(tmp_path: Path, words: str) -> None:
    graph = agent(tmp_path)
    longest = 0
    for number in range(TURNS):
        graph.invoke(say(words.format(n=number)), on())
        longest = max(longest, len(graph.get_state(on()).values["messages"]))
    assert longest <= ContextPolicy().recent_keep
    assert len(history(graph, on())) == 2 * TURNS
