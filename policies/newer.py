"""What was told of the same value later: an older value is not shown alone where a newer telling of it is found."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from ninefold.state.memory import instant

from .fragment import shared
from .text import sentences

ALIKE = 0.3
"""Share of the words of one of both tellings that the other must hold, too."""
_VALUE = re.compile(r"(?P<sign>[$€£¥])?(?P<number>\d[\d,.]*\d|\d)\s*(?P<unit>%|[a-z]+|[\u4e00-\u9fff])?", re.IGNORECASE)
_CHANGED = re.compile(
    r"\b(?:now|recently|just|increased?|raised?|reduced?|lowered|decreased|improved|extended|adjusted|changed|updated|moved"
    r"|rescheduled|postponed|reached|grew|grown|surpassed|instead|no longer)\b"
    r"|现在|如今|最近|目前|刚刚|改[成为到]|换成|变成|涨到|降到|升到|提高|增加|减少|调整|延[长期]|推迟|提前|更新|达到",
    re.IGNORECASE,
)
"""How a change announces itself; two numbers of one kind alone are more often two things."""


class Telling(NamedTuple):
    """A text with the time it was said."""

    text: str
    at: str


def telling_anew(new: Telling, old: Iterable[Telling]) -> str | None:
    """Give the sentence with which one text tells anew what an older one told: another number of the same kind."""
    values = [(each.text, _values(each.text)) for each in old if instant(each.at) < instant(new.at)]
    values = [(text, held) for text, held in values if held]
    if not values or not _CHANGED.search(new.text):
        return None
    for span in sentences(new.text):
        mine = _values(span.text) if _CHANGED.search(span.text) else {}
        for text, held in values:
            anew = any(not held[kind] & mine[kind] for kind in held.keys() & mine.keys())
            if anew and max(shared(span.text, text), shared(text, span.text)) >= ALIKE:
                return span.text
    return None


def _values(text: str) -> dict[str, frozenset[str]]:
    """The numbers of a text under what they count: a currency, a share, or the word behind them."""
    found: dict[str, set[str]] = {}
    for match in _VALUE.finditer(unicodedata.normalize("NFKC", text)):
        kind = (match["sign"] or match["unit"] or "").lower().removesuffix("s")
        if kind:
            found.setdefault(kind, set()).add(match["number"].replace(",", ""))
    return {kind: frozenset(numbers) for kind, numbers in found.items()}
