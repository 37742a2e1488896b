"""The cue files: words in Chinese and English, side by side in one YAML file per policy, compiled once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import cast

import yaml

_DATA = Path(__file__).parent / "data"


@cache
def cues(name: str) -> Mapping[str, re.Pattern[str]]:
    """Give the cues of `data/<name>.yaml`: section → one pattern over both languages, whatever the case."""
    text = (_DATA / f"{name}.yaml").read_text(encoding="utf-8")
    loaded = cast(dict[str, dict[str, list[str]]], yaml.safe_load(text))
    return MappingProxyType({section: _joined(by_language) for section, by_language in loaded.items()})


def _joined(by_language: dict[str, list[str]]) -> re.Pattern[str]:
    lines = [f"(?:{line})" for lines in by_language.values() for line in lines]
    return re.compile("|".join(lines), re.IGNORECASE | re.MULTILINE)
