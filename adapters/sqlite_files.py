"""Opens SQLite files that only their owner can read, and that several processes can write."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, runtime_checkable

from filelock import FileLock

from ninefold.state import StorageError

BUSY_SECONDS = 30
"""How long a writer waits for another process's commit."""


def private_folder(folder: Path) -> Path:
    """Give the folder, made with mode 0700 where it is missing.

    Raises:
        StorageError: it cannot be made or written to.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"The data folder {folder} cannot be made: {error.strerror}.", _NEXT) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"The data folder {folder} cannot be written to.", _NEXT)
    return folder


@contextmanager
def first_opening(path: Path) -> Iterator[None]:
    """Let one connection at a time open the file and make its tables.

    SQLite answers "locked" at once, whatever the timeout, where two connections turn a new file to WAL together, and
    two that make LangGraph's tables together write the same migration twice.

    Raises:
        StorageError: the folder cannot be written to, or another process has held the opening for `BUSY_SECONDS`.
    """
    private_folder(path.parent)
    try:
        with FileLock(path.with_name(f"{path.name}.opening"), timeout=BUSY_SECONDS, mode=0o600):
            yield
    except OSError as error:
        raise StorageError(f"The database {path} cannot be opened: {error}.", _NEXT) from error


def connect(path: Path, *, autocommit: bool) -> sqlite3.Connection:
    """Give a connection to the file in WAL mode with `synchronous=NORMAL`; the file is made with mode 0600.

    Raises:
        StorageError: the file cannot be made, opened, or is no SQLite database.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None if autocommit else "DEFERRED"
        )
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
    except (OSError, sqlite3.Error) as error:
        raise StorageError(f"The database {path} cannot be opened: {error}.", _NEXT) from error
    return connection


@runtime_checkable
class Compactable(Protocol):
    """A database whose file can be written anew without what was deleted."""

    def vacuum(self) -> None:
        """Give the disk back what deleted rows held."""
        ...


def give_back(connection: sqlite3.Connection) -> None:
    """Give the disk back what deleted rows held: the file is written anew without them.

    Raises:
        StorageError: another process writes without end, or the disk has no room for the copy.
    """
    try:
        connection.commit()
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise StorageError(f"The database could not be compacted: {error}.", "Nothing was lost; try again.") from error


_NEXT = "Choose a folder you may write to with NINEFOLD_HOME or `storage.folder`, or run `ninefold doctor`."
