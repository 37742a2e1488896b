"""The archive in Postgres: LangGraph's PostgresStore over a pool, with async twins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from langgraph.store.base import Op, Result
from langgraph.store.postgres import PostgresStore

from ..threads import to_its_end
from .database import Database

if TYPE_CHECKING:
    from psycopg import Cursor
    from psycopg.rows import DictRow


class ThreadedPostgresStore(PostgresStore):
    """LangGraph's PostgresStore whose async methods run the sync ones in a thread.

    Args:
        database: where; its tables are made at the first use.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database.pool)
        self.database = database

    def keys(self, namespace: tuple[str, ...]) -> list[str]:
        """Give every key of exactly this namespace."""
        with self._cursor() as cur:
            cur.execute("SELECT key FROM store WHERE prefix = %s", (".".join(namespace),))
            return [str(row["key"]) for row in cur]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do `batch` without blocking the event loop."""
        return await to_its_end(self.batch, list(ops))

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Iterator[Cursor[DictRow]]:
        with self.database.named():
            self.database.ready("archive", self.setup)
            with super()._cursor(pipeline=pipeline) as cur:
                yield cur
