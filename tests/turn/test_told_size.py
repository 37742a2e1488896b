"""What the state tells of a turn (view, recalled, trace) is bounded, whatever was said and called in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.tools import tool

from ninefold.policies.bounded import TOLD_BYTES, rules_size
from ninefold.state import (
    TRACE_BYTES,
    Assembled,
    ConstraintsUpdated,
    Degraded,
    Event,
    Fate,
    LeftOut,
    ModelCalled,
    Step,
    ThresholdChecked,
    ToolCalled,
    TurnStarted,
    append_events,
)
from ninefold.state.base import size
from ninefold.state.constraint import ChangeKind
from ninefold.state.trace import ConstraintChange
from tests.examples import examples
from tests.turn.agents import Body, agent
from tests.wire.replies import Call, Reply, Say

BEGUN = TurnStarted(turn="t1", number=1, at="2026-01-01T00:00:00+00:00")
TEXTS = st.text("长x", max_size=400)
CHANGES = st.lists(
    st.builds(ConstraintChange, change=st.just(ChangeKind.ADDED), constraint=st.just("c1"), words=TEXTS), max_size=24
)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Assembled, tokens=st.integers(0, 9), needed=st.just(9)),
    st.builds(ThresholdChecked, **dict.fromkeys(("needed", "window", "soft", "hard"), st.just(1)), over=st.booleans()),
    st.builds(ToolCalled, name=st.just("f"), call=st.just("c"), tokens=st.just(1), kept=st.just(1), error=TEXTS),
    st.builds(Degraded, step=st.just(Step.TOOL_CALL), what=TEXTS, cause=TEXTS),
    st.builds(ConstraintsUpdated, changes=CHANGES.map(tuple), reason=TEXTS),
)


@examples(40)
@given(st.lists(EVENTS, max_size=80))
def test_a_trace_is_bounded_in_bytes_and_keeps_its_ends(events: list[Event]) -> None:
    trace: tuple[Event, ...] = (BEGUN,)
    for event in events:
        trace = append_events(trace, (event,))
        assert sum(map(size, trace)) <= TRACE_BYTES
    assert trace[0] == BEGUN
    assert trace[-1].kind == (events[-1].kind if events else BEGUN.kind)


def test_a_long_turn_keeps_each_call_rather_than_each_look_at_the_window() -> None:
    call = ToolCalled(name="lookup", call="c1", tokens=1, kept=1)
    looks: list[Event] = [
        Assembled(tokens=1, needed=1),
        ThresholdChecked(needed=1, window=1, soft=1, hard=1, over=False),
    ]
    trace: tuple[Event, ...] = (BEGUN,)
    for number in range(19):
        trace = append_events(trace, [call.model_copy(update={"call": f"c{number}"}), *looks])
    assert [event.call for event in trace if isinstance(event, ToolCalled)] == [f"c{number}" for number in range(19)]


@pytest.mark.parametrize("at_once", [1, 7], ids=["one by one", "in groups"])
def test_the_calls_that_a_trace_has_no_room_for_are_still_counted(at_once: int) -> None:
    calls = [
        ModelCalled(
            step=Step.MODEL_CALL if number % 3 else Step.COMPACTION,
            purpose="reply",
            prompt_tokens=100,
            reply_tokens=number,
            cached_tokens=10 * number,
        )
        for number in range(210)
    ]
    trace: tuple[Event, ...] = (BEGUN,)
    for start in range(0, len(calls), at_once):
        trace = append_events(trace, calls[start : start + at_once])
        assert sum(map(size, trace)) <= TRACE_BYTES
    (begun,) = (event for event in trace if isinstance(event, TurnStarted))
    held = [event for event in trace if isinstance(event, ModelCalled)]
    gone = [call for call in calls if call not in held]
    assert begun.left_out == LeftOut(
        calls=sum(call.step is Step.MODEL_CALL for call in gone),
        internal=sum(call.step is Step.COMPACTION for call in gone),
        reply_tokens=sum(call.reply_tokens or 0 for call in gone),
        cached_tokens=sum(call.cached_tokens or 0 for call in gone),
    )
    assert append_events(trace, (BEGUN,)) == (BEGUN,)


SAID = {
    "zh": "请记住：北斗项目的第{n}台水泵，资产编号是 C-{n}071。我喜欢第{n}种格式的表格。不要用第{n}种颜色。",
    "en": "Please remember: pump {n} of project Dipper is asset C-{n}071. I prefer tables of kind {n}. "
    "Don't use colour {n}.",
}
ASKED = {"zh": "北斗项目的资产编号有哪些？", "en": "What are the asset numbers in project Dipper?"}


@tool
def lookup(place: str) -> str:
    """Look something up."""
    return f"The shelf {place} holds four pallets of thirty-eight kilograms each. " * 12


@pytest.mark.parametrize("language", ["zh", "en"])
def test_turns_with_many_calls_and_candidates_stay_within_the_bound(tmp_path: Path, language: str) -> None:
    def script(body: Body) -> Reply:
        rounds = 0
        for message in reversed(body["messages"]):
            if message["role"] == "user":
                break
            rounds += message["role"] == "tool"
        return Call("lookup", {"place": str(rounds)}) if rounds < 4 else Say("C-7711." * 20)

    with agent(tmp_path, script, tools=[lookup]) as a:
        for n in range(6):
            a.say(SAID[language].format(n=n))
            if n % 3 == 2:
                a.say(ASKED[language])
            told = a.values()
            sizes = [size(told["view"]) - rules_size(told["view"]), sum(map(size, told["recalled"]))]
            assert sum(sizes) + sum(map(size, told["trace"])) <= TOLD_BYTES
        assert any(memory.fate is Fate.RECALLED for memory in a.values()["recalled"])
