"""Rules that the person once said for all time come back at the start of a new thread."""

from __future__ import annotations

from collections.abc import Sequence

from ninefold.state import Constraint, Fate, MemoryKind, Origin, Recalled, Scope

from .candidates import polarity_of
from .cues import find, says
from .keys import keyed
from .merging import identify
from .rivals import rivals

SUBJECT = "constraint:"
"""What the subject of a record begins with when it holds such a rule; the canonical key follows."""


def from_preferences(recalled: Sequence[Recalled], turn: str) -> tuple[Constraint, ...]:
    """Give the standing rules among the recalled memories; of two that cannot both hold, the newest."""
    standing: list[Constraint] = []
    rules = [each for each in recalled if _is_rule(each)]
    for memory in sorted(rules, key=lambda each: each.created, reverse=True):
        constraint = _constraint(memory, turn)
        if not rivals(standing, constraint):
            standing.append(constraint)
    return tuple(reversed(standing))


def _is_rule(memory: Recalled) -> bool:
    said = memory.kind is MemoryKind.PREFERENCE and memory.fate is Fate.RECALLED and memory.role == "user"
    return said and (memory.subject or "").startswith(SUBJECT)


def _constraint(memory: Recalled, turn: str) -> Constraint:
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
