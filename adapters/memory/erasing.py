"""Leaves nothing of deleted memories in the files of a Chroma folder: neither their words nor their vectors.

Chroma keeps a deleted row in its queue until it next writes the vector index, which it does after a thousand changes;
the index keeps the row's vector, the index of words its parts, and SQLite its text in pages that are free.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from ninefold.state import MemoryStoreError

from ..sqlite_files import BUSY_SECONDS, give_back

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

    from .connection import Connection

DATABASE = "chroma.sqlite3"
LOCK = "ninefold.lock"
_POLL = 0.01
"""Seconds between two tries for the lock: most of what it is held for takes no longer."""
ROWS = "data_level0.bin"
USUAL, SOONEST = 1000, 2
"""Changes after which Chroma writes its index: unless told otherwise, and at the soonest."""
WORDS = "embedding_fulltext_search"
"""Chroma's index of words; what leaves it stays in its segments until they are merged."""
_HEADER = struct.Struct("<iQQQQ")
"""How an index's header begins: version, offset, rows that there is room for, rows, bytes of a row."""
_LENGTH = 4
"""Bytes of a row in the file of the rows' lengths."""


@contextmanager
def alone(folder: Path | None) -> Iterator[None]:
    """Hold a Chroma folder while the block runs: no other process writes an index meanwhile, nor empties its room.

    A server has no folder, and one that is not there yet, or not any more, has nothing to hold.

    Raises:
        MemoryStoreError: another process has held it for `BUSY_SECONDS`.
    """
    if folder is None or not folder.exists():
        yield
        return
    lock = FileLock(folder / LOCK, timeout=BUSY_SECONDS, mode=0o600, poll_interval=_POLL)
    try:
        lock.acquire()
    except Timeout as error:
        raise MemoryStoreError(
            f"Another process has held the memories in {folder} for {BUSY_SECONDS} s.",
            "Wait until it is done; the turn goes on without them and nothing is lost.",
        ) from error
    try:
        yield
    finally:
        lock.release()


def overwrite(client: ClientAPI, name: str, ids: list[str]) -> None:
    """Put another vector in each row's place: the index keeps the vector of a deleted row."""
    collection = client.get_collection(name, embedding_function=None)
    found = collection.get(ids=ids[:1], include=["embeddings"])["embeddings"]
    if found is not None and len(found):
        collection.update(ids=ids, embeddings=[_any_vector(len(found[0])) for _ in ids])


def erase(connection: Connection, folder: Path, name: str) -> None:
    """Let Chroma write a collection's index and empty its queue, then write its database anew; the client is closed.

    Raises:
        StorageError: another process writes without end, or the disk has no room for the copy.
    """
    with closing(sqlite3.connect(folder / DATABASE, timeout=BUSY_SECONDS)) as database:
        ((dimension,),) = database.execute("SELECT dimension FROM collections WHERE name = ?", (name,)).fetchall()
    if dimension is not None:
        _sync_after(connection, name, SOONEST)
        try:
            # An index takes the setting when it is opened, and what is queued when it is asked.
            connection.close()
            client, _ = connection.client()
            collection = client.get_collection(name, embedding_function=None)
            collection.query(query_embeddings=[_any_vector(dimension)], n_results=1, include=[])
        finally:
            _sync_after(connection, name, USUAL)
    connection.close()
    with closing(sqlite3.connect(folder / DATABASE, timeout=BUSY_SECONDS, isolation_level=None)) as database:
        database.execute(f"INSERT INTO {WORDS}({WORDS}) VALUES ('optimize')")
        give_back(database)
    blank_rewritten(folder, {})


def blank_rewritten(folder: Path, seen: dict[Path, int]) -> None:
    """Empty the unused room of every index whose file was written since it was last seen; the folder is held `alone`.

    Args:
        folder: of the Chroma store.
        seen: when each was written last, in nanoseconds; it is brought up to date.
    """
    for header in folder.glob("*/header.bin"):
        rows = header.with_name(ROWS)
        with suppress(FileNotFoundError):  # the index is being made, or went with its collection
            if seen.get(header) != rows.stat().st_mtime_ns:
                _blank_unused(header)
                seen[header] = rows.stat().st_mtime_ns


def _blank_unused(header: Path) -> None:
    """Empty the room that an index's files have for more rows: it was written as it lay in its process's memory."""
    with open(header, "rb") as file:
        begun = file.read(_HEADER.size)
    if len(begun) < _HEADER.size:
        return
    _, _, _, rows, size = _HEADER.unpack(begun)
    for name, row in ((ROWS, size), ("length.bin", _LENGTH)):
        path = header.with_name(name)
        with open(path, "r+b") as file:
            file.write(bytes(max(path.stat().st_size - file.seek(rows * row), 0)))


def _sync_after(connection: Connection, name: str, changes: int) -> None:
    client, _ = connection.client()
    collection = client.get_collection(name, embedding_function=None)
    collection.modify(configuration={"hnsw": {"sync_threshold": changes}})
    connection.wrote()


def _any_vector(dimension: int) -> Sequence[float]:
    return [1.0] + [0.0] * (dimension - 1)
