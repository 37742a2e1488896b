"""After a turn: of its checkpoints only the last stays, and only so many turns can be gone back to.

LangGraph's own way to prune a saver keeps one checkpoint of a thread, so that nothing could be gone back to. Ours and
its saver in memory are pruned by turn, and so is whatever has a method `prune_turns`; any other keeps all it is given.
"""

from __future__ import annotations

import logging
from typing import Any, Protocol, runtime_checkable

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver

from ninefold.adapters.checkpoints.in_memory import prune_in_memory
from ninefold.adapters.threads import to_its_end
from ninefold.state import StorageError

_log = logging.getLogger(__name__)


@runtime_checkable
class Pruning(Protocol):
    """A saver that can drop the checkpoints a finished turn no longer needs."""

    def prune_turns(self, thread: str, namespace: str, keep: int) -> None:
        """Keep the last checkpoint of each turn, by the turn stamp in its metadata, and the newest `keep` of those."""


def prune(saver: BaseCheckpointSaver[Any], thread: str, namespace: str, keep: int) -> None:
    """Prune a thread where the saver can; a failure is only logged: the turn is kept, and the next one prunes again."""
    try:
        _prune(saver, thread, namespace, keep)
    except Exception:  # noqa: BLE001 - what a saver raises is its own
        _log.warning("the checkpoints of thread %r could not be pruned", thread, exc_info=True)


def check_prunable(saver: BaseCheckpointSaver[Any]) -> None:
    """Refuse a saver that keeps every state it is given.

    Raises:
        StorageError: it does.
    """
    if not isinstance(saver, Pruning | InMemorySaver):
        raise StorageError(
            f"{type(saver).__name__} keeps all earlier states of a thread, which may hold the words. Nothing was done.",
            "Delete the thread there, or give build_graph a saver with a method prune_turns(thread, namespace, keep).",
        )


def drop_earlier(saver: BaseCheckpointSaver[Any], thread: str, namespace: str) -> None:
    """Leave nothing of a thread but its newest state.

    Raises:
        StorageError: the saver failed; the earlier states are still there then.
    """
    try:
        _prune(saver, thread, namespace, 1)
    except Exception as error:  # what a saver raises is its own
        raise StorageError(
            f"The earlier states of the thread {thread!r}, which may hold the words, could not be dropped:"
            f" {type(error).__name__}: {error}.",
            "Look at the database, then forget the same again: it goes on from there.",
        ) from error


def _prune(saver: BaseCheckpointSaver[Any], thread: str, namespace: str, keep: int) -> None:
    match saver:
        case Pruning():
            saver.prune_turns(thread, namespace, keep)
        case InMemorySaver():
            prune_in_memory(saver, thread, namespace, keep)
        case _:
            pass


async def aprune(saver: BaseCheckpointSaver[Any], thread: str, namespace: str, keep: int) -> None:
    """Do `prune` without blocking the event loop."""
    await to_its_end(prune, saver, thread, namespace, keep)
