"""Forgetting as a person asks for it, in a chat, at the page or by command: also in the lines that a chat keeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .console.lines import HISTORY, scrub

if TYPE_CHECKING:
    from ninefold.graph.forgetting import Forgotten
    from ninefold.graph.guard import TurnGraph


def forget(graph: TurnGraph, user: str, what: str, folder: Path, *, thread: str | None = None) -> Forgotten:
    """Forget words, or what stands under an id: on every thread, in the memories, in the lines of the data folder.

    Args:
        graph: what `build_graph` gave.
        user: whose things.
        what: the words; or the id of a memory, or of a constraint of the thread, whose words are meant then.
        folder: the data folder.
        thread: the one that is gone through first.

    Raises:
        InputError: the words are too few to forget by, or the last turn of the thread is not finished.
        StorageError: a store failed; the same call goes on.
    """
    from ninefold.graph.forgetting import forget, forget_everywhere

    if thread is None:
        gone = forget_everywhere(graph, user, what)
    else:
        gone = forget(graph, {"configurable": {"thread_id": thread, "user_id": user}}, what)
    scrub(folder / HISTORY, gone.texts)
    return gone
