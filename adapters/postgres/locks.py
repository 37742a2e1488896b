"""One turn at a time on a thread, over every machine that shares a database: advisory locks of Postgres."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, LiteralString

from ninefold.state import StorageError

from .database import Database, turn_key

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.rows import TupleRow


class PostgresLocks:
    """Advisory locks on a connection of their own, which go when the process or its machine does.

    The connection must reach Postgres itself or a pooler that keeps sessions apart: locks belong to a session. Inside a
    process the turn guard lets one turn of a thread ask at a time, so one session is enough for all of them.

    Args:
        database: where.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._connection: Connection[TupleRow] | None = None

    def __call__(self, key: str) -> PostgresLock:
        """Give the lock of a key."""
        return PostgresLock(self, turn_key(key))

    def take(self, key: int) -> bool:
        """Take a lock now, or give False.

        Raises:
            StorageError: the database does not answer.
        """
        taken, session = self._ask("pg_try_advisory_lock", key)
        if taken:
            self._database.held.note(key, session)
        return bool(taken)

    def let_go(self, key: int) -> None:
        """Let a lock go; one that was lost with its connection is none any more.

        Raises:
            StorageError: the database does not answer.
        """
        self._database.held.forget(key)
        self._ask("pg_advisory_unlock", key)

    def _ask(self, function: LiteralString, key: int) -> tuple[int, int]:
        """Give what one of Postgres' lock functions answers, and in which of its sessions.

        A connection that broke is opened again once. Every lock went with it: `Held` stops the turns that ran under
        one at their next write.
        """
        from psycopg import OperationalError

        with self._lock, self._database.named():
            try:
                return self._asked(function, key)
            except OperationalError:
                self._drop()
                return self._asked(function, key)

    def _asked(self, function: LiteralString, key: int) -> tuple[int, int]:
        if self._connection is None:
            self._connection = self._database.connect()
        answer = self._connection.execute(f"SELECT {function}(%s)::int, pg_backend_pid()", (key,)).fetchone()
        assert answer is not None
        return answer[0], answer[1]

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def close(self) -> None:
        """Let go of the connection, and so of every lock."""
        with self._lock:
            self._drop()


class PostgresLock:
    """The lock of one key."""

    def __init__(self, locks: PostgresLocks, key: int) -> None:
        self._locks = locks
        self._key = key

    def try_acquire(self) -> bool:
        """Take it now, or give False."""
        return self._locks.take(self._key)

    def release(self) -> None:
        """Let it go."""
        # Where the server does not answer, the lock went with its connection.
        with suppress(StorageError):
            self._locks.let_go(self._key)
