"""The rows of a person nearest to a vector, with their cosine: compared one by one, or as Chroma's index ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ninefold.state import MemoryRecord

from .rows import to_record

Found = tuple[tuple[MemoryRecord, float], ...]


def exact(user: str, rows: dict[str, Any], vector: Sequence[float]) -> Found:
    """Every row's cosine, computed.

    Chroma's index is a graph, in which an outlier among near twins can be out of reach.
    """
    import numpy as np

    if not rows["ids"]:
        return ()
    asked = np.asarray(vector, dtype=np.float64)
    stored = np.asarray(rows["embeddings"], dtype=np.float64)
    lengths = np.linalg.norm(stored, axis=1) * np.linalg.norm(asked)
    cosines = np.divide(stored @ asked, lengths, out=np.zeros(len(stored)), where=lengths > 0)
    scored = [
        (to_record(key, text, data), float(cosine))
        for key, text, data, cosine in zip(rows["ids"], rows["documents"], rows["metadatas"], cosines, strict=True)
        if text and data
    ]
    return _best_first(user, scored)


def ranked(user: str, found: Sequence[tuple[Any, float]]) -> Found:
    """Chroma's distances as cosine."""
    scored = [
        (to_record(doc.id, doc.page_content, doc.metadata), 1.0 - distance) for doc, distance in found if doc.metadata
    ]
    return _best_first(user, scored)


def _best_first(user: str, scored: Sequence[tuple[MemoryRecord, float]]) -> Found:
    """Best first; the user is looked at once more, so that no failing filter shows another's rows."""
    return tuple(sorted((pair for pair in scored if pair[0].user == user), key=lambda pair: (-pair[1], pair[0].id)))
