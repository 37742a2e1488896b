"""What a text still says: whether it holds an exact value, in whichever way it is written, or words as they were."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..numerals import narrow
from ..remembering import remembered
from ..values import ExactValue, exact_values

_NOISE = re.compile(r"[\s“”\"'「」『』《》`*_，。；：、！？,.;:!?（）()\[\]【】\\-]+")
_SPACES = re.compile(r"\s+")
WRITTEN_KINDS = frozenset({"quotation", "name"})
"""Kinds that are held where their words stand, quoted or not."""


@remembered
def folded(text: str) -> str:
    """Give a text without what may change while its words stay: width, case, white space, marks between words."""
    return _NOISE.sub("", narrow(text)).casefold()


@remembered
def same_values(text: str) -> str:
    """Give a text folded, with every exact value in its one canonical form: 三万元 and 30,000 元 are equal."""
    pieces: list[str] = []
    at = 0
    for value in exact_values(text):
        if value.kind in WRITTEN_KINDS:
            continue
        pieces += [folded(text[at : value.start]), f"⟨{_SPACES.sub(' ', value.canonical)}⟩"]
        at = value.end
    pieces.append(folded(text[at:]))
    return "".join(pieces)


class Held:
    """What several texts together hold.

    Args:
        texts: each is looked into on its own, so that no value arises where two of them meet.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._folded: list[str] = []
        self._same: list[str] = []
        self._values: set[str] = set()
        for text in texts:
            self._folded.append(folded(text))
            self._same.append(same_values(text))
            for value in exact_values(text):
                self._values.add(value.canonical)
                if value.kind == "number":
                    # A number without a unit is held by the same number with any unit, never the other way round.
                    self._values.add(value.canonical.partition(" ")[0])

    def value(self, value: ExactValue) -> bool:
        """Whether a value is held, in whichever way it is written."""
        if value.canonical in self._values:
            return True
        return value.kind in WRITTEN_KINDS and self.words(value.text)

    def words(self, text: str) -> bool:
        """Whether these words are held as they are, but for marks and the way of writing values."""
        plain = folded(text)
        if any(plain in held for held in self._folded):
            return True
        same = same_values(text)
        return any(same in held for held in self._same)
