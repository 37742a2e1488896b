"""A thread's whole archive, for any LangGraph store: read in order, kept under another name, deleted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol, TypeVar, runtime_checkable

from langgraph.store.base import BaseStore, PutOp

from ninefold.state import reference_id

from . import keys
from .thread_archive import read, storing

AT_ONCE = 50
"""Turns that are read and written in one batch: what is held in memory does not grow with the session."""
PAGE = 500

T = TypeVar("T")
Value = dict[str, Any]
Row = tuple[str, Value]
"""A turn's id and what is kept of it."""


@runtime_checkable
class _Listing(Protocol):
    """A store that lists a namespace without sorting it for each page."""

    def keys(self, namespace: keys.Namespace) -> list[str]:
        """Give every key of exactly this namespace."""
        ...


def keys_of(store: BaseStore, namespace: keys.Namespace) -> list[str]:
    """Give every key of exactly this namespace, in no order.

    Raises:
        StorageError: the store failed.
    """
    with storing():
        if isinstance(store, _Listing):
            return store.keys(namespace)
        found: dict[str, None] = {}
        for offset in range(0, 1 << 62, PAGE):
            page = store.search(namespace, limit=PAGE, offset=offset)
            found.update(dict.fromkeys(item.key for item in page if item.namespace == namespace))
            if len(page) < PAGE:
                break
        return [*found]


def stored_messages(store: BaseStore, thread: str, rows: Sequence[Row]) -> Iterator[tuple[str, int, Value]]:
    """Give turn, place and stored value of every message of the turns, in order; forgotten ones as they are kept.

    Raises:
        StorageError: the store failed.
    """
    for some in _batches(rows, AT_ONCE):
        places = [(turn, sequence) for turn, row in some for sequence in range(row["count"])]
        with storing():
            found = read(store, [(keys.messages(thread, turn), str(sequence)) for turn, sequence in places])
        for (turn, sequence), value in zip(places, found, strict=True):
            if value is not None:
                yield turn, sequence, value


def put_turns(store: BaseStore, thread: str, rows: Sequence[Row], messages: Iterable[tuple[str, int, Value]]) -> None:
    """Keep turns and their messages, with the references behind which they stand; what is there is written again.

    Raises:
        StorageError: the store failed.
    """
    writes = (PutOp(keys.turns(thread), turn, row, index=False) for turn, row in rows)
    both = (write for turn, sequence, value in messages for write in _message(thread, turn, sequence, value))
    _write(store, both)
    _write(store, writes)


def copy_turns(store: BaseStore, thread: str, new: str, rows: Sequence[Row]) -> None:
    """Keep turns of a thread under another thread's name too.

    Raises:
        StorageError: the store failed.
    """
    put_turns(store, new, rows, stored_messages(store, thread, rows))


def copy_prepared(store: BaseStore, thread: str, new: str) -> None:
    """Keep what was prepared for a thread under another name too; the marks of its begun tool calls are among it.

    Raises:
        StorageError: the store failed.
    """
    for some in _batches(keys_of(store, keys.prepared(thread)), PAGE):
        with storing():
            found = read(store, [(keys.prepared(thread), key) for key in some])
        pairs = zip(some, found, strict=True)
        _write(store, (PutOp(keys.prepared(new), key, value, index=False) for key, value in pairs if value))


def all_turns(store: BaseStore, thread: str) -> list[Row]:
    """Give the turns of every branch of a thread, in no order.

    Raises:
        StorageError: the store failed.
    """
    rows: list[Row] = []
    for some in _batches(keys_of(store, keys.turns(thread)), PAGE):
        with storing():
            found = read(store, [(keys.turns(thread), turn) for turn in some])
        rows += [(turn, row) for turn, row in zip(some, found, strict=True) if row is not None]
    return rows


def delete_archive(store: BaseStore, thread: str) -> int:
    """Delete everything that the archive holds of a thread and give how many turns it held; the turns' rows go last.

    Raises:
        StorageError: the store failed.
    """
    turns = keys_of(store, keys.turns(thread))
    for turn in turns:
        _delete(store, keys.messages(thread, turn))
    for namespace in (keys.references(thread), keys.prepared(thread), keys.turns(thread)):
        _delete(store, namespace)
    return len(turns)


def _message(thread: str, turn: str, sequence: int, value: Value) -> Iterator[PutOp]:
    yield PutOp(keys.messages(thread, turn), str(sequence), value, index=False)
    behind = {"turn": turn, "seq": sequence}
    yield PutOp(keys.references(thread), reference_id(turn, sequence), behind, index=False)


def _delete(store: BaseStore, namespace: keys.Namespace) -> None:
    _write(store, (PutOp(namespace, key, None) for key in keys_of(store, namespace)))


def _write(store: BaseStore, writes: Iterable[PutOp]) -> None:
    for some in _batches(writes, PAGE):
        with storing():
            store.batch(some)


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    left = iter(items)
    while some := [*islice(left, size)]:
        yield some
