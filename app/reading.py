"""Everything that was said on a thread, and the prompt that its last call was sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig

from ninefold.adapters.archive import history_messages
from ninefold.graph.guard import TurnGraph
from ninefold.state import StorageError, Turn


def history(graph: TurnGraph, config: RunnableConfig) -> list[BaseMessage]:
    """Give every message of the thread's branch, oldest first: the archive, then what only the window holds.

    Args:
        graph: what `build_graph` gave.
        config: names the thread, and a checkpoint for another branch than the latest.

    Raises:
        IdentityError: the thread belongs to another user.
        StorageError: the graph has no store of its own.
    """
    if graph.store is None:
        raise StorageError("This graph has no store.", "Read the history through the server that runs it.")
    values: Mapping[str, Any] = graph.get_state(config).values
    turn: Turn | None = values.get("turn")
    if turn is None:
        return list(values.get("messages", ()))
    thread = config.get("configurable", {})["thread_id"]
    archived = list(history_messages(graph.store, thread, turn.id, turn.parent))
    known = {message.id for message in archived}
    # What the archive has, it tells in its place; what was forgotten there is not told from the window either.
    known.update(entry.message for entry in values.get("entries", ()) if entry.archived)
    return archived + [message for message in values["messages"] if message.id not in known]
