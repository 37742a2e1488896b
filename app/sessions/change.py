"""Sessions forked, renamed and deleted; each waits for a turn that runs on them, here or in another process."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ninefold.state import InputError, StorageError

from ..home import ARCHIVE, CHECKPOINTS
from ..storage import LOCKS
from .place import Place, lock_key, memories, only_files

if TYPE_CHECKING:
    from langgraph.checkpoint.base import CheckpointTuple

    from ninefold.adapters.checkpoints.lineage import Row


def fork_session(place: Place, thread: str, user: str, *, new: str, turn: int | None = None) -> int:
    """Make a session that goes on from a turn of another one, and give that turn's number; the other one stays.

    The new session can go back to every turn that the old one could go back to from there, and has an archive of its
    own. Memories belong to the person and are shared.

    Args:
        place: where the sessions are kept.
        thread: the session to fork.
        user: whose session it is.
        new: the new session's name.
        turn: the turn's number; None for where the session stands, an open question included.

    Raises:
        InputError: there is no such session or turn, or the new name is taken.
        StorageError: a database failed, or the turn is damaged.
        ThreadBusy: a turn runs on one of the two.
    """
    from ninefold.adapters.checkpoints.lineage import branch_of

    with place.held(thread, new):
        line = branch_of(place.rows(thread, user))
        place.free(new)
        first = 0 if turn is None else _place_of(place, thread, line, turn)
        kept = _copy_rows(place, thread, new, line[first:])
        return _copy_archive(place, thread, new, kept)


def rename_session(place: Place, thread: str, user: str, *, new: str) -> None:
    """Give a session another name, with all its branches, archive and prompt log; its memories name the new session.

    The copy is whole before the old name goes: cut short, it leaves the session under its old name.

    Raises:
        InputError: there is no such session, or the new name is taken.
        StorageError: a database failed, or the prompt log cannot be moved; both names are there then.
        MemoryStoreError: the memories could not be told; both names are there then.
        ThreadBusy: a turn runs on one of the two.
    """
    from ninefold.adapters.archive.whole_thread import all_turns, copy_turns, delete_archive

    from ..prompt_log import PromptLog

    with place.held(thread, new):
        rows = place.rows(thread, user)
        place.free(new)
        mine = memories(place, user, thread)
        copy_turns(place.store, thread, new, all_turns(place.store, thread))
        _copy_prepared(place, thread, new)
        _copy_rows(place, thread, new, rows)
        if mine and (memory := place.memory(True)):
            memory.write([record.model_copy(update={"thread": new}) for record in mine])
        PromptLog(place.data).rename(thread, new)
        place.saver.delete_thread(thread)
        delete_archive(place.store, thread)
        _forget_lock(place, thread)


def delete_session(place: Place, thread: str, user: str) -> int:
    """Delete a session's checkpoints, archive, prompt log and lock, and give how many turns that were.

    Memories stay the person's.

    Raises:
        InputError: there is no such session.
        StorageError: a database failed, or the prompt log cannot be deleted; the same call goes on.
        ThreadBusy: a turn runs on it.
    """
    from ninefold.adapters.archive.whole_thread import delete_archive

    from ..prompt_log import PromptLog

    with place.held(thread):
        place.rows(thread, user)
        PromptLog(place.data).delete(thread)
        turns = delete_archive(place.store, thread)
        place.saver.delete_thread(thread)
        _forget_lock(place, thread)
    return turns


def checkpoint_of(place: Place, thread: str, user: str, turn: int) -> str:
    """Give the id of the checkpoint from which a session's turn is gone on from.

    Raises:
        InputError: there is no such session or turn.
        StorageError: the database failed.
    """
    from ninefold.adapters.checkpoints.lineage import branch_of

    line = branch_of(place.rows(thread, user))
    return line[_place_of(place, thread, line, turn)].id


def vacuum(place: Place) -> tuple[int, int]:
    """Give the disk back what deleted sessions held, and say how many bytes the databases had and have.

    Raises:
        StorageError: another process writes without end, or the disk has no room for the copy.
    """
    from ninefold.adapters.sqlite_files import Compactable

    folder = only_files(place)
    files = [folder / f"{name}{end}" for name in (CHECKPOINTS, ARCHIVE) for end in ("", "-wal")]
    before = sum(file.stat().st_size for file in files if file.exists())
    databases: tuple[object, ...] = (place.saver, place.store)
    for database in databases:
        if isinstance(database, Compactable):
            database.vacuum()
    return before, sum(file.stat().st_size for file in files if file.exists())


def _place_of(place: Place, thread: str, line: Sequence[Row], turn: int) -> int:
    """Give where in a branch, newest first, the last checkpoint of a turn stands.

    Raises:
        InputError: the branch has no such turn that can be read.
    """
    known: list[int] = []
    for index, row in enumerate(line):
        with suppress(StorageError):
            found = place.tuple(thread, row.id)
            values = (found.checkpoint["channel_values"].get("turn") if found else None) or {}
            # A checkpoint that another turn's input or first step wrote still tells the turn before it.
            if values and row.turn in (None, values["id"]):
                if values["number"] == turn:
                    return index
                known.append(values["number"])
    turns = f"{min(known)}–{max(known)}" if known else "–"
    raise InputError(*place.words.refusal("sessions.no_turn", thread=thread, turn=turn, turns=turns))


def _copy_rows(place: Place, thread: str, new: str, rows: Sequence[Row]) -> CheckpointTuple:
    """Keep checkpoints under another thread too, the oldest first, and give the newest; older damaged ones are left."""
    from ninefold.adapters.checkpoints.rows import put_tuple

    copied: dict[str, str] = {}
    parents = {row.id: row.parent for row in rows}
    newest = place.tuple(thread, rows[0].id)
    assert newest is not None
    for row in reversed(rows):
        try:
            found = newest if row is rows[0] else place.tuple(thread, row.id)
        except StorageError:
            continue
        if found is not None:
            copied[row.id] = put_tuple(place.saver, new, found, _copied_parent(row.parent, parents, copied))
    return newest


def _copied_parent(parent: str | None, parents: dict[str, str | None], copied: dict[str, str]) -> str | None:
    while parent is not None and parent not in copied:
        parent = parents.get(parent)
    return parent


def _copy_archive(place: Place, thread: str, new: str, head: CheckpointTuple) -> int:
    from ninefold.adapters.archive import branch
    from ninefold.adapters.archive.whole_thread import copy_turns

    turn: dict[str, Any] = head.checkpoint["channel_values"].get("turn") or {}
    rows = branch(place.store, thread, turn.get("id"), turn.get("parent"))
    copy_turns(place.store, thread, new, rows)
    _copy_prepared(place, thread, new)
    return int(turn.get("number", 0))


def _copy_prepared(place: Place, thread: str, new: str) -> None:
    from ninefold.adapters.archive.whole_thread import copy_prepared

    copy_prepared(place.store, thread, new)


def _forget_lock(place: Place, thread: str) -> None:
    """Remove a thread's lock file; where the system keeps a held file it stays, and holds nothing."""
    from ninefold.graph.locks import lock_name

    if place.folder is not None:
        with suppress(OSError):
            (place.folder / LOCKS / lock_name(lock_key(thread))).unlink(missing_ok=True)
