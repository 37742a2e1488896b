"""The trace of a turn is bounded in bytes, whatever was said in it; what it leaves out is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninefold.policies.bounded import within
from ninefold.state import ConstraintsUpdated, Missing
from tests.compaction.session import Session

LONG = {
    "zh": "不要用{n}号颜色" + "以及与它相近的一切颜色" * 30 + "。",
    "en": "Don't use colour {n}" + " or anything that looks a bit like it" * 10 + ". ",
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_many_endless_rules_of_one_message_leave_a_small_trace_that_counts_them(tmp_path: Path, language: str) -> None:
    session = Session(tmp_path)
    session.say("".join(LONG[language].format(n=n) for n in range(30)))
    (event,) = (event for event in session.state.trace if isinstance(event, ConstraintsUpdated))
    held = len(session.state.constraints)
    assert held >= 8
    assert event.reason == f"{held - len(event.changes)} more changes"
    assert sum(len(each.model_dump_json().encode()) for each in session.state.trace) < 12_288


def test_the_first_value_is_told_even_when_it_alone_is_too_long() -> None:
    long, short = Missing(kind="name", span="长" * 400), Missing(kind="name", span="短")
    assert within([long, short], 100) == (long,)
    assert within([short, long], 100) == (short,)
    assert within([], 100) == ()
