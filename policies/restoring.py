"""Taking a compaction back: the window and the summary as they were before it, with what was said since behind them."""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.messages import BaseMessage, RemoveMessage

from ninefold.state import Entry
from ninefold.state.turn_state import REMOVE_ALL, TurnState, Update

Pair = tuple[Entry, BaseMessage]


def restored(
    now: TurnState, then: TurnState, original: Callable[[Entry], BaseMessage | None]
) -> tuple[Update, tuple[str, ...]]:
    """Give the update that brings back what left or was shortened since `then`, and the ids of what came back.

    Law: every message that comes back is its original, byte for byte; what was forgotten on request stays away.

    Args:
        now: the thread as it stands.
        then: as it stood before the compaction.
        original: gives a message from the archive, None for a forgotten one.
    """
    present = {entry.message: (entry, message) for entry, message in _pairs(now)}
    window: list[Pair] = []
    back: list[str] = []
    for entry, message in _pairs(then):
        here = present.pop(entry.message, None)
        if here is not None and here[0].compacted == entry.compacted:
            window.append(here)
            continue
        whole = message if entry.compacted else original(entry)
        if whole is not None:
            back.append(entry.message)
            window.append((_returned(entry, here), whole))
        elif here is not None:
            window.append(here)
    window += present.values()
    return Update(
        messages=[RemoveMessage(id=REMOVE_ALL), *(message for _, message in window)],
        entries=tuple(entry for entry, _ in window),
        summary=then.summary,
        next_cut=(),
        counters=now.counters.model_copy(update={"compactions": then.counters.compactions}),
    ), tuple(back)


def _pairs(state: TurnState) -> list[Pair]:
    messages = {message.id: message for message in state.messages}
    return [(entry, messages[entry.message]) for entry in state.entries if entry.message in messages]


def _returned(entry: Entry, here: Pair | None) -> Entry:
    """Give the entry of a message that came back; memories that were sent with it may no longer hold."""
    placed = here[0].placed if here else ()
    key = here[0].key if here else entry.key
    return entry.model_copy(update={"archived": True, "restored": True, "placed": placed, "key": key})
