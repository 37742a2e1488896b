"""What every saver can be asked: its threads, a thread's checkpoints, a checkpoint kept under another thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast, runtime_checkable

from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from .lineage import TURN, USER, Row, at


@runtime_checkable
class Listing(Protocol):
    """A saver that lists its checkpoints without reading their states, damaged ones too."""

    def threads(self) -> list[str]:
        """Give the ids of all threads."""
        ...

    def rows(self, thread: str) -> list[Row]:
        """Give a thread's checkpoints, newest first."""
        ...


def threads_of(saver: BaseCheckpointSaver[Any]) -> list[str]:
    """Give the ids of all threads of a saver.

    Raises:
        StorageError: the database failed.
    """
    if isinstance(saver, Listing):
        return saver.threads()
    known = (found.config.get("configurable", {})["thread_id"] for found in saver.list(None))
    return [*dict.fromkeys(known)]


def rows_of(saver: BaseCheckpointSaver[Any], thread: str) -> list[Row]:
    """Give a thread's checkpoints, newest first; of our own savers also those whose state is damaged.

    Raises:
        StorageError: the database failed.
    """
    if isinstance(saver, Listing):
        return saver.rows(thread)
    return [_row(found) for found in saver.list(at(thread))]


def put_tuple(saver: BaseCheckpointSaver[Any], thread: str, found: CheckpointTuple, parent: str | None) -> str:
    """Keep a checkpoint with its pending writes under another thread, behind a parent there, and give its id."""
    config = saver.put(at(thread, parent), found.checkpoint, found.metadata, found.checkpoint["channel_versions"])
    writes: dict[str, list[tuple[str, Any]]] = {}
    for task, channel, value in found.pending_writes or ():
        writes.setdefault(task, []).append((channel, value))
    for task, each in writes.items():
        saver.put_writes(config, each, task)
    return found.checkpoint["id"]


def _row(found: CheckpointTuple) -> Row:
    metadata = cast("Mapping[str, Any]", found.metadata or {})
    parent = (found.parent_config or {}).get("configurable", {}).get("checkpoint_id")
    return Row(found.checkpoint["id"], parent, metadata.get(TURN), metadata.get(USER))
