"""One order out of two: what is near in meaning, and what shares words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import NamedTuple

from ninefold.state import MemoryRecord

from .ageing import weight
from .recall_input import Limits

WORDS = 0.35
"""How much of a question a memory must hold for words to count as much as meaning, or to be recalled by them alone."""


class Standing(NamedTuple):
    """A memory among all that was found."""

    record: MemoryRecord
    cosine: float | None
    """None where only its words found it."""
    score: float
    """How far it stands out, in standard deviations, meaning and words together."""


def fused(
    near: Sequence[tuple[MemoryRecord, float]], matching: Sequence[tuple[MemoryRecord, float]], limits: Limits
) -> list[Standing]:
    """Give everything that either search found, best first.

    Each score counts as it stands out among all that was found: their scales differ with the embedder and with the
    question. What one search did not bring is taken as its last. Both count alike where some memory holds `WORDS` of
    the question; the less the best one holds, the more its words are met by chance, and the less all words count.
    Against words that always count alike, the one preference of twenty that bears on a question comes among the first
    five in .886 instead of .857 of `bench/recall.py`'s questions, and the wanted memory first in .774 instead of .764.
    """
    cosines = {record.id: score for record, score in near}
    records = {record.id: record for record, _ in (*near, *matching)}
    lasting = {key: weight(record, limits) for key, record in records.items()}
    meaning = {key: score * lasting[key] for key, score in cosines.items()}
    words = {record.id: score * lasting[record.id] for record, score in matching}
    by_meaning = _standing(meaning, records, missing=min(meaning.values(), default=0.0))
    by_words = _standing(words, records, missing=0.0)
    telling = min(1.0, max(words.values(), default=0.0) / WORDS)
    score = {key: by_meaning[key] + telling * by_words[key] for key in records}
    return [
        Standing(records[key], cosines.get(key), score[key]) for key in sorted(records, key=lambda k: (-score[k], k))
    ]


def _standing(scores: Mapping[str, float], of: Mapping[str, object], *, missing: float) -> dict[str, float]:
    """How far each stands above the mean, in standard deviations."""
    values = {key: scores.get(key, missing) for key in of}
    if len(values) < 2:
        return dict.fromkeys(values, 0.0)
    mean, spread = fmean(values.values()), pstdev(values.values())
    return {key: (value - mean) / spread if spread > 1e-9 else 0.0 for key, value in values.items()}
