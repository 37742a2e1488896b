"""Where an agent's sessions are kept: SQLite files in the data folder, or a Postgres database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ninefold.state import SettingsError, StorageSettings

from .home import ARCHIVE, CHECKPOINTS

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

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

    @property
    def shared(self) -> bool:
        """Whether many people's sessions may lie side by side, so that every call must name its user."""
        return self._settings.checkpointer is not None or self._settings.store is not None

    def saver(self) -> BaseCheckpointSaver[str]:
        """Give what keeps the checkpoints.

        Raises:
            SettingsError: the URL is of another kind, or the extra for it is not installed.
            StorageError: the data folder cannot be written.
        """
        if self._settings.checkpointer is None:
            from ninefold.adapters.checkpoints import open_saver

            return open_saver(self._folder / CHECKPOINTS)
        database = self._database(self._settings.checkpointer)
        from ninefold.adapters.postgres.saver import ThreadedPostgresSaver

        return ThreadedPostgresSaver(database)

    def store(self) -> BaseStore:
        """Give what keeps the archive; it raises what `saver` raises."""
        if self._settings.store is None:
            from ninefold.adapters.archive import open_store

            return open_store(self._folder / ARCHIVE)
        database = self._database(self._settings.store)
        from ninefold.adapters.postgres.store import ThreadedPostgresStore

        return ThreadedPostgresStore(database)

    def locks(self) -> LockFactory:
        """Give the lock of a turn, which lies where the checkpoints lie; it raises what `saver` raises."""
        if self._settings.checkpointer is None:
            from ninefold.graph.locks import FileLocks

            return FileLocks(self._folder / LOCKS)
        from ninefold.adapters.postgres.locks import PostgresLocks

        return PostgresLocks(self._database(self._settings.checkpointer))

    def close(self) -> None:
        """Close the databases' connections."""
        for database in self._databases.values():
            database.close()

    def _database(self, url: str) -> Database:
        from ninefold.adapters.postgres.database import SCHEMES, Database, shown

        if not url.startswith(SCHEMES):
            raise SettingsError(
                f"The storage {shown(url)} is not known to this release.",
                f"Write {SCHEMES[0]}…, or null for SQLite in the data folder; or hand your own to build_graph().",
            )
        return self._databases.setdefault(url, Database(url))
