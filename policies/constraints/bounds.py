"""How much the constraint layer holds: it is sent with every prompt and written with every step, so it has an end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ninefold.state import ConflictRule, Constraint

from .candidates import Candidate
from .merging import Merged, Source, merge

MAX_RULES = 200
"""Constraints that hold at a time."""
RULES_BYTES = 24 * 1024
"""Bytes of their words, values and conditions together."""


class Taken(NamedTuple):
    """The layer after a message, and the wishes that it has no room for."""

    merged: Merged
    refused: tuple[Candidate, ...]


def take(active: Sequence[Constraint], wishes: Sequence[Candidate], source: Source, rule: ConflictRule) -> Taken:
    """Give the constraints after a message; when they would be too many, its last wishes are refused, never an old one.

    What takes a constraint back is always heard, and so is what makes the layer no larger.
    """
    whole = merge(active, wishes, source, rule)
    if _fits(active, whole.constraints):
        return Taken(whole, ())
    adding = [place for place, wish in enumerate(wishes) if not wish.withdraws]
    low, high = 0, len(adding)
    while high - low > 1:
        middle = (low + high) // 2
        made = merge(active, _without(wishes, adding[middle:]), source, rule)
        low, high = (middle, high) if _fits(active, made.constraints) else (low, middle)
    refused = adding[low:]
    return Taken(merge(active, _without(wishes, refused), source, rule), tuple(wishes[place] for place in refused))


def _without(wishes: Sequence[Candidate], places: Sequence[int]) -> list[Candidate]:
    left_out = set(places)
    return [wish for place, wish in enumerate(wishes) if place not in left_out]


def _fits(before: Sequence[Constraint], after: Sequence[Constraint]) -> bool:
    number = len(after) <= max(MAX_RULES, len(before))
    return number and _size(after) <= max(RULES_BYTES, _size(before))


def _size(constraints: Sequence[Constraint]) -> int:
    return sum(
        len(text.encode("utf-8", "surrogatepass"))
        for each in constraints
        for text in (each.words, each.lead, each.tail, each.value, each.condition, each.about, each.overrules)
        if text
    )
