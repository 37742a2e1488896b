"""What a step tells people, in the thread's language; the words stand in data/notices.yaml."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import cast

import yaml

from ninefold.state import Language


def notice(key: str, language: Language | None, **values: object) -> str:
    """Give the words of a notice, at most 400 characters; English before a thread has a language."""
    words = _notices()[key][(language or Language.ENGLISH).value]
    return words.format(**values)[:400]


@cache
def _notices() -> dict[str, dict[str, str]]:
    text = files("ninefold.policies").joinpath("data", "notices.yaml").read_text(encoding="utf-8")
    return cast("dict[str, dict[str, str]]", yaml.safe_load(text))
