"""One order out of two: what is near in meaning, and what shares words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import NamedTuple

from ninefold.state import MemoryRecord

from .ageing import weight
from .recall_input import Limits


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

    Both scores count alike, each as it stands out among all that was found: their scales differ with the embedder and
    with the question. What one search did not bring is taken as its last. With equal weights no single search has to be
    trusted beforehand; on two sets of questions the sum lies between .01 below and .03 above the better of the two.
    """
    cosines = {record.id: score for record, score in near}
    records = {record.id: record for record, _ in (*near, *matching)}
    lasting = {key: weight(record, limits) for key, record in records.items()}
    meaning = {key: score * lasting[key] for key, score in cosines.items()}
    words = {record.id: score * lasting[record.id] for record, score in matching}
    by_meaning = _standing(meaning, records, missing=min(meaning.values(), default=0.0))
    by_words = _standing(words, records, missing=0.0)
    ordered = sorted(records, key=lambda key: (-by_meaning[key] - by_words[key], key))
    return [Standing(records[key], cosines.get(key), by_meaning[key] + by_words[key]) for key in ordered]


def _standing(scores: Mapping[str, float], of: Mapping[str, object], *, missing: float) -> dict[str, float]:
    """How far each stands above the mean, in standard deviations."""
    values = {key: scores.get(key, missing) for key in of}
    if len(values) < 2:
        return dict.fromkeys(values, 0.0)
    mean, spread = fmean(values.values()), pstdev(values.values())
    return {key: (value - mean) / spread if spread > 1e-9 else 0.0 for key, value in values.items()}
