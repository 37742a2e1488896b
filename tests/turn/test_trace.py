"""What a turn's trace keeps when more happens than it has room for."""

from __future__ import annotations

from ninefold.state import Assembled, Degraded, Event, Step, TurnStarted, append_events
from ninefold.state.appending import MAX_DEGRADED, MAX_EVENTS

BEGUN = TurnStarted(turn="t1", number=1, at="2026-01-01T00:00:00+00:00")


def degraded(number: int) -> Degraded:
    return Degraded(step=Step.TOOL_CALL, what=f"result {number} was not archived", cause="the disk is full")


def traced(events: list[Event]) -> tuple[Event, ...]:
    trace: tuple[Event, ...] = ()
    for event in events:
        trace = append_events(trace, (event,))
    return trace


def test_a_long_turn_keeps_its_beginning_its_end_and_every_degradation() -> None:
    steps = [Assembled(tokens=number, needed=number) for number in range(MAX_EVENTS * 4)]
    half = len(steps) // 2
    trace = traced([BEGUN, *steps[:half], degraded(1), degraded(1), degraded(2), *steps[half:]])
    assert trace[0] == BEGUN
    assert trace[-1] == steps[-1]
    assert [event for event in trace if isinstance(event, Degraded)] == [degraded(1), degraded(2)]


def test_a_trace_is_bounded_whatever_happens_in_a_turn() -> None:
    trace = traced([BEGUN, *(degraded(number) for number in range(MAX_EVENTS * 4))])
    assert len(trace) <= MAX_EVENTS + MAX_DEGRADED


def test_a_new_turn_opens_a_new_trace() -> None:
    assert append_events((BEGUN, degraded(1)), (BEGUN,)) == (BEGUN,)
