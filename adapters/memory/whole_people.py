"""All that is kept of a person, held in the process: a turn asks for it up to nine times, and Chroma takes its time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ninefold.state import MemoryKind, MemoryRecord, MemoryStatus
from ninefold.state.memory import in_order

from .nearest import WHOLE, compared
from .rows import Found, to_record

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST = 1024
"""Rows of a person who is held; more are left to the store and its index."""
PEOPLE = 16
"""Persons that are held at a time."""

Load = Callable[[list[str]], dict[str, Any]]
"""Gives a person's rows with the columns named, as Chroma's `get` does."""


class WholePeople:
    """The rows of the persons asked for last. Whoever owns it drops them when anybody else wrote; it has no lock."""

    def __init__(self) -> None:
        self._people: OrderedDict[str, WholePerson | None] = OrderedDict()

    def __contains__(self, user: str) -> bool:
        return user in self._people

    def of(self, user: str, load: Load | None = None) -> WholePerson | None:
        """Give a person's rows; None where there are too many to be held.

        Args:
            user: whose rows.
            load: reads them, one more than `LARGEST` at most; None for a person who is held.
        """
        if load is not None and user not in self._people:
            # Counted first: the rows of somebody who has too many would be read in vain.
            few = len(load([])["ids"]) <= LARGEST
            self._people[user] = WholePerson(load([*WHOLE])) if few else None
        self._people.move_to_end(user)
        while len(self._people) > PEOPLE:
            self._people.popitem(last=False)
        return self._people[user]

    def wrote(self, records: Iterable[MemoryRecord], vectors: dict[str, list[float]]) -> None:
        """Take what was written to the store, with the vector of each text."""
        for record in records:
            held = self._people.get(record.user)
            if held is not None and not held.put(record, vectors[record.text]):
                self._people[record.user] = None

    def drop(self, user: str | None = None) -> None:
        """Let go of a person, or of everybody: the next question reads the store."""
        if user is None:
            self._people.clear()
        else:
            self._people.pop(user, None)


class WholePerson:
    """One person's rows.

    Args:
        rows: as Chroma's `get` gives them, with their vectors.
    """

    def __init__(self, rows: dict[str, Any]) -> None:
        stored = zip(rows["ids"], rows["documents"], rows["metadatas"], rows["embeddings"], strict=True)
        self._rows: dict[str, tuple[MemoryRecord, NDArray[Any]]] = {
            key: (to_record(key, text, data), vector) for key, text, data, vector in stored if text and data
        }

    def put(self, record: MemoryRecord, vector: Sequence[float]) -> bool:
        """Take a written record; False when they are too many to be held."""
        import numpy as np

        # Another thread may read the rows meanwhile: they are replaced, not changed.
        self._rows = {**self._rows, record.id: (record, np.asarray(vector, dtype=np.float32))}
        return len(self._rows) <= LARGEST

    def records(
        self,
        *,
        ids: Collection[str] | None = None,
        turns: Collection[str] | None = None,
        kinds: Collection[MemoryKind] = (),
        status: MemoryStatus | None = None,
    ) -> tuple[MemoryRecord, ...]:
        """Give the records of these ids, turns, kinds and this status, oldest first."""
        return in_order(
            record
            for record in (self._rows[key][0] for key in (self._rows if ids is None else ids) if key in self._rows)
            if (turns is None or record.turn in turns)
            and (not kinds or record.kind in kinds)
            and status in (None, record.status)
        )

    def nearest(self, user: str, vector: Sequence[float], kinds: Collection[MemoryKind]) -> Found:
        """Give the active records of these kinds with their cosine, best first."""
        active = [
            row
            for row in self._rows.values()
            if row[0].status is MemoryStatus.ACTIVE and (not kinds or row[0].kind in kinds)
        ]
        return compared(user, active, vector)
