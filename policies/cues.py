"""The cue files: words in Chinese and English, side by side in one YAML file per policy, compiled once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import cast

import yaml

from .text import sentences

_DATA = Path(__file__).parent / "data"


END = 6000
"""Characters at each end of a message that rules read; what people want stands there, between lies what they pasted."""


def ends(words: str) -> tuple[str, ...]:
    """Give the parts of a message that rules read: all of it, or the first and last whole sentences of a long one."""
    if len(words) <= 2 * END:
        return (words,)
    head, tail = sentences(words[:END])[:-1], sentences(words[-END:])[1:]
    parts = (words[: head[-1].end] if head else "", words[len(words) - END + tail[0].start :] if tail else "")
    return tuple(part for part in parts if part)


@cache
def cues(name: str) -> Mapping[str, re.Pattern[str]]:
    """Give the cues of `data/<name>.yaml`: section → one pattern over both languages, whatever the case."""
    text = (_DATA / f"{name}.yaml").read_text(encoding="utf-8")
    loaded = cast(dict[str, dict[str, list[str]]], yaml.safe_load(text))
    return MappingProxyType({section: _joined(by_language) for section, by_language in loaded.items()})


def _joined(by_language: dict[str, list[str]]) -> re.Pattern[str]:
    lines = [f"(?:{line})" for lines in by_language.values() for line in lines]
    return re.compile("|".join(lines), re.IGNORECASE | re.MULTILINE)
