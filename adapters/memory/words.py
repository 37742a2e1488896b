"""The words of each person's active memories, kept in the process beside the store that holds them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from threading import RLock

from ninefold.state import MemoryKind, MemoryRecord, MemoryStatus

from ..lexical import LexicalIndex
from .rows import Found

PEOPLE = 64
"""Persons whose words are held at a time; who comes back after that is read from the store again."""

Load = Callable[[], Iterable[MemoryRecord]]
Look = Callable[[Sequence[str]], Iterable[MemoryRecord]]


class MemoryWords:
    """Finds memories by the words they share with a question; no embedding is made.

    What this process writes is taken as it is written. Whoever owns it says, by another `revision`, when somebody else
    wrote: then the person's memories are read again. A revision that only counts rows does not tell that one was
    superseded; so what is found is looked at again where others write.
    """

    def __init__(self) -> None:
        self._people: OrderedDict[str, _Words] = OrderedDict()
        self._lock = RLock()

    def matching(
        self,
        user: str,
        question: str,
        *,
        limit: int,
        kinds: Sequence[MemoryKind],
        load: Load,
        look: Look | None = None,
        revision: object = None,
    ) -> Found:
        """Give the active memories that share words with a question and their score, best first.

        Args:
            user: whose memories.
            question: what is looked for.
            limit: how many at most.
            kinds: only these; none means all.
            load: gives the person's active memories from the store.
            look: gives what the store has now of these ids; None where nobody else writes.
            revision: of the store.
        """
        with self._lock:
            found = self._found(user, question, limit, kinds, load, revision)
            if look is None or not found:
                return found
            now = {record.id: record for record in look([record.id for record, _ in found])}
            if all(record.id in now and now[record.id].status is MemoryStatus.ACTIVE for record, _ in found):
                return tuple((now[record.id], score) for record, score in found)
            self.drop(user)
            return self._found(user, question, limit, kinds, load, revision)

    def _found(
        self, user: str, question: str, limit: int, kinds: Sequence[MemoryKind], load: Load, revision: object
    ) -> Found:
        with self._lock:
            words = self._people.get(user)
            if words is None or words.revision != revision:
                words = self._people[user] = _Words(load(), revision)
            self._people.move_to_end(user)
            while len(self._people) > PEOPLE:
                self._people.popitem(last=False)
            return words.matching(question, limit, frozenset(kinds))

    def wrote(self, records: Iterable[MemoryRecord], revision: object = None) -> None:
        """Take what was written to the store, and the revision that it has now."""
        with self._lock:
            for record in records:
                words = self._people.get(record.user)
                if words is not None:
                    words.put(record)
                    words.revision = revision

    def drop(self, user: str | None = None) -> None:
        """Forget the words of a person, or of everybody: they are read again when they are needed."""
        with self._lock:
            if user is None:
                self._people.clear()
            else:
                self._people.pop(user, None)


class _Words:
    """One person's active memories."""

    def __init__(self, records: Iterable[MemoryRecord], revision: object) -> None:
        self.revision = revision
        self._index = LexicalIndex()
        self._records: list[MemoryRecord | None] = []
        self._places: dict[str, int] = {}
        for record in records:
            self.put(record)

    def put(self, record: MemoryRecord) -> None:
        place = self._places.get(record.id)
        if record.status is not MemoryStatus.ACTIVE:
            if place is not None:
                self._records[place] = None
        elif place is None:
            self._places[record.id] = self._index.add(f"{record.text}\n{record.description}")
            self._records.append(record)
        else:
            self._records[place] = record

    def matching(self, question: str, limit: int, kinds: frozenset[MemoryKind]) -> Found:
        import numpy as np

        scores = self._index.scores(question)
        found: list[tuple[MemoryRecord, float]] = []
        for place in np.argsort(-scores, kind="stable"):
            record = self._records[place]
            if len(found) == limit or scores[place] <= 0:
                break
            if record is not None and (not kinds or record.kind in kinds):
                found.append((record, float(scores[place])))
        return tuple(found)
