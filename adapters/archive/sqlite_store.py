"""The archive's SQLite file: LangGraph's SqliteStore on a connection of its own, with async twins."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from langgraph.store.base import Op, Result
from langgraph.store.sqlite import SqliteStore

from ..sqlite_files import connect, first_opening, give_back
from ..threads import to_its_end


def open_store(path: Path) -> ThreadedSqliteStore:
    """Give the store over a database file, made with mode 0600 in a folder with mode 0700 where it is missing.

    Raises:
        StorageError: the file cannot be made or opened.
    """
    with first_opening(path):
        store = ThreadedSqliteStore(connect(path, autocommit=True))
        store.setup()
    return store


class ThreadedSqliteStore(SqliteStore):
    """LangGraph's SqliteStore whose async methods run the sync ones in a thread."""

    def keys(self, namespace: tuple[str, ...]) -> list[str]:
        """Give every key of exactly this namespace; `search` would sort the namespace for each page."""
        with self.lock:
            rows = self.conn.execute("SELECT key FROM store WHERE prefix = ?", (".".join(namespace),)).fetchall()
        return [str(row[0]) for row in rows]

    def vacuum(self) -> None:
        """Give the disk back what deleted rows held."""
        with self.lock:
            give_back(self.conn)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do `batch` without blocking the event loop."""
        return await to_its_end(self.batch, list(ops))
