"""Rules that the person once said for all time come back at the start of a new thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ninefold.state import (
    ChangeKind,
    Constraint,
    Fate,
    MemoryKind,
    MemoryRecord,
    MemoryStatus,
    Origin,
    Recalled,
    Scope,
)

from .candidates import polarity_of
from .cues import find, says
from .keys import keyed
from .merging import Merged, change, identify, replace
from .rivals import restates, rivals

SUBJECT = "constraint:"
"""What the subject of a record begins with when it holds such a rule; the canonical key follows."""


def from_preferences(recalled: Sequence[Recalled], turn: str) -> tuple[Constraint, ...]:
    """Give the standing rules among the recalled memories; of two that cannot both hold, the newest."""
    standing: list[Constraint] = []
    rules = [each for each in recalled if each.fate is Fate.RECALLED and _stated(each)]
    for memory in sorted(rules, key=lambda each: each.created, reverse=True):
        constraint = rule(memory, turn)
        if not rivals(standing, constraint):
            standing.append(constraint)
    return tuple(reversed(standing))


def in_force(held: Sequence[Constraint], records: Mapping[str, MemoryRecord], turn: str) -> Merged:
    """Give the constraints without those that were replaced or taken back since, on whichever thread.

    The rule that replaced one stands in its place, unless this thread holds another one that it cannot stand beside.

    Args:
        held: the constraints of this thread.
        records: the record of each constraint that has one, by the constraint's id, and the records that replaced
            those, by their own.
        turn: the turn that finds out.
    """
    kept = list(held)
    changes = []
    for old in held:
        record = records.get(old.id)
        if record is None or record.status is not MemoryStatus.SUPERSEDED:
            continue
        newest = _newest(record, records)
        new = rule(newest, turn) if newest is not None and _stated(newest) else None
        others = [each for each in kept if each.id != old.id]
        if new is None or any(restates(each, new) for each in others) or rivals(others, new):
            kept.remove(old)
            changes.append(change(ChangeKind.REMOVED, old))
        else:
            replace(kept, new, [old], changes)
    return Merged(tuple(kept), tuple(changes), ())


def _newest(record: MemoryRecord, records: Mapping[str, MemoryRecord]) -> MemoryRecord | None:
    """Give the record at the end of the line of those that replaced one another."""
    seen = {record.id}
    while record.superseded_by is not None and record.superseded_by not in seen:
        seen.add(record.superseded_by)
        follower = records.get(record.superseded_by)
        if follower is None:
            return None
        record = follower
    return record if record.status is MemoryStatus.ACTIVE else None


def is_rule(memory: Recalled | MemoryRecord) -> bool:
    """Whether a memory keeps a rule for all time."""
    return (memory.subject or "").startswith(SUBJECT)


def _stated(memory: Recalled | MemoryRecord) -> bool:
    """Whether a memory is a rule that the person stated as one."""
    return memory.kind is MemoryKind.PREFERENCE and memory.role == "user" and is_rule(memory)


def rule(memory: Recalled | MemoryRecord, turn: str) -> Constraint:
    """Give the constraint that a kept rule for all time is."""
    words = memory.text
    named = keyed(words)
    name = (memory.subject or "").removeprefix(SUBJECT) or None
    condition = find("when", words)
    inner = condition is not None and condition[0].strip() != words.strip() and len(condition[0].strip()) > 3
    return Constraint(
        id=identify("preference", memory.id),
        key=named.key.name if named else name,
        value=named.value if named else None,
        polarity=polarity_of(words, preference=says("prefer", words)),
        words=words,
        scope=Scope.WHEN if condition and inner else Scope.SESSION,
        condition=condition[0].strip() if condition and inner else None,
        turn=turn,
        message=memory.id,
        at=memory.created,
        lasting=True,
        origin=Origin.PREFERENCE,
    )
