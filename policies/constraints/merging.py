"""New wishes meet the constraints that hold: added, changed, removed, left as they are, or set against one another.

Laws: an explicit change and a this-turn wish are never a conflict; what holds for another task, another thing looked
for, or another condition is no rival; merging the same message twice changes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from ninefold.state import (
    ChangeKind,
    Conflict,
    ConflictRule,
    Constraint,
    ConstraintChange,
    Origin,
    Polarity,
    Scope,
    Task,
)

from .candidates import Candidate
from .halves import BETWEEN, forbidden_again, half_allowed, is_permission, without_idle_permissions
from .rivals import dismissed, opposite_tastes, restates, rivals, targets

_SHOWN = 400
_OVERRULED = 2000
"""Characters of the session's rules that a task's own rule is set against."""
_TAKEN_BACK = 200
"""Rules that wait at most for a memory that fails; the newest stay."""


class Source(NamedTuple):
    """Where wishes come from: their turn, their message, the time, and the task they may belong to."""

    turn: str
    message: str
    at: str
    task: Task | None


class Merged(NamedTuple):
    """The constraints that hold now, what changed, and what the person must decide."""

    constraints: tuple[Constraint, ...]
    changes: tuple[ConstraintChange, ...]
    conflicts: tuple[Conflict, ...]


def merge(active: Sequence[Constraint], wishes: Sequence[Candidate], source: Source, rule: ConflictRule) -> Merged:
    """Give the constraints after a message."""
    held = list(active)
    changes: list[ConstraintChange] = []
    conflicts: list[Conflict] = []
    _leave_former_search(held, wishes, source, changes)
    for wish in wishes:
        if wish.withdraws:
            gone = targets([each for each in held if not is_permission(each)], wish)
            for old in gone:
                _lift(held, old, wish, source, changes)
            if gone or not wish.fallback:
                continue
        _take(held, constraint_of(wish, source, held), wish.change, rule, changes, conflicts)
    held = without_idle_permissions(held)
    shown = [each if each.scope is Scope.TURN else overruling(each, held) for each in held]
    return Merged(tuple(shown), tuple(changes), tuple(conflicts))


def _lift(
    held: list[Constraint], old: Constraint, wish: Candidate, source: Source, changes: list[ConstraintChange]
) -> None:
    """Take a rule back; where one of its things alone is allowed again, it stands with the permission beside it."""
    half = half_allowed(held, old, wish.words)
    if half is None:
        held.remove(old)
        changes.append(change(ChangeKind.REMOVED, old))
        return
    # It claims no value and is of this session: in the memories it would come after the whole rule.
    permission = {"polarity": Polarity.PREFER, "overrules": half.part, "lasting": False, "key": None, "value": None}
    allowed = constraint_of(wish, source).model_copy(update=permission)
    held[held.index(old)] = half.rule
    if not any(each.id == allowed.id for each in held):
        held.append(allowed)
        changes.append(change(ChangeKind.ADDED, allowed))


def overruling(each: Constraint, held: Sequence[Constraint]) -> Constraint:
    """Give a task's rule with those alone of the rules it overrules that still stand."""
    if each.task is None or each.overrules is None:
        return each
    named = f"{BETWEEN}{each.overrules}{BETWEEN}"
    standing = [old.words for old in held if old.task is None and f"{BETWEEN}{old.words}{BETWEEN}" in named]
    return each.model_copy(update={"overrules": BETWEEN.join(standing) or None})


def expired(active: Sequence[Constraint], turn: str) -> Merged:
    """Give the constraints without those of an earlier turn alone."""
    gone = [each for each in active if each.scope is Scope.TURN and each.turn != turn]
    kept = tuple(each for each in active if each not in gone)
    return Merged(kept, tuple(change(ChangeKind.EXPIRED, each) for each in gone), ())


def ended_with(active: Sequence[Constraint], task: str) -> Merged:
    """Give the constraints without those of a task that is over."""
    gone = [each for each in active if each.task == task]
    kept = tuple(each for each in active if each.task != task)
    return Merged(kept, tuple(change(ChangeKind.EXPIRED, each) for each in gone), ())


def constraint_of(wish: Candidate, source: Source, held: Sequence[Constraint] = ()) -> Constraint:
    """Give the constraint that a wish becomes; its id derives from message and place, so a replay gives the same."""
    about = wish.about
    if about is None and wish.key in _SEARCHED:
        about = next((each.about for each in reversed(held) if each.about), None)
    return Constraint(
        id=identify(source.turn, source.message, str(wish.start), wish.words),
        key=wish.key,
        value=wish.value,
        polarity=wish.polarity,
        words=wish.words,
        lead=wish.lead,
        tail=wish.tail,
        scope=wish.scope,
        condition=wish.condition,
        task=source.task.id if wish.task and source.task else None,
        about=about,
        turn=source.turn,
        message=source.message,
        at=source.at,
        lasting=wish.lasting,
        origin=wish.origin,
    )


def note(kept: Constraint, refused: Constraint, turn: str) -> Constraint:
    """Give the this-turn line that says in the prompt which of two wishes outranks the other."""
    return kept.model_copy(
        update={
            "id": identify("note", kept.id, refused.id),
            "scope": Scope.TURN,
            "turn": turn,
            "lasting": False,
            "overrules": refused.words,
        }
    )


def replace(
    held: list[Constraint], new: Constraint, old: Sequence[Constraint], changes: list[ConstraintChange]
) -> None:
    """Put the new constraint in the place of the old ones."""
    for each in old:
        if each in held:
            held.remove(each)
    held.append(new)
    changes.append(change(ChangeKind.CHANGED, new, replaces=BETWEEN.join(each.words for each in old)))


def change(kind: ChangeKind, of: Constraint, *, replaces: str = "") -> ConstraintChange:
    """Give the trace's line for a change."""
    return ConstraintChange(
        change=kind, constraint=of.id, words=of.words[:_SHOWN], replaces=replaces[:_SHOWN], record=of.record
    )


def taken_back(before: Sequence[ConstraintChange], changes: Sequence[ConstraintChange]) -> tuple[ConstraintChange, ...]:
    """Give the rules removed or replaced so far with those of more changes; the memory may keep them still."""
    gone = (each for each in changes if each.change in (ChangeKind.REMOVED, ChangeKind.CHANGED))
    return (*before, *gone)[-_TAKEN_BACK:]


def identify(*parts: str) -> str:
    """Give an id that the same parts always give."""
    return "c" + hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


_SEARCHED = frozenset({"rating", "price", "duration", "feature", "route"})
_MOST_SEARCHED = 24
"""What searches ask for is kept to this many, the oldest let go: a long session of searches stays bounded."""


def _take(
    held: list[Constraint],
    new: Constraint,
    explicit: bool,
    rule: ConflictRule,
    changes: list[ConstraintChange],
    conflicts: list[Conflict],
) -> None:
    if new.polarity is Polarity.FORBID and new.scope is Scope.SESSION:
        _remove(held, forbidden_again(held, new.words), changes)
    against = [] if new.scope is Scope.TURN else rivals(held, new)
    if any(each.id == new.id or restates(each, new) for each in held):
        _remove(held, [each for each in against if each.task is not None and new.task is None], changes)
        return
    if explicit and not against and new.scope is not Scope.TURN:
        against = dismissed(held, new)
    new, against = _before_the_sessions(new, against)
    if rule is ConflictRule.NEWEST or explicit:
        new, against = _allowing_halves(held, new, against)
    _settle(held, new, against, explicit, rule, changes, conflicts)


def _remove(held: list[Constraint], gone: Sequence[Constraint], changes: list[ConstraintChange]) -> None:
    for old in gone:
        held.remove(old)
        changes.append(change(ChangeKind.REMOVED, old))


def _before_the_sessions(new: Constraint, against: list[Constraint]) -> tuple[Constraint, list[Constraint]]:
    """Give a task's own rule with the session's that it goes before while the task lasts, and the other rivals."""
    shadowed = [each for each in against if new.task is not None and each.task is None]
    if not shadowed:
        return new, against
    overruled = BETWEEN.join(each.words for each in shadowed)[:_OVERRULED]
    return new.model_copy(update={"overrules": overruled}), [each for each in against if each not in shadowed]


def _allowing_halves(
    held: list[Constraint], new: Constraint, against: list[Constraint]
) -> tuple[Constraint, list[Constraint]]:
    """Leave what stays of each ban that the new constraint allows a part of; give it with the parts, and the rest."""
    halves = {old.id: half for old in against if (half := half_allowed(held, old, new.words))}
    held[:] = [halves[each.id].rule if each.id in halves else each for each in held]
    if halves and new.overrules is None:
        new = new.model_copy(update={"overrules": BETWEEN.join(half.part for half in halves.values())})
    return new, [each for each in against if each.id not in halves]


def _settle(
    held: list[Constraint],
    new: Constraint,
    against: Sequence[Constraint],
    explicit: bool,
    rule: ConflictRule,
    changes: list[ConstraintChange],
    conflicts: list[Conflict],
) -> None:
    """Add the new constraint, put it in the place of its rivals, or set it against them."""
    softer = (
        explicit
        or new.key in _SEARCHED
        or all(each.origin is Origin.PREFERENCE or opposite_tastes(each, new) for each in against)
    )
    if not against:
        held.append(new)
        changes.append(change(ChangeKind.ADDED, new))
    elif softer:
        replace(held, new, against, changes)
    elif rule is ConflictRule.ASK:
        for old in against:
            conflicts.append(Conflict(id=identify("conflict", old.id, new.id), old=old, new=new))
            changes.append(change(ChangeKind.CONFLICT, new, replaces=old.words))
    elif rule is ConflictRule.NEWEST:
        replace(held, new, against, changes)
        held.extend(note(new, old, new.turn) for old in against)
    else:
        held.extend(note(old, new, new.turn) for old in against)
        changes.append(change(ChangeKind.CONFLICT, new, replaces=against[0].words))


def _leave_former_search(
    held: list[Constraint], wishes: Sequence[Candidate], source: Source, changes: list[ConstraintChange]
) -> None:
    """A new search for the same kind of thing takes the place of the one before it."""
    things = {wish.about for wish in wishes if wish.about and wish.key in _SEARCHED}
    for old in [each for each in held if each.about in things and each.message != source.message]:
        held.remove(old)
        changes.append(change(ChangeKind.EXPIRED, old))
    asked = [each for each in held if each.key in _SEARCHED]
    for old in asked[: max(0, len(asked) + len(wishes) - _MOST_SEARCHED)]:
        held.remove(old)
        changes.append(change(ChangeKind.EXPIRED, old))
