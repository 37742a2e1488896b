"""What of a text is compared: English words by their stem, numbers, Chinese letters alone and in pairs."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

from .irregular import BASE

_RUN = re.compile(r"[a-z0-9]+|[\u00c0-\u024f]+|[\u2e80-\u9fff\uf900-\ufaff]+")
_CHINESE = "\u2e80"
_MEASURED = re.compile(r"([0-9]+)([a-z]+)")
"""A number with its unit; what is asked for is often the unit alone."""

_FILLERS = frozenset(
    re.findall(
        r"\w+",
        "a an the of to in on at for and or is are was were be been it its this that these those i you he she they we "
        "me my your his her their our as with by from do did does have has had what when where who which how why s t",
    )
)
_CHINESE_FILLERS = frozenset("的了吗呢是在我你和也就都吧啊")
"""Letters that stand in every Chinese sentence; in a pair they still count."""


def terms(text: str) -> list[str]:
    """Give the terms of a text in their order, repeated as they are repeated; words without content are left out."""
    found: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if run[0] < _CHINESE:
            if run not in _FILLERS:
                found.append(_stem(BASE.get(run, run)))
            if measured := _MEASURED.fullmatch(run):
                found += measured.groups()
            continue
        found += [run[i : i + 2] for i in range(len(run) - 1)]
        found += [letter for letter in run if letter not in _CHINESE_FILLERS]
    return found


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]

    return snowballstemmer.stemmer("english")
