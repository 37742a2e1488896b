"""Where an agent's sessions are kept: SQLite files in the data folder, or a Postgres database."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ninefold.state import SettingsError, StorageSettings

from .home import ARCHIVE, CHECKPOINTS

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

    from ninefold.adapters.encryption import Encrypting
    from ninefold.adapters.postgres.database import Database
    from ninefold.graph.locks import LockFactory

LOCKS = "locks"


class Storage:
    """Opens what an agent's settings name; a server is not asked before the first use.

    Args:
        settings: the agent's.
        folder: the data folder.
    """

    def __init__(self, settings: StorageSettings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._databases: dict[str, Database] = {}
        self._opened = ExitStack()

    @property
    def shared(self) -> bool:
        """Whether many people's sessions may lie side by side, so that every call must name its user."""
        return self._settings.checkpointer is not None or self._settings.store is not None

    def saver(self) -> BaseCheckpointSaver[str]:
        """Give what keeps the checkpoints.

        Raises:
            SettingsError: the URL is of another kind, the key is missing, or the extra for it is not installed.
            StorageError: the data folder cannot be written.
        """
        if self._settings.checkpointer is None:
            from ninefold.adapters.checkpoints import open_saver

            files = open_saver(self._folder / CHECKPOINTS, self._encrypting())
            self._opened.callback(files.conn.close)
            return files
        database = self._database(self._settings.checkpointer)
        from ninefold.adapters.postgres.saver import ThreadedPostgresSaver

        return ThreadedPostgresSaver(database, self._encrypting())

    def store(self) -> BaseStore:
        """Give what keeps the archive; it raises what `saver` raises."""
        serde = self._encrypting()
        if serde is None:
            return self._plain_store()
        from ninefold.adapters.encryption import SealedStore

        return SealedStore(self._plain_store(), serde)

    def _plain_store(self) -> BaseStore:
        if self._settings.store is None:
            from ninefold.adapters.archive import open_store

            files = open_store(self._folder / ARCHIVE)
            self._opened.callback(files.conn.close)
            return files
        database = self._database(self._settings.store)
        from ninefold.adapters.postgres.store import ThreadedPostgresStore

        return ThreadedPostgresStore(database)

    def locks(self) -> LockFactory:
        """Give the lock of a turn, which lies where the checkpoints lie; it raises what `saver` raises."""
        if self._settings.checkpointer is None:
            from ninefold.graph.locks import FileLocks

            return FileLocks(self._folder / LOCKS)
        from ninefold.adapters.postgres.locks import PostgresLocks

        locks = PostgresLocks(self._database(self._settings.checkpointer))
        self._opened.callback(locks.close)
        return locks

    def close(self) -> None:
        """Close every connection."""
        self._opened.close()

    def _encrypting(self) -> Encrypting | None:
        if self._settings.encryption_key is None:
            return None
        from ninefold.adapters.encryption import encrypting

        return encrypting(self._settings.encryption_key, os.environ)

    def _database(self, url: str) -> Database:
        from ninefold.adapters.postgres.database import SCHEMES, Database, shown

        if not url.startswith(SCHEMES):
            raise SettingsError(
                f"The storage {shown(url)} is not known to this release.",
                f"Write {SCHEMES[0]}…, or null for SQLite in the data folder; or hand your own to build_graph().",
            )
        if url not in self._databases:
            self._databases[url] = Database(url)
            self._opened.callback(self._databases[url].close)
        return self._databases[url]
