"""What became of words that were once a constraint or a memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ninefold.state import (
    ALWAYS_RECALLED,
    Cause,
    ChangeKind,
    ConstraintsUpdated,
    Fate,
    Finding,
    MemoryRecord,
    MemoryStatus,
    Recalled,
)

from ..memory_ids import folded
from .evidence import Evidence, Sought

_BY_FATE = {
    Fate.BELOW_THRESHOLD: Cause.BELOW_THRESHOLD,
    Fate.BEYOND_TOP_K: Cause.BEYOND_TOP_K,
    Fate.DUPLICATE: Cause.DUPLICATE,
    Fate.SUPERSEDED: Cause.SUPERSEDED,
    Fate.OVER_BUDGET: Cause.OVER_BUDGET,
    Fate.GAVE_WAY: Cause.OVER_BUDGET,
}
"""A candidate that was recalled, or that the prompt held already, is found in the prompt itself."""


def ended_constraints(evidence: Evidence, sought: Sought) -> Iterator[Finding]:
    """Give the constraints that held once and do not hold now, with what ended them."""
    holds = {constraint.id for constraint in evidence.now.constraints}
    for before, after in pairwise(evidence.moments):
        left = {constraint.id for constraint in before.constraints} - {
            constraint.id for constraint in after.constraints
        }
        for constraint in before.constraints:
            found = sought.spot(constraint.words)
            if constraint.id not in left or constraint.id in holds or found is None:
                continue
            change, by = _ending(after.trace, constraint.id, constraint.words)
            yield Finding(
                cause=Cause.CONSTRAINT_ENDED,
                text=found,
                turn=after.turn.number if after.turn else None,
                said=evidence.numbers.get(constraint.turn),
                change=change,
                by=by[:400],
            )


def _ending(trace: tuple[object, ...], constraint: str, words: str) -> tuple[ChangeKind, str]:
    """Give what a turn did to a constraint, and the words that took its place."""
    changes = [change for event in trace if isinstance(event, ConstraintsUpdated) for change in event.changes]
    for change in changes:
        if any(words.startswith(replaced) for replaced in change.replaces.split("; ") if replaced):
            return ChangeKind.CHANGED, change.words
    for change in changes:
        if change.constraint == constraint and change.change in (ChangeKind.REMOVED, ChangeKind.EXPIRED):
            return change.change, ""
    return ChangeKind.REMOVED, ""


def stored(evidence: Evidence, sought: Sought) -> Iterator[Finding]:
    """Give what became of each memory that holds the words and is not in the prompt."""
    candidates = {candidate.id: candidate for candidate in evidence.now.recalled}
    by_id = {record.id: record for record in evidence.memories}
    for record in evidence.memories:
        found = sought.spot(record.text)
        if found is None:
            continue
        candidate = candidates.get(record.id)
        cause = _cause(evidence, record, candidate)
        if cause is None:
            continue
        yield Finding(
            cause=cause,
            text=found,
            turn=evidence.numbers.get(record.turn),
            score=candidate.score if candidate else None,
            minimum=evidence.minimum if cause is Cause.BELOW_THRESHOLD else None,
            by=_by(evidence, record, cause, by_id)[:400],
            reason=_why_not_searched(evidence) if cause is Cause.NOT_SEARCHED else "",
        )


def _cause(evidence: Evidence, record: MemoryRecord, candidate: Recalled | None) -> Cause | None:
    if candidate is not None:
        return _BY_FATE.get(candidate.fate)
    if record.status is MemoryStatus.SUPERSEDED:
        return Cause.SUPERSEDED
    if record.status is MemoryStatus.ARCHIVED:
        return Cause.FADED
    intent = evidence.now.intent
    if record.kind not in ALWAYS_RECALLED and not (intent and intent.search):
        return Cause.NOT_SEARCHED
    return Cause.NOT_FOUND


def _why_not_searched(evidence: Evidence) -> str:
    return evidence.now.intent.reason if evidence.now.intent else ""


def _by(evidence: Evidence, record: MemoryRecord, cause: Cause, by_id: dict[str, MemoryRecord]) -> str:
    """Give the words that took a memory's place."""
    match cause:
        case Cause.SUPERSEDED:
            newer = by_id.get(record.superseded_by or "")
            rival = next(
                (c for c in evidence.now.recalled if c.fate is Fate.RECALLED and c.subject == record.subject), None
            )
            return newer.text if newer else rival.text if rival and record.subject else ""
        case Cause.DUPLICATE:
            mine = folded(record.text)
            recalled = (c for c in evidence.now.recalled if c.fate is Fate.RECALLED)
            return next((c.text for c in recalled if mine in folded(c.text)), "")
        case _:
            return ""
