"""The advisory locks that this program believes to hold, and whether Postgres still does."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ninefold.state import StorageError

if TYPE_CHECKING:
    from psycopg import Connection

# Postgres keeps the 64 bits of an advisory lock's key in two columns.
_STILL = """
    SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
        AND classid = %s::bigint::oid AND objid = %s::bigint::oid AND pid = %s
"""


class Held:
    """Which of Postgres' sessions holds which lock for this program.

    A lock goes with its session, unnoticed: a server that restarts or a network that breaks lets another program in
    while a turn goes on here. So what is written under a lock asks for it first.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: dict[int, int] = {}

    def note(self, key: int, session: int) -> None:
        """Take down a lock that was taken, by the process id of its session in Postgres."""
        with self._lock:
            self._sessions[key] = session

    def forget(self, key: int) -> None:
        """Strike out a lock that is let go."""
        with self._lock:
            self._sessions.pop(key, None)

    def check(self, key: int, connection: Connection[Any]) -> None:
        """Refuse to go on under a lock that is lost; a key under which none was taken is let pass.

        Raises:
            StorageError: Postgres no longer holds it for the session that took it.
        """
        with self._lock:
            session = self._sessions.get(key)
        if session is None:
            return
        unsigned = key % (1 << 64)
        if connection.execute(_STILL, (unsigned >> 32, unsigned % (1 << 32), session)).fetchone() is None:
            raise StorageError(
                "The connection that held the thread's lock broke, so another program may have begun a turn.",
                "What was kept before stands, and nothing was written after: take the turn up again, or say it anew.",
            )
