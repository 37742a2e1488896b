"""After a turn: of its checkpoints only the last stays, and only so many turns can be gone back to."""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol, runtime_checkable

_log = logging.getLogger(__name__)


@runtime_checkable
class Pruning(Protocol):
    """A saver that can drop the checkpoints a finished turn no longer needs."""

    def prune_turns(self, thread: str, namespace: str, keep: int) -> None:
        """Keep the last checkpoint of each turn, by the turn stamp in its metadata, and the newest `keep` of those."""


def prune(saver: object, thread: str, namespace: str, keep: int) -> None:
    """Prune a thread where the saver can; a failure is only logged: the turn is kept, and the next one prunes again."""
    if isinstance(saver, Pruning):
        try:
            saver.prune_turns(thread, namespace, keep)
        except Exception:  # noqa: BLE001 - what a saver raises is its own
            _log.warning("the checkpoints of thread %r could not be pruned", thread, exc_info=True)


async def aprune(saver: object, thread: str, namespace: str, keep: int) -> None:
    """Do `prune` without blocking the event loop."""
    await asyncio.to_thread(prune, saver, thread, namespace, keep)
