"""Where an agent's sessions are kept, opened without the agent."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ninefold.state import AgentSettings, InputError, Language, MemoryRecord, StorageError

from ..home import data_folder
from ..storage import Storage
from ..wording import Wording

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
    from langgraph.store.base import BaseStore

    from ninefold.adapters.checkpoints.lineage import Row
    from ninefold.graph.locks import LockFactory
    from ninefold.nodes.ports import MemoryStore


@dataclass(frozen=True, kw_only=True)
class Place:
    """The stores of an agent, with the lock that its turns take."""

    name: str
    """Where it is, in words."""
    saver: BaseCheckpointSaver[Any]
    store: BaseStore
    memory: Callable[[bool], MemoryStore | None]
    """Gives the memories, to be written to or only read; None where they are off, or none was ever kept to be read."""
    locks: LockFactory
    timeout: float
    """Seconds that a command waits for a turn to end."""
    words: Wording
    data: Path
    """The data folder, with the prompt logs."""
    folder: Path | None = None
    """The data folder with the lock files; None where locks are no files."""

    @contextmanager
    def held(self, *threads: str) -> Iterator[None]:
        """Hold threads while the block runs, so that no turn is taken on them.

        Raises:
            ThreadBusy: a turn runs, and the bounded wait for its end is over.
        """
        from ninefold.graph.locks import hold

        with ExitStack() as stack:
            for thread in sorted(set(threads)):
                stack.enter_context(hold(self.name, lock_key(thread), self.locks, self.timeout))
            yield

    def rows(self, thread: str, user: str) -> list[Row]:
        """Give the checkpoints of a person's thread, newest first.

        Raises:
            InputError: the person has no such session.
            StorageError: the database failed.
        """
        from ninefold.adapters.checkpoints.rows import rows_of

        rows = rows_of(self.saver, thread)
        if not rows or self.owner(thread, rows) != user:
            raise InputError(*self.words.refusal("sessions.unknown", thread=thread))
        return rows

    def exists(self, thread: str) -> bool:
        """Tell whether there is such a session, whoever owns it.

        Raises:
            IdentityError: it is no name for one.
            StorageError: the database failed.
        """
        from ninefold.adapters.checkpoints.rows import rows_of
        from ninefold.graph.identity import checked

        return bool(rows_of(self.saver, checked("thread_id", thread)))

    def owner(self, thread: str, rows: list[Row]) -> str | None:
        """Give whose thread it is: the metadata tells, and the state where no turn has stamped it."""
        stamped = next((row.user for row in rows if row.user), None)
        return stamped or self.values(thread).get("owner")

    def tuple(self, thread: str, checkpoint: str | None = None) -> CheckpointTuple | None:
        """Give a checkpoint of a thread, or its latest; our values in it are plain data.

        Raises:
            StorageError: it is damaged; the error names the last good turn.
        """
        from ninefold.adapters.checkpoints.lineage import at

        return self.saver.get_tuple(at(thread, checkpoint))

    def values(self, thread: str) -> Mapping[str, Any]:
        """Give a thread's stored values, ours as plain data; empty when there is no such thread."""
        found = self.tuple(thread)
        return found.checkpoint["channel_values"] if found else {}

    def free(self, thread: str) -> None:
        """Refuse a name that a session has.

        Raises:
            InputError: there is such a session, whoever owns it; or it is no name for one.
        """
        if self.exists(thread):
            raise InputError(*self.words.refusal("sessions.exists", thread=thread))


def lock_key(thread: str) -> str:
    """Give the key under which the turn guard holds a thread of its own."""
    return f"{thread}\0"


@contextmanager
def opened(settings: AgentSettings | None = None, words: Wording | None = None) -> Iterator[Place]:
    """Give where an agent's sessions are kept, and close it afterwards.

    Args:
        settings: the agent's; None for the default agent.
        words: the language of what is refused; English by default.

    Raises:
        SettingsError: the storage is not known to this release.
        StorageError: a database cannot be opened.
    """
    settings = settings or AgentSettings()
    folder = data_folder(settings)
    storage = Storage(settings.storage, folder)
    with closing(storage), ExitStack() as stack:
        saver, store = storage.saver(), storage.store()
        for database in (saver, store):
            connection = getattr(database, "conn", None)
            if isinstance(connection, sqlite3.Connection):
                stack.enter_context(closing(connection))
        yield Place(
            name=str(getattr(saver, "database", folder)),
            saver=saver,
            store=store,
            memory=lambda writing: _memory(settings, folder, writing),
            locks=storage.locks(),
            timeout=settings.storage.lock_timeout,
            words=words or Wording(Language.ENGLISH),
            data=folder,
            folder=None if storage.shared else folder,
        )


def _memory(settings: AgentSettings, folder: Path, writing: bool) -> MemoryStore | None:
    from ..first_start import resumed
    from ..memories import memory_of, memory_place

    settings = resumed(settings, folder)
    if settings.memory == "off":
        return None
    kept = memory_place(settings.memory, folder)
    if not writing and isinstance(kept, Path) and not kept.exists():
        return None
    return memory_of(settings, folder)


def memories(place: Place, user: str, thread: str) -> tuple[MemoryRecord, ...]:
    """Give the memories that a person's session left, oldest first.

    Raises:
        MemoryStoreError: the store failed, or belongs to another embedder.
    """
    memory = place.memory(False)
    if memory is None:
        return ()
    return tuple(record for record in memory.records(user) if record.thread == thread)


def only_files(place: Place) -> Path:
    """Give the data folder of a place made of files.

    Raises:
        StorageError: it is a server's.
    """
    if place.folder is None:
        raise StorageError(f"{place.name} is no folder.", "Use the database server's own tools.")
    return place.folder
