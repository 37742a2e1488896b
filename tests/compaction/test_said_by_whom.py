"""What of a leaving turn is worth a place in the summary: advice and answered questions are not, decisions are."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninefold.policies.compaction import Summarise
from tests.compaction.session import Session, settings

SAID = {
    "zh": ("最后定了河边那间仓库。", "窗帘要先量什么？", "建议先确认尺寸，最后把结论写成一页纸。"),
    "en": ("We settled on the barn by the river.", "Which curtains go first?", "I suggest we confirm the sizes first."),
}
MORE = {"zh": "院子里很热闹，大家都在说这件事。" * 8, "en": "The yard was lively and everybody talked of it. " * 10}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_decision_is_kept_and_advice_and_an_answered_question_are_not(tmp_path: Path, language: str) -> None:
    decided, asked, advice = SAID[language]
    session = Session(tmp_path, settings(summary_threshold_tokens=700), strategies=(Summarise(),))
    session.say(f"{decided} {MORE[language]} {asked}", f"{advice} {MORE[language]}")
    while not session.state.counters.compactions:
        session.say(MORE[language], MORE[language])
    texts = [item.text for item in session.state.summary.items]
    assert decided in texts
    assert not any(asked in text or advice in text for text in texts)
