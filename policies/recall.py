"""What of the found memories goes into the prompt: threshold, top k, doublets, what the view holds, and a budget."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from ninefold.state import Fate, MemoryRecord, MemoryStatus, Recalled
from ninefold.state.memory import in_order

from .memory_ids import folded, same_turn
from .subject import claims
from .text import sentences

TEXT = 400
"""Characters of a recalled memory at most; of a longer one the part that answers the question is taken."""
REFUSED_TEXT = 48
"""Characters kept of a candidate that does not go into the prompt."""
CANDIDATES = 40
ALWAYS = 60
"""Preferences and profile statements that are looked at, the best first."""
BYTES = 8 * 1024
"""Of all candidates as they stand in the state."""

_RUN = re.compile(r"[a-z0-9]+|[\u2e80-\u9fff\uf900-\ufaff]+")

Scored = tuple[MemoryRecord, float | None]
Candidate = tuple[MemoryRecord, float | None, Fate]


@dataclass(frozen=True)
class InView:
    """What this turn's context holds already."""

    ids: frozenset[str] = frozenset()
    """Memories that stand in a message that was sent."""
    turns: frozenset[str] = frozenset()
    """Turns whose own words are in the window, whole."""
    texts: tuple[str, ...] = ()
    """Words that stand in the prompt in other places: constraints, the person's messages."""


@dataclass(frozen=True)
class Limits:
    """How much may be recalled."""

    min_score: float
    top_k: int
    tokens: int


class Ranking(Protocol):
    """Decides the fate of each candidate. What is superseded must never come as current."""

    def rank(
        self, always: Sequence[MemoryRecord], found: Sequence[Scored], *, query: str, view: InView, limits: Limits
    ) -> tuple[Recalled, ...]:
        """Give the candidates in the order in which they should stand in the prompt, each with its fate.

        Args:
            always: preferences and profile, newest first; no threshold holds for them.
            found: what the search found, with its cosine, best first.
            query: what the person wants now.
            view: what needs no recall, because it is there.
            limits: the threshold, the number and the tokens.
        """
        ...


class DefaultRanking:
    """Preferences by how much they share with the question, then by age; the rest by score over the threshold."""

    def rank(
        self, always: Sequence[MemoryRecord], found: Sequence[Scored], *, query: str, view: InView, limits: Limits
    ) -> tuple[Recalled, ...]:
        """Give the candidates, each with its fate; those that go into the prompt come first."""
        # Versions of one statement share their words, and so stand together: what is cut off here hides no newer one.
        known = sorted(always, key=lambda each: -shared(each.text, query))[:ALWAYS]
        prompt = _Prompt(view, [*known, *(record for record, _ in found)])
        candidates: list[Candidate] = [(record, None, prompt.take(record)) for record in known]
        taken = 0
        for record, score in found:
            fate = _by_score(score, limits, taken) or prompt.take(record)
            taken += fate is Fate.RECALLED
            candidates.append((record, score, fate))
        within = _within(candidates, limits.tokens)
        return _bounded([_recalled(*each, query, prompt.replaced(each[0])) for each in within])


class _Prompt:
    """What the prompt holds so far, as it compares."""

    def __init__(self, view: InView, candidates: Sequence[MemoryRecord]) -> None:
        self._view = view
        self._texts = [folded(text) for text in view.texts]
        self._taken: list[str] = []
        self._versions: dict[str, list[MemoryRecord]] = {}
        distinct = {each.id: each for each in candidates}
        self._claims = {key: claims(record) for key, record in distinct.items()}
        for record in in_order(distinct.values()):
            for claim in self._claims[record.id]:
                self._versions.setdefault(claim, []).append(record)

    def take(self, record: MemoryRecord) -> Fate:
        """Give the fate of a candidate that is good enough, and remember it when it is recalled."""
        text = folded(record.text)
        if text in self._taken:
            return Fate.DUPLICATE
        if record.status is not MemoryStatus.ACTIVE or self._is_outdated(record):
            return Fate.SUPERSEDED
        in_view = record.id in self._view.ids or record.turn in self._view.turns
        if in_view or any(text in there for there in self._texts):
            return Fate.IN_VIEW
        if any(text in there for there in self._taken):
            return Fate.DUPLICATE
        self._taken.append(text)
        return Fate.RECALLED

    def replaced(self, record: MemoryRecord) -> str | None:
        """Give the day of the newest other statement that this one contradicts."""
        older = [r for r in self._others(record) if folded(r.text) != folded(record.text)]
        return older[-1].created[:10] if older else None

    def _is_outdated(self, record: MemoryRecord) -> bool:
        newest = [self._versions[claim][-1] for claim in self._claims[record.id]]
        return any(not same_turn(other, record) for other in newest)

    def _others(self, record: MemoryRecord) -> tuple[MemoryRecord, ...]:
        """Give what was said in other turns on the same subject; two rules of one turn stand together."""
        same = (r for claim in self._claims[record.id] for r in self._versions[claim])
        return in_order(r for r in same if not same_turn(r, record))


def shared(text: str, query: str) -> float:
    """Give the share of the query's words, Chinese letters in pairs, that a text holds."""
    asked = _words(query)
    return len(asked & _words(text)) / len(asked) if asked else 0.0


def fragment(text: str, query: str, limit: int = TEXT) -> str:
    """Give the part of a long memory that shares most with the query; a short one whole."""
    if len(text) <= limit:
        return text
    best = max(sentences(text), key=lambda span: (shared(span.text, query), -span.start))
    start = min(best.start, len(text) - limit)
    if best.end - best.start < limit:
        start = max(0, best.end - limit, min(start, best.start))
    return ("…" if start else "") + text[start : start + limit - 2] + "…"


def tokens_at_most(text: str) -> int:
    """Give a number of tokens that a text hardly exceeds; assembly counts exactly."""
    wide = sum(ord(letter) >= 0x2E80 for letter in text)
    return wide + (len(text) - wide) // 3 + 16


def _by_score(score: float | None, limits: Limits, taken: int) -> Fate | None:
    if score is not None and score < limits.min_score:
        return Fate.BELOW_THRESHOLD
    return Fate.BEYOND_TOP_K if taken >= limits.top_k else None


def _within(candidates: Sequence[Candidate], tokens: int) -> list[Candidate]:
    """The candidates with the last recalled ones given up when all together are clearly too many."""
    kept: list[Candidate] = []
    spent = 0
    for record, score, fate in candidates:
        if fate is Fate.RECALLED:
            cost = tokens_at_most(record.text[:TEXT])
            if spent + cost > tokens:
                fate = Fate.OVER_BUDGET
            else:
                spent += cost
        kept.append((record, score, fate))
    return sorted(kept, key=lambda each: each[2] is not Fate.RECALLED)


def _recalled(record: MemoryRecord, score: float | None, fate: Fate, query: str, replaces: str | None) -> Recalled:
    recalled = fate is Fate.RECALLED
    return Recalled(
        id=record.id,
        kind=record.kind,
        text=fragment(record.text, query) if recalled else record.text[:REFUSED_TEXT],
        created=record.created,
        score=score,
        fate=fate,
        subject=record.subject,
        role=record.role,
        replaces=replaces if recalled else None,
    )


def _bounded(candidates: Sequence[Recalled]) -> tuple[Recalled, ...]:
    kept: list[Recalled] = []
    size = 0
    for candidate in candidates[:CANDIDATES]:
        size += len(candidate.model_dump_json().encode())
        if size > BYTES:
            break
        kept.append(candidate)
    return tuple(kept)


@lru_cache(maxsize=2048)
def _words(text: str) -> frozenset[str]:
    found = set()
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if run[0] < "\u2e80":
            found.add(run)
        else:
            found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    return frozenset(found)
