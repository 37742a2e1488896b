"""What is kept between two calls, as plain data in the agent's own state: no class of ours is in a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from ninefold.graph.migrations import Schema
from ninefold.state import Entry
from ninefold.state.turn_state import TurnState

from .history import sequence_of

WINDOW = "window"
"""The key under which the texts stand that the window holds in place of a message's own, by message id."""
_SCHEMA = Schema()


def kept(state: TurnState, history: Sequence[BaseMessage]) -> dict[str, Any]:
    """Give a state as plain data, its messages as what of them differs from the history."""
    content = {message.id: message.content for message in history}
    differing = {
        message.id: message.content for message in state.messages if content.get(message.id) != message.content
    }
    return {**state.model_dump(mode="json", exclude={"messages"}), WINDOW: differing}


def taken_up(stored: Mapping[str, Any] | None, history: Sequence[BaseMessage]) -> TurnState:
    """Give the state that was kept, over the history; what was taken out of the agent's state is out of the window.

    Raises:
        SchemaError: it was kept by a release that this one cannot read.
    """
    if not stored:
        return TurnState()
    shape = _SCHEMA.typed(_SCHEMA.migrate({name: value for name, value in stored.items() if name != WINDOW}))
    texts: Mapping[str, Any] = stored.get(WINDOW) or {}
    known = {message.id: message for message in history}
    entries = tuple(in_history(entry) for entry in shape.get("entries", ()) if entry.message in known)
    window = [_with(known[entry.message], texts) for entry in entries]
    return TurnState.model_validate({**shape, "entries": entries, "messages": window})


def in_history(entry: Entry) -> Entry:
    """Give an entry whose message the agent's state holds: from there it can be read again, under a lasting number."""
    return (
        entry if entry.archived else entry.model_copy(update={"sequence": sequence_of(entry.message), "archived": True})
    )


def _with(message: BaseMessage, texts: Mapping[str, Any]) -> BaseMessage:
    id_ = message.id or ""
    return message.model_copy(update={"content": texts[id_]}) if id_ in texts else message
