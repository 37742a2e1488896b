"""The cues as patterns by group and language, made once from the data files: cue words, signs, and the forms of a wish.

A form is made of word classes and is read in short clauses alone: in a long text it would be an accident.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from ..simplified import simplified

_LATIN = re.compile("[A-Za-z]")
_CLASS = re.compile(r"\{([a-z_]+)\}")
_DATA = Path(__file__).parent.parent / "data"
_ANYWHERE = ("constraint_cues", "constraint_signs", "constraint_jobs")
_SHORT = {"zh": 60, "en": 160}
"""Characters of the longest clause in which a form is looked for."""

Group = Literal[
    "forbid",
    "require",
    "prefer",
    "reported",
    "attributed",
    "no_wish",
    "idle",
    "ordered",
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
    "command",
    "alone",
    "maybe",
    "by_chance",
    "tells",
    "concludes",
    "limit",
    "only_this",
    "all_but",
    "weak",
    "border",
    "frame_alone",
    "here",
    "bare_no",
    "of_self",
    "speaks_self",
    "speech",
    "polite_tail",
    "preface",
    "addressed",
    "inverted",
    "there_is",
    "bare_none",
    "asked_for",
    "same_thing",
    "lower",
    "upper",
    "parts",
    "asks_value",
    "level",
    "no_occasion",
    "of_a_thing",
    "seeks",
    "one_off",
    "all_of_them",
    "not_that",
    "taste",
    "joined",
    "added",
    "of_a_ban",
    "narrows",
    "points_back",
    "names_talk",
    "of_work",
    "for_task",
    "freed",
]


def says(group: Group, text: str) -> bool:
    """Whether a cue of the group stands in the text."""
    text = simplified(text)
    return any(pattern.search(text) for pattern in _heard(group, text))


def find(group: Group, text: str) -> re.Match[str] | None:
    """Give the first cue of the group in the text, in simplified letters."""
    text = simplified(text)
    found = [match for pattern in _heard(group, text) if (match := pattern.search(text))]
    return min(found, key=lambda match: match.start(), default=None)


def find_all(group: Group, text: str) -> tuple[re.Match[str], ...]:
    """Give every cue of the group in the text, in order and in simplified letters."""
    text = simplified(text)
    found = [match for pattern in _heard(group, text) for match in pattern.finditer(text)]
    return tuple(sorted(found, key=lambda match: match.start()))


def without(group: Group, text: str) -> str:
    """Give the text in simplified letters with a blank in the place of every cue of the group."""
    text = simplified(text)
    for pattern in _heard(group, text):
        text = pattern.sub(" ", text)
    return text


def _heard(group: Group, text: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of the languages that the text is written in: neither's can match where it has no letter."""
    if text.isascii():
        return _of("en", group, len(text))
    return (
        (*_of("zh", group, len(text)), *_of("en", group, len(text)))
        if _LATIN.search(text)
        else _of("zh", group, len(text))
    )


def _of(language: str, group: Group, length: int) -> tuple[re.Pattern[str], ...]:
    files = (*_ANYWHERE, "constraint_grammar") if length <= _SHORT[language] else _ANYWHERE
    return tuple(pattern for name in files for pattern in _patterns(name).get(group, {}).get(language, ()))


@cache
def _patterns(name: str) -> dict[str, dict[str, tuple[re.Pattern[str], ...]]]:
    loaded = cast(dict[str, Any], yaml.safe_load((_DATA / f"{name}.yaml").read_text(encoding="utf-8")))
    words = cast(dict[str, dict[str, str]], loaded.pop("words", {}))
    groups = cast(dict[str, dict[str, list[str]]], loaded.get("forms", loaded))
    return {
        group: {
            language: tuple(re.compile(_whole(line, words.get(language, {})), re.IGNORECASE) for line in lines)
            for language, lines in languages.items()
        }
        for group, languages in groups.items()
    }


def _whole(line: str, words: dict[str, str]) -> str:
    """Put the word classes in their places; a class may be made of others."""
    while _CLASS.search(line):
        line = _CLASS.sub(lambda found: words[found[1]], line)
    return line
