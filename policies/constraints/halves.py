"""A rule of several things of which one is allowed again: the rule stands, and the permission beside it.

Law: what a permission overrules is a part of the rule's own words; the rule goes when every part of it is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ninefold.state import Constraint, Polarity, Scope

from .candidates import banned
from .cues import without
from .keys import keyed
from .likeness import contents

_JOINT = re.compile(r"\s*(?:[、，；,;/&]|\b(?:and|or|nor)\b|和|或者?|及|与|跟|以及|还有)\s*", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:together|mix|combine|both|same)\b|一起|混|搭配|同时|同一", re.IGNORECASE)
"""A ban of two things at once is of neither alone."""
BETWEEN = "; "
"""What stands between the words of several rules, or parts of one, that something overrules."""


class Half(NamedTuple):
    """What of a ban is allowed."""

    part: str
    """The part of its words that holds no more."""
    rule: Constraint
    """The ban with the key and value of what stays of it."""


def half_allowed(held: Sequence[Constraint], old: Constraint, words: str) -> Half | None:
    """Give the half of a ban that some words allow; None where they allow the whole, or the rest was allowed before.

    A part counts where the words name all that it speaks of, and nothing of the parts that stay.
    """
    if old.polarity is not Polarity.FORBID or _TOGETHER.search(old.words):
        return None
    parts = [part for part in parts_of(old.words) if _things(part)]
    meant = contents(words)
    lifted = [part for part in parts if _things(part) <= meant]
    before = allowed_again(held)
    staying = [part for part in parts if part not in lifted and part not in before]
    if not lifted or not staying or any(_things(part) & meant for part in staying):
        return None
    # The preposition of the whole rule stands before its first thing alone: "in French or German".
    found = keyed(staying[0]) or banned(staying[0])
    key, value = (found.key.name, found.value) if found else (None, None)
    return Half(BETWEEN.join(lifted), old.model_copy(update={"key": key, "value": value}))


def parts_of(words: str) -> list[str]:
    """Give the things that a rule speaks of, each in its own words; one where it speaks of them together."""
    return [words] if _TOGETHER.search(words) else [part for part in _JOINT.split(words) if part]


def allowed_again(held: Sequence[Constraint]) -> frozenset[str]:
    """Give the parts of rules that permissions have taken out of them."""
    return frozenset(part for each in held if is_permission(each) for part in _overruled(each))


def is_permission(constraint: Constraint) -> bool:
    """Whether a constraint allows a part of a rule that stands."""
    return (
        constraint.overrules is not None
        and constraint.polarity is not Polarity.FORBID
        and constraint.scope is Scope.SESSION
        and constraint.task is None
    )


def lifted_from(held: Sequence[Constraint], permission: Constraint) -> Constraint | None:
    """Give the rule of which a permission allows a part, where it stands."""
    bans = [each for each in held if each.polarity is Polarity.FORBID]
    return next((ban for ban in bans if all(part in ban.words for part in _overruled(permission))), None)


def without_idle_permissions(held: Sequence[Constraint]) -> list[Constraint]:
    """Give the constraints without permissions of what no rule forbids any more; a demand stays, overruling nothing."""
    kept: list[Constraint] = []
    for each in held:
        if not is_permission(each) or lifted_from(held, each) is not None:
            kept.append(each)
        elif each.polarity is Polarity.REQUIRE:
            kept.append(each.model_copy(update={"overrules": None}))
    return kept


def forbidden_again(held: Sequence[Constraint], words: str) -> list[Constraint]:
    """Give the permissions of what a new ban forbids, and no more than that."""
    things = _things(words)
    mere = [each for each in held if is_permission(each) and each.polarity is Polarity.PREFER]
    return [each for each in mere if things and any(things <= _things(part) for part in _overruled(each))]


def _overruled(permission: Constraint) -> list[str]:
    return (permission.overrules or "").split(BETWEEN)


def _things(part: str) -> frozenset[str]:
    """What a part speaks of, without how long it holds."""
    return contents(without("of_a_ban", without("session", without("lasting", part))))
