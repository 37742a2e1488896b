"""A Postgres database: connections when they are needed, tables made once, every failure named."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ninefold.state import SettingsError, StorageError

from .held import Held

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.rows import TupleRow
    from psycopg_pool import ConnectionPool

SCHEMES = ("postgresql://", "postgres://")
CONNECTIONS = 4
"""Connections that one agent's stores hold at most."""
WAIT_SECONDS = 10
"""How long a connection is waited for."""
SETUP_SECONDS = 60
"""How long another program is waited for that makes the tables."""


class Database:
    """One database by its URL; nothing is connected before the first use.

    Args:
        url: `postgresql://user@host:port/database`; what is left out comes from libpq's own variables and files.

    Raises:
        SettingsError: the extra `postgres` is not installed.
    """

    def __init__(self, url: str) -> None:
        try:
            from psycopg.rows import dict_row
            from psycopg_pool import ConnectionPool
        except ImportError as error:
            raise SettingsError(
                f"The storage {shown(url)} needs packages that are not installed.",
                "Run `pip install 'ninefold[postgres]'`.",
            ) from error
        self._url = url
        self._made: set[str] = set()
        self._lock = threading.RLock()
        self.held = Held()
        options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row, "connect_timeout": WAIT_SECONDS}
        pool: Any = ConnectionPool(
            url,
            kwargs=options,
            min_size=0,
            max_size=CONNECTIONS,
            timeout=WAIT_SECONDS,
            open=False,
            check=ConnectionPool.check_connection,
        )
        self.pool: ConnectionPool[Connection[dict[str, Any]]] = pool

    def __str__(self) -> str:
        return shown(self._url)

    def connect(self) -> Connection[TupleRow]:
        """Give a connection outside the pool."""
        from psycopg import Connection

        return Connection.connect(self._url, autocommit=True, connect_timeout=WAIT_SECONDS)

    def ready(self, tables: str, make: Callable[[], None]) -> None:
        """Make some tables when they are first needed; one process at a time, since Postgres' own check is not safe.

        Raises:
            StorageError: another program has been making them for `SETUP_SECONDS`.
        """
        with self._lock:
            if tables in self._made:
                return
            # Added first: making them comes through here again.
            self._made.add(tables)
            try:
                self.connect().close()
                self.pool.open()
                with self._alone(f"setup\0{tables}"):
                    make()
            except BaseException:
                self._made.discard(tables)
                raise

    @contextmanager
    def _alone(self, what: str) -> Iterator[None]:
        key = advisory_key(what)
        with self.connect() as connection:
            # Waiting inside of Postgres would keep a snapshot open, for which `CREATE INDEX CONCURRENTLY` waits.
            end = time.monotonic() + SETUP_SECONDS
            while connection.execute("SELECT pg_try_advisory_lock(%s)::int", (key,)).fetchone() != (1,):
                if time.monotonic() >= end:
                    raise StorageError(
                        f"Another program has been making the tables of {self} for {SETUP_SECONDS:g} s.",
                        "Wait for it, or end the session that holds an advisory lock (`SELECT * FROM pg_locks`).",
                    )
                time.sleep(0.05)
            yield

    @contextmanager
    def named(self) -> Iterator[None]:
        """Name what goes wrong inside of the block.

        Raises:
            StorageError: the database failed; what was committed before stands.
        """
        from psycopg import Error, OperationalError
        from psycopg_pool import PoolTimeout

        try:
            yield
        except (OperationalError, PoolTimeout) as error:
            raise StorageError(
                f"The database {self} does not answer: {_short(error)}.",
                "Nothing that was kept before is lost; look at the server and the URL in `storage:`, then go on.",
            ) from error
        except Error as error:
            raise StorageError(
                f"The database {self} failed: {type(error).__name__}: {_short(error)}.",
                "Nothing that was kept before is lost; look at the server's log, then go on.",
            ) from error

    def close(self) -> None:
        """Close every connection."""
        self.pool.close()
        with self._lock:
            self._made.clear()


def shown(url: str) -> str:
    """Give a database's URL without who signs in, and how."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def turn_key(thread_and_namespace: str) -> int:
    """Give the number of the lock under which a turn is taken."""
    return advisory_key(f"turn\0{thread_and_namespace}")


def advisory_key(name: str) -> int:
    """Give the number of an advisory lock; two of our names never meet by chance, nor another program's numbers."""
    return int.from_bytes(
        hashlib.sha256(f"ninefold\0{name}".encode("utf-8", "surrogatepass")).digest()[:8], signed=True
    )


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300].rstrip(".")
