"""The cheap gate: whether a message can hold a wish at all, and whether the rules may have missed one."""

from __future__ import annotations

from .cues import says, without
from .extraction import Extraction
from .hearing import hear

_LONGEST = 4000
"""Characters; a longer message is a text that was pasted, and no model is asked about it."""


def may_hold(text: str) -> bool:
    """Whether any word of the message sounds like a wish that rules may miss; False costs nothing more."""
    return says("maybe", text)


def wants_model(text: str, found: Extraction) -> bool:
    """Whether a clause of the person's own sounds like a wish and no rule took it."""
    if not may_hold(text) or len(text) > _LONGEST:
        return False
    for sentence in hear(text):
        for clause in sentence.clauses:
            if not clause.own or clause.asks or not _sounds_like_a_wish(clause.heard):
                continue
            taken = any(wish.start < clause.span.end and clause.span.start < wish.end for wish in found.wishes)
            asked = found.task is not None and clause.span.start <= found.task.start < clause.span.end
            if not taken and not asked:
                return True
    return False


def _sounds_like_a_wish(said: str) -> bool:
    """Whether a sign of a wish stands in a clause on purpose, and the clause does not merely tell of something."""
    return says("maybe", without("by_chance", said)) and not says("tells", said)
