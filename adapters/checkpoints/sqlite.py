"""Checkpoints in one SQLite file that serves sync and async callers, pruned by turn."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    CheckpointTuple,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite import SqliteSaver

from ninefold.state import StorageError

from ..sqlite_files import connect, first_opening, give_back
from .lineage import TURN, Row, Superseded, at, branch_of, damaged_turn, in_turn_rows, stamped
from .plain_serde import PlainSerde
from .threaded import AsyncTwins


def open_saver(path: Path, serde: SerializerProtocol | None = None) -> ThreadedSqliteSaver:
    """Give the saver over a database file, made with mode 0600 in a folder with mode 0700 where it is missing.

    Args:
        path: the file.
        serde: encrypts what is written; None writes it plain.

    Raises:
        StorageError: the file cannot be made or opened.
    """
    with first_opening(path):
        saver = ThreadedSqliteSaver(connect(path, autocommit=False), serde=PlainSerde(serde))
        saver.setup()
    return saver


class ThreadedSqliteSaver(AsyncTwins, SqliteSaver):
    """LangGraph's SqliteSaver whose async methods run the sync ones in a thread."""

    def setup(self) -> None:
        """Make the tables; a commit waits for the write-ahead log, not for the disk."""
        if not self.is_setup:
            super().setup()
            self.conn.execute("PRAGMA synchronous=NORMAL")

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """Give a cursor for one transaction.

        Raises:
            StorageError: the database failed; what was committed before stands.
        """
        try:
            with super().cursor(transaction) as cur:
                yield cur
        except sqlite3.Error as error:
            raise StorageError(
                f"The session database failed: {error}.",
                "Nothing that was kept before is lost; look at the disk and the folder's permissions, then go on.",
            ) from error

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Give a checkpoint, or a thread's latest.

        Raises:
            StorageError: the database failed, or the checkpoint is damaged; the last good turn is named then.
        """
        try:
            return _whole(super().get_tuple(config))
        except StorageError:
            raise
        except Exception as error:
            raise self._damaged(config, error) from error

    def threads(self) -> list[str]:
        """Give the ids of all threads."""
        with self.cursor(transaction=False) as cur:
            rows = cur.execute("SELECT DISTINCT thread_id FROM checkpoints WHERE checkpoint_ns = ''")
            return [str(row[0]) for row in rows]

    def rows(self, thread: str) -> list[Row]:
        """Give a thread's checkpoints without their states, newest first."""
        with self.cursor(transaction=False) as cur:
            found = cur.execute(
                "SELECT checkpoint_id, parent_checkpoint_id, CAST(metadata AS TEXT) FROM checkpoints"
                " WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id DESC",
                (thread,),
            )
            return [Row(row[0], row[1], *stamped(row[2])) for row in found]

    def vacuum(self) -> None:
        """Give the disk back what deleted rows held."""
        with self.lock:
            give_back(self.conn)

    def _damaged(self, config: RunnableConfig, error: Exception) -> StorageError:
        """Give the error of a checkpoint that cannot be read, with the last turn before it that can."""
        where = config.get("configurable", {})
        thread = str(where["thread_id"])
        line = branch_of(self.rows(thread), where.get("checkpoint_id"))
        for place, row in enumerate(line):
            try:
                found = _whole(super().get_tuple(at(thread, row.id)))
            except Exception:  # noqa: BLE001 - a damaged one, whatever it raises: an older one is looked for
                continue
            turn = found.checkpoint["channel_values"].get("turn") if found else None
            if turn:
                unread = len({newer.turn for newer in line[:place]} - {turn["id"]})
                return damaged_turn(thread, turn["number"] + max(unread, 1), turn["number"], error)
        return damaged_turn(thread, None, None, error)

    def prune_turns(self, thread: str, namespace: str, keep: int) -> None:
        """Keep the last row of each turn and the newest `keep` rows; time grows with the rows of the last turns only.

        Rows without a turn's stamp (made by `update_state` or another program) are kept as they are.
        """
        with self.cursor() as cur:
            doomed, parents = _in_turn_rows(cur, thread, namespace)
            _delete(cur, thread, namespace, doomed)
            cur.executemany(
                "UPDATE checkpoints SET parent_checkpoint_id = ?"
                " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
                [(parent, thread, namespace, row) for row, parent in parents],
            )
            _delete(cur, thread, namespace, _too_old(cur, thread, namespace, keep))


def _in_turn_rows(cur: sqlite3.Cursor, thread: str, namespace: str) -> Superseded:
    rows = cur.execute(
        "SELECT checkpoint_id, parent_checkpoint_id, json_extract(CAST(metadata AS TEXT), ?) FROM checkpoints"
        " WHERE thread_id = ? AND checkpoint_ns = ? ORDER BY checkpoint_id DESC",
        (f"$.{TURN}", thread, namespace),
    )
    return in_turn_rows(rows)


def _too_old(cur: sqlite3.Cursor, thread: str, namespace: str, keep: int) -> list[str]:
    rows = cur.execute(
        "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
        " ORDER BY checkpoint_id DESC LIMIT -1 OFFSET ?",
        (thread, namespace, keep),
    )
    return [row[0] for row in rows]


def _delete(cur: sqlite3.Cursor, thread: str, namespace: str, rows: Sequence[str]) -> None:
    for table in ("writes", "checkpoints"):
        cur.executemany(
            f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
            [(thread, namespace, row) for row in rows],
        )


def _whole(found: CheckpointTuple | None) -> CheckpointTuple | None:
    """Give what was read; bytes that were changed may still be read as something else than a checkpoint."""
    if found is not None and not isinstance(found.checkpoint.get("channel_values"), dict):
        raise TypeError("it holds no values")
    return found
