"""A wish as it was heard in one message, before it meets the constraints that already hold."""

from __future__ import annotations

import re
from typing import NamedTuple

from ninefold.state import Origin, Polarity, Scope

from ..negation import is_negated
from ..simplified import simplified
from .cues import says, without
from .keys import Keyed, named


class Candidate(NamedTuple):
    """One wish: its words are a span of the message."""

    words: str
    start: int
    end: int
    polarity: Polarity
    key: str | None = None
    value: str | None = None
    about: str | None = None
    scope: Scope = Scope.SESSION
    condition: str | None = None
    lasting: bool = False
    change: bool = False
    """Said with change wording: it replaces what it cannot stand beside."""
    withdraws: bool = False
    """It takes a constraint back and is none itself, where one is found."""
    fallback: bool = False
    """A withdrawal that finds nothing to take back is a ban of its own: "不用再写注释"."""
    task: bool = False
    """It is a part of the task asked for in the same message."""
    origin: Origin = Origin.RULES
    lead: str = ""
    """What joins it to the wish before it in the text, or the heading that it stands under."""
    tail: str = ""
    """The mark right behind it that ends its sentence."""


def as_written(wish: Candidate, text: str) -> Candidate:
    """Give a wish in the person's own letters, whatever letters it was read in."""
    read = simplified(text)
    if read == text:
        return wish

    def own(words: str | None) -> str | None:
        at = read.find(words) if words else -1
        return text[at : at + len(words)] if words and at >= 0 else words

    return wish._replace(
        words=text[wish.start : wish.end],
        value=own(wish.value),
        condition=own(wish.condition),
        about=own(wish.about),
    )


def limits(words: str) -> bool:
    """Whether the words name a limit or the only thing allowed: they hold a negation and rule nothing out."""
    return says("limit", words) or says("only_this", words)


def banned(words: str) -> Keyed | None:
    """Give the key and the value that a ban names by the value's name alone: "表格免了", "drop the tables"."""
    alone = named(words)
    if alone is None or re.search(r"\w", without("of_a_ban", alone[1])):
        return None
    return alone[0]


def polarity_of(words: str, *, preference: bool) -> Polarity:
    """Give the side the words take; an upper or lower limit demands, an exception forbids only what it names."""
    if says("all_but", words):
        return Polarity.FORBID
    if says("only_this", words):
        return Polarity.REQUIRE
    if is_negated(without("limit", words)):
        return Polarity.FORBID
    return Polarity.PREFER if preference else Polarity.REQUIRE
