"""How the wishes of one sentence hang together: the marks between them, the heading before them, the mark behind them.

Law: `lead + words + tail` is a span of the message for every wish that has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .candidates import Candidate

_MARK = re.compile(
    r"\s*[，,、;；。.!！]\s*(?:(?:and|but)\s+|(?:并且|而且|同时|还有|另外|也|且|並且|同時|還有)\s*)?", re.IGNORECASE
)
_PARTS = re.compile("[，,、;；。.!！：:]")
_HEADING = re.compile(r"(?:^|[。.!！?？;；\n]\s*)([^，,、。.!！?？;；:：\n\"\\]{1,20}[:：] ?)$")
_LONGEST = 40
"""Characters of what joins two wishes; a longer gap parts them."""
_ENDS = "。.!！；;"


def joins(lead: str) -> bool:
    """Whether what stands before a rule joins it to the one before, and is no heading."""
    return _MARK.fullmatch(lead) is not None


def undivided(words: str) -> bool:
    """Whether words hold no mark of those that join or head rules, so that nobody can take them for several."""
    return _PARTS.search(words) is None


def jointed(text: str, wishes: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Give the wishes with what joins each to the one before it, or heads it, and with what ends its sentence."""
    return tuple(
        wish if wish.withdraws else wish._replace(lead=_lead(text, wish, wishes), tail=_tail(text, wish))
        for wish in wishes
    )


def _lead(text: str, wish: Candidate, wishes: Sequence[Candidate]) -> str:
    before = max((each.end for each in wishes if each.end <= wish.start), default=0)
    between = text[before : wish.start]
    if before and len(between) <= _LONGEST and joins(between):
        return between
    heading = _HEADING.search(text[max(0, wish.start - 24) : wish.start])
    return heading[1] if heading else ""


def _tail(text: str, wish: Candidate) -> str:
    mark = text[wish.end : wish.end + 1]
    return mark if mark and mark in _ENDS else ""
