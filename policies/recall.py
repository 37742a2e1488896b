"""What of all that was found goes into the prompt: thresholds, quotas, doublets, what the view holds, and a budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from ninefold.state import ALWAYS_RECALLED, Fate, MemoryRecord, MemoryStatus, Recalled
from ninefold.state.memory import in_order, instant

from .ageing import weight
from .constraints import is_rule
from .dates import Span
from .earlier import Told, earlier
from .fragment import TEXT, fragment, shared
from .fusion import WORDS, fused
from .memory_ids import folded, same_turn
from .recall_input import Found, InView, Limits, Scored
from .subject import claims

__all__ = ["CANDIDATES", "DefaultRanking", "Found", "InView", "Limits", "Ranking", "looked_up"]

REFUSED_TEXT = 48
"""Characters kept of a candidate that does not go into the prompt."""
IN_VIEW_TEXT = 160
"""Characters kept of what is in view; a cut of the same turn may take it out, and it is shown then."""
CANDIDATES = 40
ALWAYS = 60
"""Preferences and profile statements that are looked at, the best first."""
ALWAYS_SHARE = 0.5
"""Of the tokens that preferences and profile may take when a search found something too."""
MANY = 10
BESIDE_BEST = 0.3
FURTHER = 0.5
FEW = 3
"""Among `MANY` found memories, those that stand out less than a share of how far the best one does are left out.

Where one memory answers, .3 for all takes 1.9 of five beside it into the prompt instead of three and a half, and loses
one answer in a hundred; .4 takes one and a half and loses three. .5 behind the first `FEW` takes 1.6 and loses none
of those that .3 keeps. Among fewer it says nothing who stands out.
"""
BYTES = 8 * 1024
"""Of all candidates as they stand in the state."""


class Ranking(Protocol):
    """Decides the fate of each candidate. What is superseded must never come as current."""

    def rank(
        self, always: Sequence[MemoryRecord], found: Found, *, query: str, view: InView, limits: Limits
    ) -> tuple[Recalled, ...]:
        """Give the candidates in the order in which they should stand in the prompt, each with its fate.

        Args:
            always: preferences and profile, newest first; no threshold holds for them.
            found: what the searches found.
            query: what the person wants now.
            view: what needs no recall, because it is there.
            limits: the threshold, the number and the tokens.
        """
        ...


class DefaultRanking:
    """Preferences by how much they share with the question; then the rest by meaning and words; then earlier turns."""

    def rank(
        self, always: Sequence[MemoryRecord], found: Found, *, query: str, view: InView, limits: Limits
    ) -> tuple[Recalled, ...]:
        """Give the candidates, each with its fate; those that go into the prompt come first."""
        ranked = fused(found.near, found.matching, limits)
        # By themselves: the preferences found beside them would move the mean that they stand out from.
        searched = fused(_on_demand(found.near), _on_demand(found.matching), limits)
        place = {each.record.id: number for number, each in enumerate(ranked)}
        # Versions of one statement share their words, and so stand together: what is cut off here hides no newer one.
        known = sorted(always, key=lambda each: (place.get(each.id, len(place)), -shared(each.text, query)))[:ALWAYS]
        words = {record.id: score for record, score in found.matching}
        prompt = _Prompt(view, [*known, *(each.record for each in searched)])
        candidates = [prompt.candidate(record, prompt.take(record), query) for record in known]
        candidates = _within(candidates, limits.tokens * (ALWAYS_SHARE if searched or found.said else 1))
        then = [each for each in searched if _within_time(each.record, found.when)]
        bounds = replace(limits, min_score=-1.0) if then else limits
        best = searched[0].score if len(searched) >= MANY and not then else -math.inf
        taken = 0
        for record, score, standing in then or searched:
            least = (BESIDE_BEST if taken < FEW else FURTHER) * best
            below = Fate.BELOW_THRESHOLD if standing < min(best, least) else None
            fate = below or _by_score(record, score, words.get(record.id), bounds, taken) or prompt.take(record)
            # What an earlier turn recalled and still stands there takes its place: the next best is no better for it.
            taken += fate is Fate.RECALLED or (fate is Fate.IN_VIEW and record.id in view.ids)
            scores = {"score": score, "words": words.get(record.id)}
            candidates.append(prompt.candidate(record, fate, query).model_copy(update=scores))
        recalled = [candidate for candidate in candidates if candidate.fate is Fate.RECALLED]
        candidates += earlier(
            found.said,
            [Told(folded(each.text), each.created, each.subject) for each in recalled],
            found.of_their_turns,
            query=query,
            view=view,
            limits=limits,
            when=found.when,
        )
        return _bounded(_within(candidates, limits.tokens))


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
        if is_rule(record) and self._claims.get(record.id, claims(record)) & self._view.claims:
            return Fate.SUPERSEDED  # It waits for other sessions: in this one the person said otherwise.
        self._taken.append(text)
        return Fate.RECALLED

    def candidate(self, record: MemoryRecord, fate: Fate, query: str) -> Recalled:
        """Give the candidate with its fate: the fragment that is shown, or the beginning of what is not."""
        recalled = fate is Fate.RECALLED
        return Recalled(
            id=record.id,
            kind=record.kind,
            text=_shown(record, fate, query, may_leave=record.id in self._view.ids),
            created=record.created,
            score=None,
            fate=fate,
            subject=record.subject,
            role=record.role,
            replaces=self._replaced(record) if recalled else None,
        )

    def _replaced(self, record: MemoryRecord) -> str | None:
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


def _shown(record: MemoryRecord, fate: Fate, query: str, *, may_leave: bool) -> str:
    if fate is Fate.RECALLED:
        return fragment(record.text, query)
    may_leave = fate is Fate.IN_VIEW and (may_leave or record.kind not in ALWAYS_RECALLED)
    return fragment(record.text, query, IN_VIEW_TEXT) if may_leave else record.text[:REFUSED_TEXT]


def tokens_at_most(text: str) -> int:
    """Give a number of tokens that a text hardly exceeds; assembly counts exactly."""
    wide = sum(ord(letter) >= 0x2E80 for letter in text)
    return wide + (len(text) - wide) // 3 + 16


def looked_up(near: Sequence[Scored], matching: Sequence[Scored], limits: Limits) -> list[MemoryRecord]:
    """Give what a search finds beside any view, best first: by the same thresholds, and nothing that was replaced."""
    words = {record.id: score for record, score in matching}
    ranked = fused(near, matching, limits)
    prompt = _Prompt(InView(), [each.record for each in ranked])
    kept = [each for each in ranked if not _by_score(each.record, each.cosine, words.get(each.record.id), limits, 0)]
    return [each.record for each in kept if prompt.take(each.record) is Fate.RECALLED]


def _on_demand(found: Sequence[Scored]) -> list[Scored]:
    return [pair for pair in found if pair[0].kind not in ALWAYS_RECALLED]


def _by_score(
    record: MemoryRecord, score: float | None, words: float | None, limits: Limits, taken: int
) -> Fate | None:
    lasting = weight(record, limits)
    near = score is not None and score * lasting >= limits.min_score
    if not near and (words or 0.0) * lasting < WORDS:
        return Fate.BELOW_THRESHOLD
    return Fate.BEYOND_TOP_K if taken >= limits.top_k else None


def _within_time(record: MemoryRecord, when: Span | None) -> bool:
    return when is not None and when.start <= instant(record.created) < when.end


def _within(candidates: Sequence[Recalled], tokens: float) -> list[Recalled]:
    """The candidates with the last recalled ones given up when all together are clearly too many."""
    kept: list[Recalled] = []
    spent = 0
    for candidate in candidates:
        if candidate.fate is Fate.RECALLED:
            cost = tokens_at_most(candidate.text[:TEXT])
            if spent + cost > tokens:
                update = {"fate": Fate.OVER_BUDGET, "text": candidate.text[:REFUSED_TEXT], "replaces": None}
                kept.append(candidate.model_copy(update=update))
                continue
            spent += cost
        kept.append(candidate)
    return sorted(kept, key=lambda each: (each.fate is not Fate.RECALLED, not _may_leave(each)))


def _may_leave(candidate: Recalled) -> bool:
    """Whether a cut of the same turn may take it out of view; preferences and profile come again by themselves."""
    return candidate.fate is Fate.IN_VIEW and candidate.kind not in ALWAYS_RECALLED


def _bounded(candidates: Sequence[Recalled]) -> tuple[Recalled, ...]:
    kept: list[Recalled] = []
    size = 0
    for candidate in candidates[:CANDIDATES]:
        size += len(candidate.model_dump_json().encode())
        if size > BYTES:
            break
        kept.append(candidate)
    return tuple(kept)
