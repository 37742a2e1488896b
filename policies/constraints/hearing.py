"""Who says what in a message: the clauses that are the person's own wishes or statements, not questions, not another's.

Quoted speech, code, and a text that was handed over to be worked on are not heard at all.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..text import Span, clauses, sentences, strip_quoted
from .cues import find, says

MATERIAL_CHARS = 80
"""A handed-over text is longer than this; a shorter one behind a colon is taken for the request itself."""

_CODE_LIKE = re.compile(r"[{}();=<>\[\]|\\_$#/*+]")
_SPEAKS_SELF = re.compile(
    r"^(?:但|但是|可是|不过|而|所以|因此|那|那么|只是)?(?:我|请|你|咱)|^(?:but|so|and so|however|still|yet)\b", re.I
)


class Clause(NamedTuple):
    """A clause of the message and how it is heard."""

    span: Span
    heard: str
    """The clause with quoted parts blanked; same length as the span."""
    own: bool
    """The person's own wish or statement could stand here."""
    asks: bool
    """It asks, and is no request in the form of a question."""


class Sentence(NamedTuple):
    """A sentence with its clauses."""

    span: Span
    heard: str
    clauses: tuple[Clause, ...]


def hear(text: str) -> tuple[Sentence, ...]:
    """Give the sentences of a message as they are heard."""
    silent = _without_material(strip_quoted(text))
    return tuple(_sentence(span, silent) for span in sentences(text) if silent[span.start : span.end].strip())


def _without_material(heard: str) -> str:
    """Blank a text that a request hands over: "translate the following: …"."""
    found = find("material", heard)
    if found is None or len(heard) - found.end() < MATERIAL_CHARS:
        return heard
    return heard[: found.end()] + re.sub(r"\S", " ", heard[found.end() :])


def _sentence(span: Span, silent: str) -> Sentence:
    heard = silent[span.start : span.end]
    parts: list[Clause] = []
    reported = False
    inside = clauses(heard)
    for index, part in enumerate(inside):
        start, end = span.start + part.start, span.start + part.end
        tail = heard[part.end :] if index == len(inside) - 1 else ""
        said = part.text
        theirs = says("reported", said)
        if reported and _SPEAKS_SELF.search(said) and not theirs:
            reported = False
        reported = reported or theirs
        polite = says("polite", said)
        asks = says("asks", said + tail.strip()[:1]) and not polite
        own = not reported and (polite or not says("no_wish", said)) and not _code(said)
        parts.append(Clause(Span(said, start, end), said, own, asks))
    return Sentence(span, heard, tuple(parts))


def _code(text: str) -> bool:
    return len(_CODE_LIKE.findall(text)) > max(2, len(text) // 12)
