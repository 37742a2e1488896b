"""What became of words that were said and are not in the prompt."""

from __future__ import annotations

from collections.abc import Iterator

from ninefold.state import Cause, FidelityChecked, Finding, MemoryWritten
from ninefold.state.turn_state import TurnState

from ..text import plain_text
from .evidence import Evidence, Sought, Spoken


def said(evidence: Evidence, sought: Sought) -> Iterator[Finding]:
    """Give, for each message that holds the words, why the prompt does not hold them from there."""
    for each in evidence.said:
        found = sought.spot(plain_text(each.message))
        if found is None:
            continue
        left = _leaving(evidence, each)
        if left is not None:
            yield left.model_copy(update={"text": found})
        if each.by_person and left is not None and not _remembered(evidence, each, sought):
            yield Finding(cause=Cause.NOT_STORED, text=found, turn=each.number, reason=_not_written(evidence, each))


def _leaving(evidence: Evidence, each: Spoken) -> Finding | None:
    """Give how a message's words left the prompt: compacted in its place, or moved to the archive."""
    for moment in evidence.moments:
        if moment.turn is None or moment.turn.number < each.number:
            continue
        entry = next((entry for entry in moment.entries if entry.message == each.message.id), None)
        if entry is not None and not entry.compacted:
            continue
        strategy, proven = _committed(moment)
        if entry is None and not strategy:
            return Finding(cause=Cause.LEFT_WINDOW, turn=moment.turn.number, said=each.number)
        return Finding(
            cause=Cause.COMPACTED,
            turn=moment.turn.number,
            said=each.number,
            strategy=strategy,
            proven=proven,
            reference=entry.reference if entry else None,
        )
    return None


def _committed(moment: TurnState) -> tuple[str, bool | None]:
    """Give the strategies that a turn's proof let through."""
    checks = [event for event in moment.trace if isinstance(event, FidelityChecked) and event.committed]
    return ", ".join(dict.fromkeys(name for check in checks for name in check.committed)), (True if checks else None)


def _remembered(evidence: Evidence, each: Spoken, sought: Sought) -> bool:
    kept = (record for record in evidence.memories if record.turn == each.turn)
    held = (constraint for constraint in evidence.now.constraints if constraint.turn == each.turn)
    return any(sought.spot(r.text) for r in kept) or any(sought.spot(c.words) for c in held)


def _not_written(evidence: Evidence, each: Spoken) -> str:
    """Give why the turn in which it was said kept no memory of it."""
    moment = next((m for m in evidence.moments if m.turn and m.turn.id == each.turn), None)
    events = moment.trace if moment else ()
    return next((event.reason for event in events if isinstance(event, MemoryWritten)), "")
