"""Canonical keys: what a wish is about, the span that names the thing, and when two names are one value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import yaml

from ..simplified import simplified

_DATA = Path(__file__).parent.parent / "data" / "constraint_keys.yaml"


class Key(NamedTuple):
    """A canonical key and how wishes about it behave."""

    name: str
    single: bool
    """Two demands with different values cannot hold together."""
    task: bool
    """A part of the thing being made."""
    search: bool
    """A part of what is looked for."""
    topic: re.Pattern[str] | None
    """Names the key itself, as a withdrawal does: "the word limit"."""
    say: tuple[re.Pattern[str], ...]
    values: Mapping[str, re.Pattern[str]]
    anywhere: re.Pattern[str] | None
    """Any value's name inside a text, where one text has only one value of the key."""


class Keyed(NamedTuple):
    """The key that fits a text, and the span of the text that names the thing."""

    key: Key
    value: str | None


def keyed(text: str, *, search: bool = False) -> Keyed | None:
    """Give the first key that fits the text, or None; keys of a search only where a search was heard."""
    text = simplified(text)
    for key in _keys().values():
        if key.search and not search:
            continue
        for pattern in key.say:
            found = pattern.search(text)
            if found:
                value = found.groupdict().get("value")
                return Keyed(key, value.strip() if value and value.strip() else None)
    return None


def named(text: str) -> tuple[Keyed, str] | None:
    """Give the one value that a text names by its name alone, and the text around it: "tables" in "drop the tables"."""
    text = simplified(text)
    for key in _keys().values():
        found = key.anywhere.search(text) if key.anywhere else None
        if found:
            return Keyed(key, found[0]), f"{text[: found.start()]} {text[found.end() :]}"
    return None


def key(name: str | None) -> Key | None:
    """Give a key by its name."""
    return _keys().get(name) if name else None


def topics(text: str) -> frozenset[str]:
    """Give the keys that the text names: 字数限制 and "word limit" name length."""
    plain = simplified(text)
    return frozenset(each.name for each in _keys().values() if each.topic and each.topic.search(plain))


def canonical(name: str | None, value: str | None) -> str | None:
    """Give one name for every way to write a value: 表格 and "Tables" are both "table"."""
    if value is None:
        return None
    value = simplified(value)
    plain = re.sub(r"\s+", "", unicodedata.normalize("NFKC", value)).casefold()
    spaced = " ".join(unicodedata.normalize("NFKC", value).split()).casefold()
    found = key(name)
    if found:
        for canon, pattern in found.values.items():
            if pattern.fullmatch(spaced):
                return canon
    return plain


@cache
def _keys() -> dict[str, Key]:
    loaded = cast(dict[str, dict[str, Any]], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    return {name: _key(name, entry) for name, entry in loaded.items()}


def _any(patterns: Sequence[str]) -> str:
    return "|".join(f"(?:{each})" for each in patterns)


def _key(name: str, entry: Mapping[str, Any]) -> Key:
    values = cast(dict[str, list[str]], entry.get("values", {}))
    every = [each for names in values.values() for each in names] if entry.get("single") else []
    return Key(
        name=name,
        single=bool(entry.get("single", False)),
        task=bool(entry.get("task", False)),
        search=bool(entry.get("search", False)),
        topic=re.compile(entry["topic"], re.IGNORECASE) if "topic" in entry else None,
        say=tuple(re.compile(pattern, re.IGNORECASE) for pattern in entry["say"]),
        values={canon: re.compile(_any(names), re.IGNORECASE) for canon, names in values.items()},
        anywhere=re.compile(rf"(?<![a-z])(?:{_any(every)})(?![a-z])", re.IGNORECASE) if every else None,
    )
