"""How much two short texts speak of the same thing, by their content alone."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import cast

import yaml

from ..simplified import simplified
from ..text import HAN

_HAN_RUN = re.compile(f"[{HAN}]+")
_WORD = re.compile(r"[a-z0-9][a-z0-9+#.-]*")
_DATA = Path(__file__).parent.parent / "data" / "empty_words.yaml"


def contents(text: str) -> frozenset[str]:
    """Give what a text is about: pairs of Chinese letters and English words without the small ones."""
    empty, stop = _empty()
    plain = simplified(unicodedata.normalize("NFKC", text)).casefold()
    units: set[str] = {stem(word) for word in _WORD.findall(plain) if word not in stop}
    for run in _HAN_RUN.findall(plain):
        for part in empty.split(run):
            units |= {part} if len(part) == 1 else {part[i : i + 2] for i in range(len(part) - 1)}
    return frozenset(unit for unit in units if unit)


@cache
def _empty() -> tuple[re.Pattern[str], frozenset[str]]:
    loaded = cast(dict[str, str], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    return re.compile(loaded["zh"]), frozenset(loaded["en"].split())


def likeness(one: str, other: str) -> float:
    """Give the share of the smaller text's content that the other holds, from 0 to 1."""
    first, second = contents(one), contents(other)
    if not first or not second:
        return 0.0
    return len(first & second) / min(len(first), len(second))


def stem(word: str) -> str:
    """Give an English word without its plural or participle ending and its last e: "jokes" and "joke" are one."""
    for ending in ("ing", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
