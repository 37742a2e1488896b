"""Memories in the process: the same contract as Chroma, gone when the process ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from threading import Lock

from langchain_core.embeddings import Embeddings

from ninefold.state import MemoryKind, MemoryRecord, MemoryStatus, MemoryStoreError
from ninefold.state.memory import in_order

from .rows import Found, checked_user
from .vectors import CheckedEmbeddings, clean
from .words import MemoryWords


class InMemoryMemory:
    """The memories of many people in a dictionary; every search looks at each of the person's rows.

    Args:
        embeddings: the embedding model.
        stamp: its name, "provider:model".
        min_score: the threshold; None takes the embedder's own.
    """

    def __init__(self, embeddings: Embeddings, stamp: str, *, min_score: float | None = None) -> None:
        self._embeddings = CheckedEmbeddings(embeddings, stamp)
        self._min_score = self._embeddings.min_score if min_score is None else min_score
        self._rows: dict[str, tuple[MemoryRecord, list[float]]] = {}
        self._words = MemoryWords()
        self._lock = Lock()

    @property
    def embedder(self) -> str:
        """The stamp of the embedding model."""
        return self._embeddings.stamp

    @property
    def min_score(self) -> float:
        """The threshold, as cosine similarity."""
        return self._min_score

    def by_kind(self, user: str, kinds: Sequence[MemoryKind]) -> tuple[MemoryRecord, ...]:
        """Give the active memories of these kinds, newest first; no embedding is made."""
        active = self.records(user, status=MemoryStatus.ACTIVE)
        return tuple(record for record in active[::-1] if record.kind in kinds)

    def search(self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()) -> Found:
        """Give the active memories nearest to the query with their cosine, best first."""
        checked_user(user)
        if limit < 1 or not query.strip():
            return ()
        return self._nearest(user, self._embeddings.embed_query(query), limit, kinds)

    def matching(self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()) -> Found:
        """Give the active memories that share words with the query, best first; no embedding is made."""
        checked_user(user)

        def load() -> tuple[MemoryRecord, ...]:
            return self.records(user, status=MemoryStatus.ACTIVE)

        return self._words.matching(user, query, limit=limit, kinds=kinds, load=load)

    def nearest(self, user: str, texts: Sequence[str], *, limit: int) -> tuple[Found, ...]:
        """Give `search` for several texts in one batch, over every kind."""
        checked_user(user)
        if limit < 1 or not texts:
            return tuple(() for _ in texts)
        return tuple(self._nearest(user, vector, limit, ()) for vector in self._embeddings.embed_documents(list(texts)))

    def write(self, records: Sequence[MemoryRecord]) -> None:
        """Insert or replace records by id; a text that is stored already is not embedded again."""
        rows = {checked_user(record.user) and record.id: record for record in records}
        with self._lock:
            for key, record in rows.items():
                if key in self._rows and self._rows[key][0].user != record.user:
                    raise MemoryStoreError(f"The memory {key!r} belongs to another person.", "Nothing was written.")
            known = {self._rows[key][0].text: self._rows[key][1] for key in rows if key in self._rows}
        kept = [
            record.model_copy(update={"text": clean(record.text), "embedder": self.embedder})
            for record in rows.values()
        ]
        fresh = [record.text for record in kept if record.text not in known]
        known.update(zip(fresh, self._embeddings.embed_documents(fresh), strict=True))
        with self._lock:
            self._rows.update({record.id: (record, known[record.text]) for record in kept})
        self._words.wrote(kept)

    def get(self, user: str, ids: Sequence[str]) -> tuple[MemoryRecord, ...]:
        """Give the person's records of these ids, in any status."""
        return tuple(record for record in self.records(user) if record.id in ids)

    def of_turns(self, user: str, turns: Sequence[str]) -> tuple[MemoryRecord, ...]:
        """Give what the person said in these turns, in any status, oldest first."""
        return tuple(record for record in self.records(user) if record.turn in turns)

    def records(self, user: str, *, status: MemoryStatus | None = None) -> tuple[MemoryRecord, ...]:
        """Give all of the person's records, oldest first."""
        checked_user(user)
        with self._lock:
            theirs = [record for record, _ in self._rows.values() if record.user == user]
        return in_order(record for record in theirs if status in (None, record.status))

    def delete(self, user: str, ids: Sequence[str]) -> int:
        """Remove the person's records of these ids and give how many there were."""
        theirs = [record.id for record in self.get(user, ids)]
        with self._lock:
            gone = sum(self._rows.pop(key, None) is not None for key in theirs)
        self._words.drop(user)
        return gone

    def _nearest(self, user: str, vector: Sequence[float], limit: int, kinds: Sequence[MemoryKind]) -> Found:
        with self._lock:
            rows = list(self._rows.values())
        scored = [
            (record, _cosine(vector, other))
            for record, other in rows
            if record.user == user and record.status is MemoryStatus.ACTIVE and (not kinds or record.kind in kinds)
        ]
        return tuple(sorted(scored, key=lambda pair: (-pair[1], pair[0].id))[:limit])


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    length = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / length if length else 0.0
