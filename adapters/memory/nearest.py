"""The rows of a person nearest to a vector, with their cosine: compared one by one, or as Chroma's index ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ninefold.state import MemoryRecord

from .rows import Found, to_record

if TYPE_CHECKING:
    from langchain_chroma import Chroma
    from numpy.typing import NDArray

EXACT = 256
"""Rows of a person up to which every one is compared; beyond, Chroma's approximate index is asked."""
WHOLE = ("documents", "metadatas", "embeddings")
"""What of a row makes it whole."""


def in_store(
    store: Chroma, user: str, vectors: Sequence[list[float]], limit: int, wanted: dict[str, Any], large: set[str]
) -> list[Found]:
    """Give for each vector the nearest of the rows that a filter lets through, best first.

    Up to `EXACT` rows all are compared: Chroma's index is a graph, in which an outlier among near twins can be out of
    reach.

    Args:
        store: asked.
        user: whose rows the filter lets through.
        vectors: that are compared.
        limit: rows that the index gives at most.
        wanted: the filter.
        large: persons who are known to have more rows; it is added to.
    """
    if user not in large and len(store.get(where=wanted, limit=EXACT + 1, include=[])["ids"]) <= EXACT:
        rows = store.get(where=wanted, include=[*WHOLE])
        stored = zip(rows["ids"], rows["documents"], rows["metadatas"], rows["embeddings"], strict=True)
        known = [(to_record(key, text, data), vector) for key, text, data, vector in stored if text and data]
        return [compared(user, known, vector) for vector in vectors]
    large.add(user)
    ask = store.similarity_search_by_vector_with_relevance_scores
    return [_ranked(user, ask(vector, k=limit, filter=wanted)) for vector in vectors]


def compared(user: str, rows: Sequence[tuple[MemoryRecord, NDArray[Any]]], vector: Sequence[float]) -> Found:
    """Give records with the cosine of their vector to another one, best first."""
    import numpy as np

    if not rows:
        return ()
    asked = np.asarray(vector, dtype=np.float64)
    stored = np.asarray([each for _, each in rows], dtype=np.float64)
    lengths = np.linalg.norm(stored, axis=1) * np.linalg.norm(asked)
    cosines = np.divide(stored @ asked, lengths, out=np.zeros(len(stored)), where=lengths > 0)
    return _best_first(user, [(record, float(cosine)) for (record, _), cosine in zip(rows, cosines, strict=True)])


def _ranked(user: str, found: Sequence[tuple[Any, float]]) -> Found:
    """Chroma's distances as cosine."""
    scored = [
        (to_record(doc.id, doc.page_content, doc.metadata), 1.0 - distance) for doc, distance in found if doc.metadata
    ]
    return _best_first(user, scored)


def _best_first(user: str, scored: Sequence[tuple[MemoryRecord, float]]) -> Found:
    """Best first; the user is looked at once more, so that no failing filter shows another's rows."""
    return tuple(sorted((pair for pair in scored if pair[0].user == user), key=lambda pair: (-pair[1], pair[0].id)))
