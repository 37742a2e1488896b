"""Which constraints cannot stand beside a new one, say the same, or are meant by a withdrawal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ninefold.state import Constraint, Polarity, Scope

from ..negation import unsaid
from ..text import clauses
from .candidates import Candidate, banned
from .cues import says, without
from .halves import allowed_again, parts_of
from .keys import canonical, key, topics
from .likeness import contents, likeness


def restates(old: Constraint, new: Constraint) -> bool:
    """Whether the new constraint says what the old one says already."""
    if (old.scope, old.condition, old.about) != (new.scope, new.condition, new.about):
        return False
    if old.task is not None and old.task != new.task:
        return False
    if _plain(old.words) == _plain(new.words):
        return True
    return (
        old.key is not None
        and old.key == new.key
        and old.polarity is new.polarity
        and old.value is not None
        and canonical(old.key, old.value) == canonical(new.key, new.value)
        and bool(single(new) or likeness(old.words, new.words) >= 0.99)
    )


def rivals(held: Sequence[Constraint], new: Constraint) -> list[Constraint]:
    """Give the constraints that cannot hold together with the new one."""
    allowed = allowed_again(held)
    return [old for old in held if _comparable(old, new) and (_other_value(old, new) or _other_side(old, new, allowed))]


def dismissed(held: Sequence[Constraint], new: Constraint) -> list[Constraint]:
    """Give the demands whose thing a ban ends that is said as a change: "别再讲笑话了" after "每次结尾加一个笑话"."""
    if new.polarity is not Polarity.FORBID:
        return []
    named = [new.words, *([] if says("narrows", new.words) else parts_of(new.words))]
    things = {thing for words in named if (thing := contents(without("of_a_ban", words)))}
    demands = [old for old in held if old.polarity is not Polarity.FORBID and _comparable(old, new)]
    return [old for old in demands if contents(without("of_a_ban", old.words)) in things]


def targets(held: Sequence[Constraint], wish: Candidate) -> list[Constraint]:
    """Give the constraints that a withdrawal means: by what they are about, else by their content."""
    named = topics(wish.words)
    value = None if _names_the_key(wish) else canonical(wish.key, wish.value)
    by_value = [old for old in held if value and old.key == wish.key and canonical(old.key, old.value) == value]
    if by_value:
        return by_value
    meant = contents(wish.words)
    by_content = [(_share(meant, old), old) for old in held]
    best = max((score for score, _ in by_content), default=0.0)
    if best >= 0.5:
        return [old for score, old in by_content if score == best]
    freed = contents(without("freed", wish.words))
    if 1 < len(freed) < len(meant):
        return [old for old in held if _share(freed, old) >= 0.5]
    return [old for old in held if old.key in named]


def _share(meant: frozenset[str], old: Constraint) -> float:
    """Give how much of what is meant a rule speaks of; nothing where another number is meant, as another item's."""
    said = contents(old.words)
    if any(each.isdigit() and each not in said for each in meant):
        return 0.0
    return len(meant & said) / max(1, len(meant))


def _names_the_key(wish: Candidate) -> bool:
    """Whether the value says no more than the key: "颜色" is no colour."""
    topic = key(wish.key)
    return bool(topic and topic.topic and wish.value and topic.topic.fullmatch(wish.value))


def single(constraint: Constraint) -> bool:
    """Whether two demands about this key with different values cannot hold together."""
    found = key(constraint.key)
    return found is not None and found.single


def values_claimed(constraint: Constraint) -> frozenset[str]:
    """Give what no two rules of one key, where only one value can hold, may claim both.

    Two demands claim the key with the bound they set, a demand and a ban of the same value that value; a demand of one
    value and the ban of another claim nothing together.
    """
    if not single(constraint):
        return frozenset()
    about = f"{constraint.key} {constraint.about or ''} {constraint.condition or ''}"
    value = canonical(constraint.key, constraint.value)
    claimed = {f"value {about} {value}"} if value is not None else set()
    if constraint.polarity is not Polarity.FORBID:
        bound = _bound(constraint.words)
        claimed |= {f"bound {about} {each}" for each in ([bound] if bound else ["lower", "upper"])}
    return frozenset(claimed)


def _comparable(old: Constraint, new: Constraint) -> bool:
    if old.scope is Scope.TURN or (old.scope, old.condition) != (new.scope, new.condition):
        return False
    if old.task is not None and new.task is not None and old.task != new.task:
        return False
    return old.about == new.about


def _other_value(old: Constraint, new: Constraint) -> bool:
    if not single(new) or old.key != new.key or Polarity.FORBID in (old.polarity, new.polarity):
        return False
    first, second = canonical(old.key, old.value), canonical(new.key, new.value)
    if first is None or second is None or first == second:
        return False
    return _bound(old.words) == _bound(new.words) or _bound(old.words) is None or _bound(new.words) is None


def _other_side(old: Constraint, new: Constraint, allowed: frozenset[str]) -> bool:
    if (old.polarity is Polarity.FORBID) is (new.polarity is Polarity.FORBID):
        return False
    ban, demand = (old, new) if old.polarity is Polarity.FORBID else (new, old)
    demanded = canonical(demand.key, demand.value)
    if ban.key is not None and ban.key == demand.key and ban.value is not None and demanded is not None:
        return demanded in _values_banned(ban, allowed) and not _narrower(ban, demand)
    one, other = contents(old.words), contents(new.words)
    return (bool(one) and one == other) or opposite_tastes(old, new)


def _values_banned(ban: Constraint, allowed: frozenset[str]) -> frozenset[str | None]:
    """Give every value of its key that a ban names one after another, but those that are allowed again."""
    named = [found for part in parts_of(ban.words) if part not in allowed and (found := banned(part))]
    others = {canonical(ban.key, found.value) for found in named if found.key.name == ban.key}
    return frozenset({canonical(ban.key, ban.value), *others})


def _narrower(ban: Constraint, demand: Constraint) -> bool:
    """Whether the ban is of one kind or place that the demand does not speak of: "no tables in e-mails"."""
    value = ban.value or ""
    said = next((part.text for part in clauses(ban.words) if value in part.text), ban.words)
    if not says("narrows", said):
        return False
    # What is banned beside the value is another value of it, and no kind or place: "in French or German".
    of_kind = " ".join(part for part in parts_of(said) if banned(part) is None)
    kind = contents(without("of_a_ban", of_kind.replace(value, " ")))
    return bool(kind) and not kind <= contents(demand.words)


def opposite_tastes(old: Constraint, new: Constraint) -> bool:
    """Whether the person tells of one thing that it is liked, and that it is not: the later says what is true now."""
    if (old.polarity is Polarity.FORBID) is (new.polarity is Polarity.FORBID):
        return False
    if not all(says("of_self", each.words) and says("taste", each.words) for each in (old, new)):
        return False
    one, other = (contents(without("taste", unsaid(each.words))) for each in (old, new))
    return bool(one) and one == other


def _bound(words: str) -> str | None:
    if says("upper", words):
        return "upper"
    return "lower" if says("lower", words) else None


def _plain(words: str) -> str:
    return re.sub(r"[\s，。,.!！;；]+", "", unicodedata.normalize("NFKC", words)).casefold()
