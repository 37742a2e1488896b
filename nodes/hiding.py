"""The memories as a turn sees them that was asked to forget: without what is deleted when it is over."""

from __future__ import annotations

from collections.abc import Sequence

from ninefold.policies.forgetting import Holds
from ninefold.state import MemoryKind, MemoryRecord, MemoryStatus

from .ports import MemoryStore

Scored = tuple[tuple[MemoryRecord, float], ...]


def without(memory: MemoryStore, holds: Holds) -> MemoryStore:
    """Give a memory store that shows nothing of what is to be forgotten."""
    return _Hiding(memory, holds)


class _Hiding:
    def __init__(self, memory: MemoryStore, holds: Holds) -> None:
        self._memory = memory
        self._holds = holds

    @property
    def embedder(self) -> str:
        return self._memory.embedder

    @property
    def min_score(self) -> float:
        return self._memory.min_score

    def by_kind(self, user: str, kinds: Sequence[MemoryKind]) -> tuple[MemoryRecord, ...]:
        return self._shown(self._memory.by_kind(user, kinds))

    def search(self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()) -> Scored:
        return self._scored(self._memory.search(user, query, limit=limit, kinds=kinds))

    def matching(self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()) -> Scored:
        return self._scored(self._memory.matching(user, query, limit=limit, kinds=kinds))

    def nearest(self, user: str, texts: Sequence[str], *, limit: int) -> tuple[Scored, ...]:
        return tuple(self._scored(each) for each in self._memory.nearest(user, texts, limit=limit))

    def write(self, records: Sequence[MemoryRecord]) -> None:
        self._memory.write(records)

    def get(self, user: str, ids: Sequence[str]) -> tuple[MemoryRecord, ...]:
        return self._shown(self._memory.get(user, ids))

    def of_turns(self, user: str, turns: Sequence[str]) -> tuple[MemoryRecord, ...]:
        return self._shown(self._memory.of_turns(user, turns))

    def records(self, user: str, *, status: MemoryStatus | None = None) -> tuple[MemoryRecord, ...]:
        return self._shown(self._memory.records(user, status=status))

    def delete(self, user: str, ids: Sequence[str]) -> int:
        return self._memory.delete(user, ids)

    def _shown(self, records: tuple[MemoryRecord, ...]) -> tuple[MemoryRecord, ...]:
        return tuple(each for each in records if not self._told(each))

    def _scored(self, found: Scored) -> Scored:
        return tuple((each, score) for each, score in found if not self._told(each))

    def _told(self, record: MemoryRecord) -> bool:
        return self._holds(record.text) or self._holds(record.description)
