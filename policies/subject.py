"""What a statement is about, so that a newer one can take its place."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import cast

import yaml

from ninefold.state import MemoryRecord

from .constraints import is_rule, rule, values_claimed
from .memory_ids import folded
from .negation import unsaid

_DATA = Path(__file__).parent / "data" / "subjects.yaml"


def subject(text: str) -> str | None:
    """Give the key under which a newer statement replaces this one, or None when it can stand beside any other."""
    heard = unicodedata.normalize("NFKC", text).strip().replace("’", "'")
    for name, patterns in _subjects().items():
        for pattern in patterns:
            found = pattern.match(heard)
            if found:
                named = folded(found.groupdict().get("x") or "")
                if named or "{x}" not in name:
                    return name.replace("{x}", named)
    return None


def skeleton(text: str) -> str:
    """Give what is left of a statement without its negations and the verbs that carry them.

    A statement and its opposite have one skeleton.
    """
    return folded(unsaid(unicodedata.normalize("NFKC", text).replace("’", "'")))


def claims(record: MemoryRecord) -> frozenset[str]:
    """Give what only the newest of several statements can say: its subject, and its words or their opposite.

    A rule for all time shares its key with other rules; it claims the key only where two values cannot both hold, and
    a ban claims no more than the value that it rules out.
    """
    words = f"words {skeleton(record.text)}"
    about = record.subject or ""
    if is_rule(record):
        return values_claimed(rule(record, record.turn)) | {words}
    return frozenset({words, f"subject {about}"} if about else {words})


@cache
def _subjects() -> dict[str, list[re.Pattern[str]]]:
    loaded = cast(dict[str, list[str]], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    return {name: [re.compile(each, re.IGNORECASE) for each in patterns] for name, patterns in loaded.items()}
