"""What a statement is about, so that a newer one can take its place."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import cast

import yaml

from .memory_ids import folded

_DATA = Path(__file__).parent / "data" / "subjects.yaml"
_NEGATION = re.compile(
    r"不再|再也不|不要|不用|不必|不会|不能|不是|不想|不|没有|没|别|无需|禁止|避免|切勿"
    r"|\b(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|must)(?: not|n'?t)\b|\bcannot\b"
    r"|\bno longer\b|\bnot\b|\bnever\b|\bno\b|\bwithout\b|\bavoid\b",
    re.IGNORECASE,
)


def subject(text: str) -> str | None:
    """Give the key under which a newer statement replaces this one, or None when it can stand beside any other."""
    heard = unicodedata.normalize("NFKC", text).strip().replace("’", "'")
    for key, patterns in _subjects().items():
        for pattern in patterns:
            found = pattern.match(heard)
            if found:
                named = folded(found.groupdict().get("x") or "")
                if named or "{x}" not in key:
                    return key.replace("{x}", named)
    return None


def skeleton(text: str) -> str:
    """Give what is left of a statement without its negations: a statement and its opposite have one skeleton."""
    return folded(_NEGATION.sub("", unicodedata.normalize("NFKC", text).replace("’", "'")))


@cache
def _subjects() -> dict[str, list[re.Pattern[str]]]:
    loaded = cast(dict[str, list[str]], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    return {key: [re.compile(each, re.IGNORECASE) for each in patterns] for key, patterns in loaded.items()}
