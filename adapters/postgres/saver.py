"""Checkpoints in Postgres, for sync and async callers, pruned by turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.base import SerializerProtocol

from ..checkpoints.lineage import TURN, USER, Row, in_turn_rows
from ..checkpoints.plain_serde import PlainSerde
from ..checkpoints.threaded import AsyncTwins
from .database import Database, turn_key

if TYPE_CHECKING:
    from psycopg import Cursor
    from psycopg.rows import DictRow

_ROWS = """
    SELECT checkpoint_id, parent_checkpoint_id, metadata ->> %s AS turn FROM checkpoints
    WHERE thread_id = %s AND checkpoint_ns = %s ORDER BY checkpoint_id DESC
"""
_LISTED = """
    SELECT checkpoint_id, parent_checkpoint_id, metadata ->> %s AS turn, metadata ->> %s AS person FROM checkpoints
    WHERE thread_id = %s AND checkpoint_ns = '' ORDER BY checkpoint_id DESC
"""
_UNLINK = """
    UPDATE checkpoints SET parent_checkpoint_id = %s
    WHERE thread_id = %s AND checkpoint_ns = %s AND checkpoint_id = %s
"""
# A value is kept once for all checkpoints that hold it, those of other branches too.
_DELETE = """
    WITH gone AS (
        DELETE FROM checkpoints WHERE thread_id = %(thread)s AND checkpoint_ns = %(ns)s AND checkpoint_id = ANY(%(ids)s)
        RETURNING checkpoint
    ), writes AS (
        DELETE FROM checkpoint_writes
        WHERE thread_id = %(thread)s AND checkpoint_ns = %(ns)s AND checkpoint_id = ANY(%(ids)s)
    ), loose AS (
        SELECT held.key, held.value FROM gone, jsonb_each_text(gone.checkpoint -> 'channel_versions') AS held
        EXCEPT
        SELECT held.key, held.value
        FROM checkpoints AS kept, jsonb_each_text(kept.checkpoint -> 'channel_versions') AS held
        WHERE kept.thread_id = %(thread)s AND kept.checkpoint_ns = %(ns)s AND NOT kept.checkpoint_id = ANY(%(ids)s)
    )
    DELETE FROM checkpoint_blobs AS blob USING loose
    WHERE blob.thread_id = %(thread)s AND blob.checkpoint_ns = %(ns)s
        AND blob.channel = loose.key AND blob.version = loose.value
"""


class ThreadedPostgresSaver(AsyncTwins, PostgresSaver):
    """LangGraph's PostgresSaver over a pool; its tables are made at the first use.

    Args:
        database: where.
        serde: encrypts what is written; None writes it plain.
    """

    def __init__(self, database: Database, serde: SerializerProtocol | None = None) -> None:
        super().__init__(database.pool, serde=PlainSerde(serde))
        self.database = database

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint.

        Raises:
            StorageError: the database failed, or the lock of the thread's turn went with its connection.
        """
        with self._cursor() as cur:
            self._still_held(config, cur)
        return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a step wrote, before the checkpoint that holds it.

        Raises:
            StorageError: as `put` does.
        """
        with self._cursor() as cur:
            self._still_held(config, cur)
        super().put_writes(config, writes, task_id, task_path)

    def prune_turns(self, thread: str, namespace: str, keep: int) -> None:
        """Keep the last checkpoint of each turn and the newest `keep` of those, and the values that these hold.

        Raises:
            StorageError: as `put` does: another program's turn may stand on what would be deleted.
        """
        where = (thread, namespace)
        with self._cursor() as cur, cur.connection.transaction():
            self._still_held({"configurable": {"thread_id": thread, "checkpoint_ns": namespace}}, cur)
            cur.execute(_ROWS, (TURN, *where))
            rows = [(row["checkpoint_id"], row["parent_checkpoint_id"], row["turn"]) for row in cur]
            doomed, parents = in_turn_rows(rows)
            gone = set(doomed)
            doomed += [row[0] for row in rows if row[0] not in gone][keep:]
            if not doomed:
                return
            cur.executemany(_UNLINK, [(parent, *where, row) for row, parent in parents])
            cur.execute(_DELETE, {"thread": thread, "ns": namespace, "ids": doomed})

    def threads(self) -> list[str]:
        """Give the ids of all threads."""
        with self._cursor() as cur:
            cur.execute("SELECT DISTINCT thread_id FROM checkpoints WHERE checkpoint_ns = ''")
            return [row["thread_id"] for row in cur]

    def rows(self, thread: str) -> list[Row]:
        """Give a thread's checkpoints without their states, newest first."""
        with self._cursor() as cur:
            cur.execute(_LISTED, (TURN, USER, thread))
            return [Row(row["checkpoint_id"], row["parent_checkpoint_id"], row["turn"], row["person"]) for row in cur]

    def _still_held(self, config: RunnableConfig, cur: Cursor[DictRow]) -> None:
        where = config.get("configurable", {})
        self.database.held.check(turn_key(f"{where['thread_id']}\0{where.get('checkpoint_ns', '')}"), cur.connection)

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Iterator[Cursor[DictRow]]:
        with self.database.named():
            self.database.ready("checkpoints", self.setup)
            with super()._cursor(pipeline=pipeline) as cur:
                yield cur
