"""How a turn's trace grows: bounded in number and in bytes, because the state is written with every step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .trace import ConstraintsUpdated, Degraded, Event, FidelityChecked, ModelCalled, ToolCalled, TurnStarted

MAX_EVENTS = 64
"""A turn's trace keeps its first half and its last half of this many events, and what was degraded between them."""

MAX_DEGRADED = 16
"""Degradations kept from between the halves, each said once."""

TRACE_BYTES = 6 * 1024
"""Of a turn's whole trace, as JSON."""

_TEXTS = ("reason", "what", "cause", "error")
_SHORT = (120, 40)
"""Characters that the texts of a trace without room are cut to, one after the other."""


def append_events(trace: Sequence[Event], more: Sequence[Event]) -> tuple[Event, ...]:
    """Give the trace with more events behind it, in at most TRACE_BYTES; a TurnStarted opens a new trace.

    What gives way, in this order: repeated looks at the window, oldest first, then repeated calls, then the ends of
    long texts, and last whatever stands in the middle. The first and the last event of a kind and what was degraded
    stay longest.

    Law: `append(append(t, a), b) == append(t, a + b)` while nothing has to give way.
    """
    joined = (*trace, *more)
    opened = max((i for i, event in enumerate(joined) if isinstance(event, TurnStarted)), default=0)
    return _small(_few(joined[opened:]))


def size(events: Sequence[Event]) -> int:
    """Give the bytes of events as JSON."""
    return sum(len(event.model_dump_json().encode("utf-8", "surrogatepass")) for event in events)


def _few(events: tuple[Event, ...]) -> tuple[Event, ...]:
    if len(events) <= MAX_EVENTS:
        return events
    half = MAX_EVENTS // 2
    degraded = dict.fromkeys(event for event in events[half:-half] if isinstance(event, Degraded))
    return (*events[:half], *[*degraded][:MAX_DEGRADED], *events[-half:])


def _small(events: tuple[Event, ...]) -> tuple[Event, ...]:
    excess = size(events) - TRACE_BYTES
    if excess <= 0:
        return events
    events = _without(events, [*_repeated(events, calls=False), *_repeated(events, calls=True)], excess)
    for limit in _SHORT:
        if size(events) > TRACE_BYTES:
            events = tuple(_shorter(event, limit) for event in events)
    middle = sorted(range(1, len(events) - 1), key=lambda at: abs(at - len(events) // 2))
    return _without(events, middle, size(events) - TRACE_BYTES)


def _without(events: tuple[Event, ...], order: Sequence[int], excess: int) -> tuple[Event, ...]:
    """Give the events without the first of those in the order, as many as free the excess."""
    gone: set[int] = set()
    for at in order:
        if excess <= 0:
            break
        gone.add(at)
        excess -= size(events[at : at + 1])
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
