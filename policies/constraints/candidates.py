"""A wish as it was heard in one message, before it meets the constraints that already hold."""

from __future__ import annotations

import re
from typing import NamedTuple

from ninefold.state import Origin, Polarity, Scope

from ..negation import is_negated

_LIMIT = re.compile(
    r"不(?:要|能|可以?|得|准|许|应该?)?(?:超过|多于|少于|低于|高于|大于|小于|晚于|早于)|别(?:超过|少于|多于|高于|低于|大于|小于|晚于|早于)"
    r"|\b(?:no|not) (?:more|less|fewer|later|earlier|longer|shorter) than\b|\b(?:do not|don['’]?t|not|never) exceed\b"
    r"|(?:不要|别)忘记?了?|\b(?:do not|don['’]?t) forget\b|\bnothing but\b|\bnone but\b|\bno longer than\b",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"除了?[^，。；]{1,40}?(?:之外|以外|外)?[，,]?\s*(?:都|全|其他|其它|别的)+(?:都)?(?:不|别|禁止|拒绝)"
)
_EXCEPT = re.compile(
    r"除了?[^，。；]{1,40}?(?:之外|以外|外)?[，,]?\s*(?:都|全|其他|其它|别的)+(?:都)?(?:可以|行|好|没问题|接受|要)"
    r"|\b(?:anything|everything|any \w+|all \w+) (?:but|except|other than|apart from|besides)\b",
    re.IGNORECASE,
)


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


def limits(words: str) -> bool:
    """Whether the words name a limit or the only thing allowed: they hold a negation and rule nothing out."""
    return _LIMIT.search(words) is not None or _ONLY.search(words) is not None


def polarity_of(words: str, *, preference: bool) -> Polarity:
    """Give the side the words take; an upper or lower limit demands, an exception forbids only what it names."""
    if _EXCEPT.search(words):
        return Polarity.FORBID
    if _ONLY.search(words):
        return Polarity.REQUIRE
    if is_negated(_LIMIT.sub(" ", words)):
        return Polarity.FORBID
    return Polarity.PREFER if preference else Polarity.REQUIRE
