"""What a step tells people, in the thread's language; the words stand in data/notices.yaml."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import cast

import yaml

from ninefold.state import Language

_PLACE = re.compile(r"\{(\w+)\}")


def notice(key: str, language: Language | None, **values: object) -> str:
    """Give the words of a notice, at most 400 characters; English before a thread has a language."""
    words = _notices()[key][(language or Language.ENGLISH).value]
    return words.format(**values)[:400]


def retold(text: str, language: Language) -> str | None:
    """Give a notice of the other language in this one; None where the text is no notice of that language.

    A thread's notices are in its own language, whoever reads its trace may read another.
    """
    other = Language.ENGLISH if language is Language.CHINESE else Language.CHINESE
    for pattern, key in _patterns(other):
        if found := pattern.fullmatch(text):
            return notice(key, language, **found.groupdict())
    return None


@cache
def _patterns(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Give what finds each notice of a language, with its key."""
    made: list[tuple[re.Pattern[str], str]] = []
    for key, words in _notices().items():
        parts = _PLACE.split(words[language.value])
        # Every second part is the name of a value.
        pattern = "".join(f"(?P<{part}>.*?)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
        made.append((re.compile(pattern, re.DOTALL), key))
    return tuple(made)


@cache
def _notices() -> dict[str, dict[str, str]]:
    text = files("ninefold.policies").joinpath("data", "notices.yaml").read_text(encoding="utf-8")
    return cast("dict[str, dict[str, str]]", yaml.safe_load(text))
