"""Forgetting by chat: what a person's message asks to be forgotten, and which memories that means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import yaml

from ninefold.state import MemoryRecord

from .constraints import extract
from .cues import ends
from .forgetting import SHORTEST, Holds, holding
from .memory_ids import folded
from .subject import subject
from .text import Span, clauses, sentences, strip_quoted
from .values import ExactValue, exact_values

MOST = 8
"""Requests of one turn that are heard."""
_QUESTION = re.compile(r"[?？]\s*$|(?:吗|么|呢)[。！~\s]*$")
_COPULA = re.compile(r"\b(?:is|are|was|=)\s+|(?:是|叫|为|[:：])\s*", re.IGNORECASE)
_TELLING = frozenset({"identifier", "url", "path", "name"})
_FEW_LINES = 3
_SHORT = 4
"""Letters that a bare English thing has at least: a shorter one stands in every other sentence."""
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


def asked_to_forget(words: str) -> tuple[Asked, ...]:
    """Give what a message asks to be forgotten; questions, quotations, reports and reminders ask for nothing."""
    found: dict[str, Asked] = {}
    for part in ends(words):
        text = sentences(strip_quoted(part))
        for sentence, before in zip(text, ("", *(each.text for each in text)), strict=False):
            if _cue("works_on").search(before):
                break  # What follows is the text that a task is about.
            introduced = before.endswith((":", "："))
            if introduced or _QUESTION.search(sentence.text) or _cue("reported").search(sentence.text):
                continue
            if _in_the_midst(part, sentence):
                continue
            heard = [
                each
                for clause in clauses(sentence.text)
                if not _led_in(sentence.text[: clause.start])
                for each in _asked(clause.text.rstrip("。.!！~ "))
            ]
            heard += _quoted(_line(part, sentence))
            found.update({each.words: each for each in heard})
    return tuple(found.values())[:MOST]


def _led_in(before: str) -> bool:
    """Whether a clause is text for a task, a speech, or hangs on a condition, by what stands before it."""
    if before.rstrip().endswith((":", "：")):
        return True
    return _cue("works_on").search(before) is not None or _cue("condition").match(before.strip()) is not None


def _in_the_midst(text: str, sentence: Span) -> bool:
    """Whether a sentence stands inside of a longer text, such as a pasted letter, and speaks to nobody here."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) <= _FEW_LINES:
        return False
    return _line(text, sentence) not in (lines[0].strip(), lines[-1].strip())


def _line(text: str, sentence: Span) -> str:
    """Give the line that a sentence stands in."""
    start = text.rfind("\n", 0, sentence.start) + 1
    end = text.find("\n", sentence.start)
    return text[start : None if end < 0 else end].strip()


def beside(words: str) -> str:
    """Give a message without the clauses that ask to forget, each blanked at its length."""
    for clause in clauses(strip_quoted(words)):
        if any(_asked(clause.text)):
            words = words[: clause.start] + " " * len(clause.text) + words[clause.end :]
    return words


def phrases(asked: Asked, records: Iterable[MemoryRecord], rules: Iterable[str] = ()) -> tuple[str, ...]:
    """Give the texts by which something is forgotten: whatever holds one of them is meant.

    They are the thing itself, the person's memories of it, and what those tell: "my address" also means the street that
    the memory of it names. Nothing, where a bare thing stands in no memory.

    Args:
        asked: what is to be forgotten.
        records: the person's memories.
        rules: what else of theirs a bare thing may stand in, such as their rules.
    """
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
    return tuple(dict.fromkeys((record.text, *_values(record, own=_is_own(record.text)))))


def any_of(texts: Sequence[str]) -> Holds:
    """Give the test for a text that holds one of these."""
    tests = [holding(text) for text in texts]
    return lambda text: any(test(text) for test in tests)


def _asked(clause: str) -> Iterator[Asked]:
    clause = clause.strip()
    if _cue("tells").search(clause):
        return
    for section in ("named", "bare"):
        for pattern in _patterns()[section]:
            found = pattern.fullmatch(clause)
            if found is None:
                continue
            if section == "bare" and any(wish.withdraws and wish.key for wish in extract(clause).wishes):
                return
            own = found.groupdict().get("own") is not None
            for thing in _things(found["x"]):
                name = _trimmed(thing)
                mine = own or _is_own(thing)
                least = _SHORT if name.isascii() and name.isalpha() and not mine else SHORTEST
                if len(folded(name)) >= least and not _cue("generic").fullmatch(name):
                    yield Asked(name, mine, section == "named")
            return


def _quoted(clause: str) -> Iterator[Asked]:
    """Give the rule whose own words stand in quotation marks: 忘掉“不要用表格”这条规则."""
    for pattern in _patterns()["quoted"]:
        if found := pattern.fullmatch(clause.rstrip("。.!！~ ")):
            yield Asked(found["x"].strip(), own=False, named=False)
            return


def _things(words: str) -> Iterator[str]:
    """Give the things that a list names, up to what goes on with another instruction: my address and fix the test."""
    first, *others = _joined().split(words)
    yield first
    for other in others:
        if _cue("goes_on").match(other.strip()):
            return
        yield other


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
    filed = {name for name, things in _loaded()["subject"].items() if words in things}
    direct = {subject(f"my {words} is 1"), subject(f"我的{words}是1")}
    return frozenset(filed | {each for each in direct if each})


def _values(record: MemoryRecord, *, own: bool) -> Iterator[str]:
    """Give what a memory tells that tells it wherever it stands: exact values, and of one's own the whole value."""
    for value in exact_values(record.text):
        if _tells(value):
            yield value.text
    if own and (copula := _COPULA.search(record.text)):
        whole = record.text[copula.end() :].strip(" \t。.!！,，;；\"'“”")
        if len(folded(whole)) >= _LONG[not whole.isascii()] and len(clauses(whole)) <= 2:
            yield whole


def _tells(value: ExactValue) -> bool:
    return value.kind in _TELLING or sum(letter.isdigit() for letter in value.text) >= _DIGITS


def _trimmed(thing: str) -> str:
    cut = thing.strip(" 。.!！,，;；~'\"“”")
    for each in _loaded()["about"].values():
        cut = re.sub(each, "", cut, flags=re.IGNORECASE).strip()
    return re.sub(r"^my\s+", "", cut, flags=re.IGNORECASE)


def _is_own(thing: str) -> bool:
    return re.match(r"\s*(?:my\s|我的)", thing, re.IGNORECASE) is not None


@cache
def _loaded() -> Mapping[str, Any]:
    path = Path(__file__).parent / "data" / "forget_cues.yaml"
    return cast("dict[str, Any]", yaml.safe_load(path.read_text(encoding="utf-8")))


@cache
def _patterns() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    def compiled(section: str) -> Iterator[re.Pattern[str]]:
        for language, lines in _loaded()[section].items():
            for line in lines:
                for name in ("lead", "tail", "said"):
                    line = line.replace(f"{{{name}}}", _loaded()[name][language])
                yield re.compile(line, re.IGNORECASE)

    return {section: tuple(compiled(section)) for section in ("named", "bare", "quoted")}


@cache
def _joined() -> re.Pattern[str]:
    return re.compile(_loaded()["joined"], re.IGNORECASE)


@cache
def _cue(section: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in _loaded()[section].values()), re.IGNORECASE)
