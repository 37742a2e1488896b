"""The cues as patterns: one a group, for both languages at once, made once from the data file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal, cast

import yaml

_LATIN = re.compile("[A-Za-z]")
_DATA = Path(__file__).parent.parent / "data" / "constraint_cues.yaml"

Group = Literal[
    "forbid",
    "require",
    "prefer",
    "reported",
    "no_wish",
    "asks",
    "polite",
    "lasting",
    "session",
    "this_turn",
    "when",
    "change",
    "withdraw",
    "task",
    "finished",
    "material",
    "search",
    "things",
    "attribute",
    "maybe",
]


def says(group: Group, text: str) -> bool:
    """Whether a cue of the group stands in the text."""
    return any(pattern.search(text) for pattern in _heard(group, text))


def find(group: Group, text: str) -> re.Match[str] | None:
    """Give the first cue of the group in the text."""
    found = [match for pattern in _heard(group, text) if (match := pattern.search(text))]
    return min(found, key=lambda match: match.start(), default=None)


def find_all(group: Group, text: str) -> tuple[re.Match[str], ...]:
    """Give every cue of the group in the text, in order."""
    found = [match for pattern in _heard(group, text) for match in pattern.finditer(text)]
    return tuple(sorted(found, key=lambda match: match.start()))


def _heard(group: Group, text: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of the languages that the text is written in: neither's can match where it has no letter."""
    patterns = _patterns()[group]
    if text.isascii():
        return patterns["en"]
    return (*patterns["zh"], *patterns["en"]) if _LATIN.search(text) else patterns["zh"]


@cache
def _patterns() -> dict[str, dict[str, tuple[re.Pattern[str], ...]]]:
    loaded = cast(dict[str, dict[str, list[str]]], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    return {
        group: {
            language: tuple(re.compile(line, re.IGNORECASE) for line in lines) for language, lines in languages.items()
        }
        for group, languages in loaded.items()
    }
