"""What a person wants forgotten, out of a thread's archive: the only rewriter that the archive has."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from langchain_core.messages import BaseMessage
from langgraph.store.base import BaseStore, PutOp

from . import keys
from .message_json import from_json
from .thread_archive import storing
from .whole_thread import all_turns, keys_of, stored_messages

Place = tuple[str, int]
"""A turn's id and a message's place in it."""


class Places(NamedTuple):
    """Where messages of every branch stand."""

    holding: frozenset[Place]
    """Those that hold what is to be forgotten."""
    emptied: frozenset[Place]
    """Those of which only the mark is left."""


def places_holding(store: BaseStore, thread: str, holds: Callable[[BaseMessage], bool]) -> Places:
    """Give where the messages stand that hold what is to be forgotten, and those that were forgotten before.

    Raises:
        StorageError: the store failed.
    """
    holding: set[Place] = set()
    emptied: set[Place] = set()
    for turn, sequence, value in stored_messages(store, thread, all_turns(store, thread)):
        if "message" not in value:
            emptied.add((turn, sequence))
        elif holds(from_json(value["message"])):
            holding.add((turn, sequence))
    return Places(frozenset(holding), frozenset(emptied))


def forget_places(store: BaseStore, thread: str, places: Collection[Place]) -> None:
    """Leave a mark in the place of each message, and delete whatever was prepared of the thread: it may quote them.

    The mark says which message it was and nothing of it; it is never written over.

    Raises:
        StorageError: the store failed.
    """
    mark = {"schema": keys.SCHEMA, "forgotten": True}
    writes = [PutOp(keys.messages(thread, turn), str(sequence), mark, index=False) for turn, sequence in places]
    made = keys_of(store, keys.prepared(thread))
    writes += [PutOp(keys.prepared(thread), key, None) for key in made]
    with storing():
        if writes:
            store.batch(writes)
