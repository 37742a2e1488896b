"""The answer of an older turn, from the archive, in the form in which LangGraph streams values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langgraph.store.base import BaseStore

from ninefold.adapters.archive import turn_messages, turn_row
from ninefold.state import IdentityError


def answered(store: BaseStore, thread: str, turn: str) -> dict[str, Any] | None:
    """Give a turn's output as it was, its own messages for a window, or None for a turn that the archive never saw.

    Raises:
        IdentityError: the turn is known and has no answer of its own: it died and was answered with a later one, or its
            words were forgotten on request.
    """
    row = turn_row(store, thread, turn)
    if row is None:
        return None
    messages = turn_messages(store, thread, turn)
    if not messages or messages[-1].type != "ai":
        raise IdentityError(
            f"The turn {turn!r} of the thread {thread!r} was taken before and no answer of its own is kept.",
            "Use a new turn_id to ask again.",
        )
    return {"messages": messages}


def as_parts(values: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Any]:
    """Give values as the one part that a stream with these options has for them; none where values are not asked."""
    modes = options.get("stream_mode") or "values"
    if "values" not in ([modes] if isinstance(modes, str) else modes):
        return
    if options.get("version") == "v2":
        yield {"type": "values", "ns": (), "data": dict(values), "interrupts": ()}
        return
    head = ((),) if options.get("subgraphs") else ()
    part = (*head, *(() if isinstance(modes, str) else ("values",)), dict(values))
    yield part if len(part) > 1 else dict(values)
