"""The sessions in a data folder, read without the agent that made them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .home import ARCHIVE, CHECKPOINTS

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from ninefold.adapters.checkpoints import ThreadedSqliteSaver


@dataclass(frozen=True)
class Session:
    """One thread as a list shows it."""

    thread: str
    user: str
    turns: int
    at: str
    """When its last turn began: ISO 8601 with offset."""
    words: str
    """The person's last message."""


def list_sessions(folder: Path, user: str) -> tuple[Session, ...]:
    """Give a person's sessions, the one used last first.

    Raises:
        StorageError: the database cannot be read.
    """
    if not (folder / CHECKPOINTS).exists():
        return ()
    with _opened(folder) as saver:
        found = [_session(saver, thread) for thread in _threads(saver)]
    mine = [session for session in found if session is not None and session.user == user]
    return tuple(sorted(mine, key=lambda session: session.at, reverse=True))


def transcript(folder: Path, thread: str, user: str) -> list[BaseMessage] | None:
    """Give every message of a person's session, oldest first; None when there is no such session.

    Raises:
        StorageError: a database cannot be read.
    """
    from ninefold.adapters.archive import history_messages, open_store

    if not (folder / CHECKPOINTS).exists():
        return None
    with _opened(folder) as saver:
        values = _values(saver, thread)
    if not values or values.get("owner") != user:
        return None
    turn = values.get("turn") or {}
    window: list[BaseMessage] = list(values.get("messages", ()))
    archived: list[BaseMessage] = []
    if turn and (folder / ARCHIVE).exists():
        archived = list(history_messages(open_store(folder / ARCHIVE), thread, turn["id"]))
    known = {message.id for message in archived}
    return archived + [message for message in window if message.id not in known]


@contextmanager
def _opened(folder: Path) -> Iterator[ThreadedSqliteSaver]:
    from ninefold.adapters.checkpoints import open_saver

    saver = open_saver(folder / CHECKPOINTS)
    try:
        yield saver
    finally:
        saver.conn.close()


def _threads(saver: ThreadedSqliteSaver) -> list[str]:
    with saver.cursor(transaction=False) as cursor:
        rows = cursor.execute("SELECT DISTINCT thread_id FROM checkpoints WHERE checkpoint_ns = ''")
        return [str(row[0]) for row in rows]


def _values(saver: ThreadedSqliteSaver, thread: str) -> Mapping[str, Any]:
    """Give a thread's stored values, ours as plain data."""
    found = saver.get_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
    return found.checkpoint["channel_values"] if found else {}


def _session(saver: ThreadedSqliteSaver, thread: str) -> Session | None:
    values = _values(saver, thread)
    turn = values.get("turn")
    if not turn:
        return None
    said = [message for message in values.get("messages", ()) if message.type == "human"]
    return Session(
        thread=thread,
        user=str(values.get("owner")),
        turns=int(turn["number"]),
        at=str(turn["at"]),
        words=" ".join(str(said[-1].text).split()) if said else "",
    )
