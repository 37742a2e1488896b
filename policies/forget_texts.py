"""By which texts something is forgotten: the thing itself, the memories of it, and what those tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import yaml

from ninefold.state import MemoryRecord

from .forgetting import SHORTEST, Holds, holding
from .memory_ids import folded
from .negation import is_negated
from .subject import subject
from .text import clauses
from .values import ExactValue, exact_values

_COPULA = re.compile(r"\b(?:is|are|was|=)\s+|(?:是|叫|为|[:：])\s*", re.IGNORECASE)
_TELLING = frozenset({"identifier", "url", "path", "name"})
_BARE = re.compile(r"[\d\- ]+")
"""A number without a unit: an amount is told by many."""
_DIGITS = 5
"""Digits of a number that nobody else's sentence holds by chance."""
_LONG = {True: 4, False: 8}
"""Letters, Chinese ones and others, of a value in words that is told apart from everyday speech."""


class Asked(NamedTuple):
    """One thing that is to be forgotten."""

    words: str
    """As the person names it."""
    own: bool
    """Whether it is something of the person's: my address, 我的地址."""
    named: bool
    """Whether it is named as something told; a bare thing is meant only where something of the person's holds it."""
    sure: bool = True
    """Whether it is surely meant for what was told here; else nothing goes before the person says so once more."""
    rule: bool = False
    """Whether it is a rule, given by its words."""


def phrases(asked: Asked, records: Sequence[MemoryRecord], rules: Sequence[str] = ()) -> tuple[str, ...]:
    """Give the texts by which something is forgotten: whatever holds one of them is meant.

    They are the thing itself, the person's memories of it, and what those tell: "my address" also means the street that
    the memory of it names. Nothing, where a bare thing stands in no memory.

    Args:
        asked: what is to be forgotten.
        records: the person's memories.
        rules: what else of theirs a bare thing may stand in, such as their rules.
    """
    if asked.rule:
        return _rules_of(asked.words, (*rules, *(record.text for record in records)))
    named = _named(asked)
    subjects = _subjects(asked.words) if asked.own else frozenset()
    holds = any_of(named)
    meant = [record for record in records if holds(record.text) or (record.subject or "") in subjects]
    if not asked.named and not meant and not any(map(holds, rules)):
        return ()
    unnamed = [record.text for record in meant if not holds(record.text)]
    values = [value for record in meant for value in _values(record, own=asked.own)]
    return tuple(dict.fromkeys((*named, *unnamed, *values)))


def told_by(record: MemoryRecord) -> tuple[str, ...]:
    """Give the texts by which a memory is forgotten: its own, and what it tells that tells it wherever it stands."""
    return tuple(dict.fromkeys((record.text, *_values(record, own=is_own(record.text)))))


def _rules_of(words: str, rules: Sequence[str]) -> tuple[str, ...]:
    """Give the rules that hold the words, and the words, unless those stand in what rules out the same."""
    holds, negated = holding(words), is_negated(words)
    found = [rule for rule in rules if holds(rule)]
    meant = [rule for rule in found if is_negated(rule) == negated]
    return tuple(dict.fromkeys((words, *meant) if meant == found and meant else meant))


def any_of(texts: Sequence[str]) -> Holds:
    """Give the test for a text that holds one of these."""
    tests = [holding(text) for text in texts]
    return lambda text: any(test(text) for test in tests)


def _named(asked: Asked) -> tuple[str, ...]:
    """Give the thing as the person and whoever answers them call it, and the values that were given with it."""
    values = tuple(value.text for value in exact_values(asked.words) if _tells(value))
    words = asked.words
    for value in values:
        words = words.replace(value, " ").strip(" :：,，是")
    if len(folded(words)) < SHORTEST:
        return values
    if not asked.own:
        return (words, *values)
    if words.isascii():
        return (f"my {words}", f"your {words}", *values)
    return (*(f"{who}{of}{words}" for who in "我你您" for of in ("的", "")), *values)


def _subjects(thing: str) -> frozenset[str]:
    words = thing.casefold()
    filed = {name for name, things in forget_cues()["subject"].items() if words in things}
    direct = {subject(f"my {words} is 1"), subject(f"我的{words}是1")}
    return frozenset(filed | {each for each in direct if each})


def _values(record: MemoryRecord, *, own: bool) -> Iterator[str]:
    """Give what a memory tells that tells it wherever it stands: exact values, and of one's own the whole value."""
    for value in exact_values(record.text):
        if _tells(value):
            yield value.text
    if own and (copula := _COPULA.search(record.text)):
        whole = record.text[copula.end() :].strip(" \t。.!！,，;；\"'“”")
        if not _personal(record, record.text[: copula.start()]):
            return
        if len(folded(whole)) >= _LONG[not whole.isascii()] and len(clauses(whole)) <= 2:
            yield whole


def _personal(record: MemoryRecord, thing: str) -> bool:
    """Whether a memory tells who the person is or where they are reached; of an appointment others tell the day too."""
    cues = forget_cues()
    name = re.sub(r"^\s*(?:my\s+|我的?)", "", thing, flags=re.IGNORECASE).strip()
    known = (re.compile(each, re.IGNORECASE) for each in cues["personal"].values())
    return record.subject in cues["subject"] or any(each.fullmatch(name) for each in known)


def _tells(value: ExactValue) -> bool:
    bare = value.kind == "number" and _BARE.fullmatch(value.text) is not None
    return value.kind in _TELLING or (bare and sum(letter.isdigit() for letter in value.text) >= _DIGITS)


def is_own(thing: str) -> bool:
    """Whether a thing is named as the person's own."""
    return re.match(r"\s*(?:my\s|我的)", thing, re.IGNORECASE) is not None


@cache
def forget_cues() -> Mapping[str, Any]:
    """Give the cues of requests to forget, by their sections."""
    path = Path(__file__).parent / "data" / "forget_cues.yaml"
    return cast("dict[str, Any]", yaml.safe_load(path.read_text(encoding="utf-8")))
