"""One thread's history over any LangGraph store: append-only, read by computed keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langgraph.store.base import BaseStore, GetOp, Item, PutOp, SearchItem

from ninefold.state import Entry, NinefoldError, ReferenceNotFound, SchemaError, StorageError, Turn, reference_id

from . import keys
from .message_json import from_json, to_json


class ThreadArchive:
    """The archive of one thread; it implements `ninefold.nodes.ports.Archive`.

    Law: writing the same again changes nothing, and what was forgotten on request stays forgotten.
    """

    def __init__(self, store: BaseStore, thread: str) -> None:
        self._store = store
        self._thread = thread

    def record(self, turn: Turn, messages: Sequence[tuple[Entry, BaseMessage]]) -> None:
        """Keep originals under their turn and sequence: one read of what is there, one write of what is not.

        Raises:
            StorageError: the store failed; nothing may leave the window then.
        """
        wanted: dict[tuple[keys.Namespace, str], dict[str, Any]] = {}
        for entry, message in messages:
            place = keys.messages(self._thread, entry.turn), str(entry.sequence)
            wanted[place] = {"schema": keys.SCHEMA, "message": to_json(message)}
            reference = entry.reference or reference_id(entry.turn, entry.sequence)
            wanted[keys.references(self._thread), reference] = {"turn": entry.turn, "seq": entry.sequence}
        turn_place = keys.turns(self._thread), turn.id
        with storing():
            places = [turn_place, *wanted]
            known = dict(zip(places, read(self._store, places), strict=True))
            own = [entry.sequence + 1 for entry, _ in messages if entry.turn == turn.id]
            wanted[turn_place] = _turn_row(turn, max([*own, (known[turn_place] or {}).get("count", 0)]))
            writes = [
                PutOp(namespace, key, value, index=False)
                for (namespace, key), value in wanted.items()
                if _must_write(known[namespace, key], value)
            ]
            if writes:
                self._store.batch(writes)

    def original(self, entry: Entry) -> BaseMessage | None:
        """Give the original of a window message, or None when it was forgotten on request."""
        return self._message(entry.turn, entry.sequence)

    def expand(self, reference: str) -> str:
        """Give the whole original text behind a reference.

        Raises:
            ReferenceNotFound: no such reference in this thread, or its text was forgotten on request.
        """
        with storing():
            (found,) = read(self._store, [(keys.references(self._thread), reference)])
        message = self._message(found["turn"], found["seq"]) if found else None
        if message is None:
            raise ReferenceNotFound(
                f"No archived text stands behind the reference {reference!r} in this thread.",
                "Use a reference id as it stands in the conversation: r and twelve hexadecimal digits.",
            )
        return str(message.text)

    def cached(self, key: str) -> str | None:
        """Give a prepared text by its content address, or None."""
        with storing():
            (found,) = read(self._store, [(keys.prepared(self._thread), key)])
        return cast("str", found["text"]) if found else None

    def cache(self, key: str, text: str) -> None:
        """Keep a prepared text under its content address."""
        with storing():
            self._store.put(keys.prepared(self._thread), key, {"schema": keys.SCHEMA, "text": text}, index=False)

    def _message(self, turn: str, sequence: int) -> BaseMessage | None:
        with storing():
            (found,) = read(self._store, [(keys.messages(self._thread, turn), str(sequence))])
        return from_json(found["message"]) if found and "message" in found else None


def turn_row(store: BaseStore, thread: str, turn: str) -> dict[str, Any] | None:
    """Give what is kept of a turn ({parent, at, number, user, count, schema}), or None for an unknown one."""
    with storing():
        (found,) = read(store, [(keys.turns(thread), turn)])
    return found


def turn_messages(store: BaseStore, thread: str, turn: str) -> list[BaseMessage]:
    """Give a turn's messages in order, read by computed keys in one batch; forgotten ones are left out."""
    row = turn_row(store, thread, turn)
    if row is None:
        return []
    places = [(keys.messages(thread, turn), str(sequence)) for sequence in range(row["count"])]
    with storing():
        found = read(store, places)
    return [from_json(value["message"]) for value in found if value and "message" in value]


def branch(store: BaseStore, thread: str, *ends: str | None) -> list[tuple[str, dict[str, Any]]]:
    """Give a branch's turns with their rows, from its root to the first of `ends` that the archive knows.

    It is found by following parents, so that forks never mix. A turn that has not ended may be unknown: name its parent
    behind it.
    """
    line: dict[str, dict[str, Any]] = {}
    for turn in ends:
        while turn is not None and turn not in line and (row := turn_row(store, thread, turn)) is not None:
            line[turn] = row
            turn = row["parent"]
        if line:
            break
    return [*reversed(line.items())]


def history_messages(store: BaseStore, thread: str, *ends: str | None) -> Iterator[BaseMessage]:
    """Give every archived message of a branch, oldest first, from its root to the first known turn of `ends`."""
    for turn, _ in branch(store, thread, *ends):
        yield from turn_messages(store, thread, turn)


def _turn_row(turn: Turn, count: int) -> dict[str, Any]:
    return {
        "schema": keys.SCHEMA,
        "parent": turn.parent,
        "at": turn.at,
        "number": turn.number,
        "user": turn.user,
        "count": count,
    }


def _must_write(known: dict[str, Any] | None, wanted: dict[str, Any]) -> bool:
    return known is None or (known != wanted and not known.get("forgotten", False))


def read(store: BaseStore, places: Sequence[tuple[keys.Namespace, str]]) -> list[dict[str, Any] | None]:
    """Give the values at these places in one batch, None where there is none.

    Raises:
        SchemaError: one was written with a schema that this release does not know.
    """
    found = store.batch([GetOp(namespace, key) for namespace, key in places])
    values = [item.value if isinstance(item, Item | SearchItem) else None for item in found]
    for value in values:
        if value is not None and (schema := value.get("schema", keys.SCHEMA)) != keys.SCHEMA:
            raise SchemaError(
                f"The archive holds a row of schema {schema}; this release reads schema {keys.SCHEMA}.",
                "Install the release that wrote it, or a newer one; nothing was changed.",
            )
    return values


@contextmanager
def storing() -> Iterator[None]:
    """Name every failure of the store: which store it is, and so what it raises, is the caller's choice."""
    try:
        yield
    except NinefoldError:
        raise
    except Exception as error:
        raise StorageError(
            f"The archive failed: {type(error).__name__}: {error}.",
            "Nothing left the window; look at the store's disk or server and say it again.",
        ) from error
