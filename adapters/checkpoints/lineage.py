"""A thread's checkpoints as a line: which turn wrote each, which came before it, which a finished turn keeps."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, cast

from langchain_core.runnables import RunnableConfig

from ninefold.state import StorageError

TURN = "ninefold_turn"
"""The key in a checkpoint's metadata that names the turn it belongs to."""
AT = "ninefold_at"
"""The key that says when that turn began."""
USER = "ninefold_user"
"""The key that names the person."""

Superseded = tuple[list[str], list[tuple[str, str | None]]]
"""The rows that may go, and each row that stays in their place with the parent that it has then."""


class Row(NamedTuple):
    """One checkpoint without its state."""

    id: str
    parent: str | None
    turn: str | None
    """The id of the turn that wrote it; None for one that another program wrote, or that cannot be read."""
    user: str | None


def at(thread: str, checkpoint: str | None = None) -> RunnableConfig:
    """Give the config of a thread's checkpoint, or of its latest."""
    where = {"thread_id": thread, "checkpoint_ns": ""}
    return {"configurable": where if checkpoint is None else {**where, "checkpoint_id": checkpoint}}


def stamped(metadata: str | None) -> tuple[str | None, str | None]:
    """Give turn and person of a checkpoint's metadata as JSON; nothing when it is damaged."""
    try:
        read = json.loads(metadata or "{}")
    except ValueError:
        return None, None
    known = cast("Mapping[str, Any]", read if isinstance(read, dict) else {})
    return known.get(TURN), known.get(USER)


def branch_of(rows: Sequence[Row], head: str | None = None) -> list[Row]:
    """Give a checkpoint, by default the newest, and those behind it along their parents.

    Args:
        rows: a thread's checkpoints, newest first.
        head: the checkpoint's id.
    """
    known = {row.id: row for row in rows}
    line: dict[str, Row] = {}
    row = known.get(head or (rows[0].id if rows else ""))
    while row is not None and row.id not in line:
        line[row.id] = row
        row = known.get(row.parent or "")
    return [*line.values()]


def damaged_turn(thread: str, turn: int | None, good: int | None, error: Exception) -> StorageError:
    """Give the error of a damaged checkpoint, with the command that goes on from the last good turn."""
    which = "its last turn" if turn is None else f"its turn {turn}"
    cause = f"The session {thread!r} cannot be read: the checkpoint of {which} is damaged ({type(error).__name__})."
    name = shlex.quote(thread)
    if good is None:
        return StorageError(cause, f"No earlier turn is whole; `ninefold sessions show {name}` shows what was said.")
    fork = f"`ninefold sessions fork {name} --turn {good} --as NEW`"
    return StorageError(cause, f"The last good turn is {good}: {fork} goes on from there; nothing was changed.")


def in_turn_rows(rows: Iterable[tuple[str, str | None, str | None]]) -> Superseded:
    """Give the rows that are not the last of their turn, and each last row with its turn's parent, newest first.

    It looks back as far as the first turn that was pruned before, so that a turn that died is pruned by the next.

    Args:
        rows: id, parent and turn of a thread's checkpoints, newest first.
    """
    doomed: list[str] = []
    parents: list[tuple[str, str | None]] = []
    for place, (turn, group) in enumerate(groupby(rows, key=lambda row: row[2])):
        last, *others = group
        if turn is None:
            continue
        if not others and place > 0:
            break
        if others:
            doomed += [row[0] for row in others]
            parents.append((last[0], others[-1][1]))
    return doomed, parents
