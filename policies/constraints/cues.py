"""The cues as patterns: one a group, for both languages at once, made once from the data file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal, cast

import yaml

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
    return find(group, text) is not None


def find(group: Group, text: str) -> re.Match[str] | None:
    """Give the first cue of the group in the text."""
    found = [match for pattern in _patterns()[group] if (match := pattern.search(text))]
    return min(found, key=lambda match: match.start(), default=None)


def find_all(group: Group, text: str) -> tuple[re.Match[str], ...]:
    """Give every cue of the group in the text, in order."""
    found = [match for pattern in _patterns()[group] for match in pattern.finditer(text)]
    return tuple(sorted(found, key=lambda match: match.start()))


@cache
def _patterns() -> dict[str, tuple[re.Pattern[str], ...]]:
    loaded = cast(dict[str, dict[str, list[str]]], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    return {
        group: tuple(re.compile(line, re.IGNORECASE) for lines in languages.values() for line in lines)
        for group, languages in loaded.items()
    }
