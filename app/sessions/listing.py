"""The sessions that are kept, and what was said in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ninefold.state import StorageError

from .place import Place

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from ninefold.adapters.checkpoints.lineage import Row


@dataclass(frozen=True)
class Session:
    """One thread as a list shows it."""

    thread: str
    user: str
    turns: int
    at: str
    """When its last turn began: ISO 8601 with offset."""
    words: str
    """The person's last message."""
    tokens: int = 0
    """What its prompts and replies have cost."""
    compactions: int = 0
    damaged: bool = False
    """Whether its last turn cannot be read; the other fields are then of the last good turn."""


def list_sessions(place: Place, user: str) -> tuple[Session, ...]:
    """Give a person's sessions, the one used last first; a damaged one is among them, and marked.

    Raises:
        StorageError: the database failed.
    """
    from ninefold.adapters.checkpoints.rows import rows_of, threads_of

    found: list[Session] = []
    for thread in threads_of(place.saver):
        session = _session(place, thread, rows_of(place.saver, thread))
        if session is not None and session.user == user:
            found.append(session)
    return tuple(sorted(found, key=lambda session: session.at, reverse=True))


def transcript(place: Place, thread: str, user: str) -> Iterator[BaseMessage]:
    """Give every message of a person's session, oldest first; of a damaged session what the archive holds.

    Raises:
        InputError: the person has no such session.
        StorageError: a database failed.
    """
    from ninefold.adapters.archive import history_messages

    rows = place.rows(thread, user)
    values, _ = _readable(place, thread, rows[:1])
    turn = values.get("turn") or {}
    known: set[str | None] = set()
    stamps = () if values else (row.turn for row in rows)
    for message in history_messages(place.store, thread, turn.get("id"), turn.get("parent"), *stamps):
        known.add(message.id)
        yield message
    yield from (message for message in values.get("messages", ()) if message.id not in known)


def _session(place: Place, thread: str, rows: Sequence[Row]) -> Session | None:
    values, damaged = _readable(place, thread, rows)
    turn = values.get("turn")
    if not turn:
        owner = next((row.user for row in rows if row.user), None)
        return Session(thread, owner, 0, "", "", damaged=True) if damaged and owner else None
    said = [message for message in values.get("messages", ()) if message.type == "human"]
    counters = values.get("counters") or {}
    return Session(
        thread=thread,
        user=str(values.get("owner")),
        turns=int(turn["number"]),
        at=str(turn["at"]),
        words=" ".join(str(said[-1].text).split()) if said else "",
        tokens=counters.get("prompt_tokens", 0) + counters.get("reply_tokens", 0),
        compactions=counters.get("compactions", 0),
        damaged=damaged,
    )


def _readable(place: Place, thread: str, rows: Sequence[Row]) -> tuple[Mapping[str, Any], bool]:
    """Give the values of the newest whole checkpoint, and whether a newer one is damaged."""
    for older, row in enumerate(rows):
        try:
            found = place.tuple(thread, row.id)
        except StorageError:
            continue
        if found is not None:
            return found.checkpoint["channel_values"], older > 0
    return {}, bool(rows)
