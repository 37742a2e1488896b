"""Where a text says no: the clauses whose words may not be softened, shortened or turned round."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import cast

import yaml

from .simplified import simplified
from .text import Span, clauses

_DATA = Path(__file__).parent / "data" / "negation.yaml"


def negations(text: str) -> tuple[Span, ...]:
    """Give every clause that holds a negation, as spans of the text.

    "除了 X 都…" and "except for X, …" reach over a comma, so the clause behind it comes with them.
    """
    heard = _blank_other(text)
    return tuple(span for span in clauses(text) if _pattern("negation").search(heard[span.start : span.end]))


def is_negated(text: str) -> bool:
    """Whether the text says no to something, in Chinese or in English."""
    return _pattern("negation").search(_blank_other(text)) is not None


def unsaid(text: str) -> str:
    """Give the text without its negations and the verbs that carry them: a statement and its opposite become one."""
    return _pattern("carriers").sub("", text)


def _blank_other(text: str) -> str:
    """The text in simplified letters, at the same length, without the words that look like a negation and are none."""
    return _pattern("other").sub(lambda found: " " * len(found[0]), simplified(text))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    loaded = cast(dict[str, dict[str, list[str]]], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    return re.compile("|".join(f"(?:{each})" for lines in loaded[kind].values() for each in lines), re.IGNORECASE)
