"""How a turn's trace grows: bounded in number and in bytes, because the state is written with every step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .base import size
from .trace import ConstraintsUpdated, Degraded, Event, FidelityChecked, LeftOut, ModelCalled, ToolCalled, TurnStarted
from .turn import Step

MAX_EVENTS = 64
"""A turn's trace keeps its first half and its last half of this many events, and what was degraded between them."""

MAX_DEGRADED = 16
"""Degradations kept from between the halves, each said once."""

TRACE_BYTES = 6 * 1024
"""Of a turn's whole trace, as JSON."""

SUM_BYTES = 160
"""Of the sum of the calls that a trace has no room for, at most."""

_TEXTS = ("reason", "what", "cause", "error")
_SHORT = (120, 40)
"""Characters that the texts of a trace without room are cut to, one after the other."""


def append_events(trace: Sequence[Event], more: Sequence[Event]) -> tuple[Event, ...]:
    """Give the trace with more events behind it, in at most TRACE_BYTES; a TurnStarted opens a new trace.

    What gives way, in this order: repeated looks at the window, oldest first, then repeated calls, then the ends of
    long texts, and last whatever stands in the middle. The first and the last event of a kind and what was degraded
    stay longest; of the calls to models that go, the first event keeps the sum.

    Law: `append(append(t, a), b) == append(t, a + b)` while nothing has to give way.
    """
    joined = (*trace, *more)
    opened = max((i for i, event in enumerate(joined) if isinstance(event, TurnStarted)), default=0)
    events = joined[opened:]
    few = _few(events)
    kept = _small(few, TRACE_BYTES if len(few) == len(events) else TRACE_BYTES - SUM_BYTES)
    return kept if len(kept) == len(events) else _with_sum(kept, _sum(events), _sum(kept))


def _size(events: Sequence[Event]) -> int:
    return sum(map(size, events))


def _sum(events: Sequence[Event]) -> LeftOut:
    """Give the sum of the calls to models in a trace, and of those that it left out before."""
    calls = [event for event in events if isinstance(event, ModelCalled)]
    before = next((event.left_out for event in events if isinstance(event, TurnStarted) and event.left_out), LeftOut())
    mine = sum(call.step is Step.MODEL_CALL for call in calls)
    return LeftOut(
        calls=before.calls + mine,
        internal=before.internal + len(calls) - mine,
        reply_tokens=before.reply_tokens + sum(call.reply_tokens or 0 for call in calls),
        cached_tokens=before.cached_tokens + sum(call.cached_tokens or 0 for call in calls),
    )


def _with_sum(kept: tuple[Event, ...], whole: LeftOut, held: LeftOut) -> tuple[Event, ...]:
    """Give the kept events, the first of which tells what the whole trace held beyond them."""
    first, *rest = kept
    if whole == held or not isinstance(first, TurnStarted):
        return kept
    before = first.left_out or LeftOut()
    gone = {name: getattr(before, name) + getattr(whole, name) - getattr(held, name) for name in LeftOut.model_fields}
    return (first.model_copy(update={"left_out": LeftOut(**gone)}), *rest)


def _few(events: tuple[Event, ...]) -> tuple[Event, ...]:
    if len(events) <= MAX_EVENTS:
        return events
    half = MAX_EVENTS // 2
    degraded = dict.fromkeys(event for event in events[half:-half] if isinstance(event, Degraded))
    return (*events[:half], *[*degraded][:MAX_DEGRADED], *events[-half:])


def _small(events: tuple[Event, ...], limit: int) -> tuple[Event, ...]:
    if _size(events) <= limit:
        return events
    room = TRACE_BYTES - SUM_BYTES
    excess = _size(events) - room
    events = _without(events, [*_repeated(events, calls=False), *_repeated(events, calls=True)], excess)
    for letters in _SHORT:
        if _size(events) > room:
            events = tuple(_shorter(event, letters) for event in events)
    middle = sorted(range(1, len(events) - 1), key=lambda at: abs(at - len(events) // 2))
    return _without(events, middle, _size(events) - room)


def _without(events: tuple[Event, ...], order: Sequence[int], excess: int) -> tuple[Event, ...]:
    """Give the events without the first of those in the order, as many as free the excess."""
    gone: set[int] = set()
    for at in order:
        if excess <= 0:
            break
        gone.add(at)
        excess -= size(events[at])
    return tuple(event for at, event in enumerate(events) if at not in gone)


def _repeated(events: Sequence[Event], *, calls: bool) -> Iterator[int]:
    """Give where events stand that have one of their kind before and one behind them."""
    last = {event.kind: at for at, event in enumerate(events)}
    seen: set[str] = set()
    for at, event in enumerate(events):
        again = event.kind in seen and at != last[event.kind]
        seen.add(event.kind)
        if again and not isinstance(event, Degraded) and isinstance(event, ModelCalled | ToolCalled) is calls:
            yield at


def _shorter(event: Event, limit: int) -> Event:
    """Give the event with its texts cut to so many characters."""
    changed: dict[str, object] = {
        name: f"{value[:limit]}…"
        for name, value in event
        if name in _TEXTS and isinstance(value, str) and len(value) > limit
    }
    match event:
        case ConstraintsUpdated():
            changed["changes"] = tuple(
                each.model_copy(update={"words": each.words[:limit], "replaces": each.replaces[:limit]})
                for each in event.changes
            )
        case FidelityChecked():
            changed["missing"] = tuple(each.model_copy(update={"span": each.span[:limit]}) for each in event.missing)
        case _:
            pass
    return event.model_copy(update=changed) if changed else event
