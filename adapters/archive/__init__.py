"""Every message of every session, append-only, outside the checkpoint."""

from .sqlite_store import ThreadedSqliteStore, open_store
from .thread_archive import ThreadArchive, branch, history_messages, turn_messages, turn_row

__all__ = [
    "ThreadArchive",
    "ThreadedSqliteStore",
    "branch",
    "history_messages",
    "open_store",
    "turn_messages",
    "turn_row",
]
