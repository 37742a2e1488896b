"""What was told of the same value later: an older value is not shown alone where a newer telling of it was found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ninefold.state.memory import instant

from .constraints.likeness import contents, likeness
from .text import clauses, sentences
from .value_patterns import DAYS
from .values import ExactValue, exact_values

ALIKE = 0.4
"""Share of the content of the shorter of both tellings that the other must hold, too."""
_CHANGED = re.compile(
    r"\b(?:now|recently|just|increased?|raised?|reduced?|lowered|decreased|improved|extended|adjusted|changed|updated|moved"
    r"|rescheduled|postponed|reached|grew|grown|surpassed|instead|no longer)\b"
    r"|现在|如今|最近|目前|刚刚|改[成为到]|换成|变成|涨到|降到|升到|提高|增加|减少|调整|延[长期]|推迟|提前|更新|达到",
    re.IGNORECASE,
)
"""How a change announces itself; two numbers of one kind alone are more often two things."""
_COUNTED = re.compile(r"\s*([A-Za-z]{3,}|[\u4e00-\u9fff])")


class Telling(NamedTuple):
    """A text with the time it was said."""

    text: str
    at: str
    id: str | None = None


def telling_anew(new: Telling, old: Iterable[Telling]) -> str | None:
    """Give the sentence with which one text tells anew what an older one told: another value of the same kind."""
    if not _CHANGED.search(new.text):
        return None
    before = [_told(each.text) for each in old if instant(each.at) < instant(new.at)]
    for span in sentences(new.text):
        mine = _told(span.text) if _CHANGED.search(span.text) else {}
        for held in before:
            if any(_anew(mine[kind], held[kind]) for kind in mine.keys() & held.keys()):
                return span.text
    return None


class _Value(NamedTuple):
    value: str
    where: tuple[str, str]
    """The clause and the sentence that tell it."""


def _anew(mine: Sequence[_Value], held: Sequence[_Value]) -> bool:
    """Whether none of the values is among the older ones, and something of both is told in like words."""
    if {each.value for each in mine} & {each.value for each in held}:
        return False
    alike = (
        likeness(one, other) for new in mine for old in held for one, other in zip(new.where, old.where, strict=True)
    )
    return any(share >= ALIKE for share in alike)


def _told(text: str) -> Mapping[str, Sequence[_Value]]:
    """The exact values of a text under what they measure: a unit, what is counted, a date."""
    found: dict[str, list[_Value]] = {}
    for span in sentences(text):
        for clause in clauses(span.text):
            for value in exact_values(clause.text):
                if kind := _kind(value, clause.text):
                    where = (clause.text, span.text)
                    found.setdefault(kind, []).append(_Value(value.canonical.split()[0], where))
    return found


def _kind(value: ExactValue, text: str) -> str | None:
    if value.kind == "date":
        return "clock" if ":" in value.canonical else "weekday" if value.canonical in DAYS else "date"
    if value.kind != "number":
        return None
    _, _, unit = value.canonical.partition(" ")
    if unit:
        return unit
    counted = _COUNTED.match(text, value.end)
    return next(iter(contents(counted[1])), None) if counted else None
