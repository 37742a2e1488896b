"""Layers that fill the window are no reason to compact for ever: one descent a turn, then it is named (BUG-08)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninefold.state import OutcomeStatus
from tests.bugs.wire_laws import agent_with, events, over_the_window

RULES = {
    "zh": "不要用第{n}号字体，也不要在第{n}页写字。",
    "en": "Never use font number {n}, and never write on page {n}.",
}
TALK = {"zh": "今天天气不错。", "en": "The weather is nice today."}


@pytest.mark.parametrize("language", RULES)
def test_a_window_full_of_rules_is_compacted_at_most_once_a_turn_and_the_layer_is_named(
    tmp_path: Path, language: str
) -> None:
    with agent_with(tmp_path, num_ctx=2048, num_predict=256, memory=False, light_model="none") as told:
        for number in range(120):
            told.say(RULES[language].format(n=number + 10))
            tried = [event.strategy for event in events(told, "compacted")]
            assert len(tried) == len(set(tried))
            if told.values()["outcome"].status is OutcomeStatus.OVER_BUDGET:
                break
        assert told.values()["outcome"].status is OutcomeStatus.OVER_BUDGET
        assert told.values()["outcome"].layer == "constraints"
        asked = len(told.wire.chats)
        for _ in range(3):
            told.say(TALK[language])
            assert told.values()["outcome"].layer in ("constraints", None)
            assert len(events(told, "compacted")) <= 1
        assert len(told.wire.chats) - asked <= 3, "one call a turn at most"
        assert {over_the_window(body) for body in told.wire.chats} == {""}
