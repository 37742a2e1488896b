"""Forgetting by chat: what a person's message asks to be forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from functools import cache

from .constraints import extract
from .cues import ends
from .forget_texts import Asked, forget_cues, is_own
from .forgetting import SHORTEST, Holds
from .memory_ids import folded
from .text import Span, clauses, sentences, strip_quoted

MOST = 8
"""Requests of one turn that are heard."""
_QUESTION = re.compile(r"[?？]\s*$|(?:吗|么|呢|好不好|行不行|可不可以)[。！~\s]*$")
_LONGEST = 400
"""Characters of a request; a longer clause or sentence is none."""
_FEW_LINES = 3
_SHORT = 4
"""Letters that a bare English thing has at least: a shorter one stands in every other sentence."""


class _Sure(Enum):
    """When a pattern is surely a request about what was told here."""

    ALWAYS = auto()
    OWN = auto()
    """Where the thing is the person's own: everything you know about my sister."""
    PERSONAL = auto()
    """Where it is something that one tells of oneself: delete my address, and not: delete my branch."""
    NEVER = auto()


class _Kind(Enum):
    """The kinds of patterns in the order in which they are tried: whether they name a thing as told, and surely."""

    LOST = ("lost", False, _Sure.NEVER)
    RULE = ("rule", False, _Sure.ALWAYS)
    NAMED = ("named", True, _Sure.ALWAYS)
    KNOWN = ("known", False, _Sure.OWN)
    DELETED = ("deleted", False, _Sure.PERSONAL)
    BARE = ("bare", False, _Sure.ALWAYS)

    @property
    def section(self) -> str:
        return self.value[0]


def asked_to_forget(words: str) -> tuple[Asked, ...]:
    """Give what a message asks to be forgotten; quotations, reports, reminders and most questions ask for nothing."""
    found: dict[str, Asked] = {}
    for part in ends(words):
        if not _cue("verb").search(part):
            continue
        text = sentences(strip_quoted(part))
        for sentence, before in zip(text, ("", *(each.text for each in text)), strict=False):
            if _cue("works_on").search(before):
                break  # What follows is the text that a task is about.
            if before.endswith((":", "：")) or _cue("reported").search(sentence.text):
                continue
            if _in_the_midst(part, sentence):
                continue
            heard = [*_in_sentence(sentence.text)]
            if _QUESTION.search(sentence.text):
                polite = _cue("polite").search(sentence.text)
                heard = [each for each in heard if polite and (each.named or each.own)]
            else:
                heard += _quoted(_line(part, sentence))
            found.update({each.words: each for each in heard})
    return tuple(found.values())[:MOST]


def beside(words: str, holds: Holds) -> str:
    """Give a message without the clauses that surely ask to forget, each blanked at its length: they tell nothing.

    One that takes a rule back stays, unless that rule is among what is forgotten.
    """
    if not _cue("verb").search(words):
        return words
    for clause in clauses(strip_quoted(words)):
        things = [each for each in _asked(clause.text, edits=_cue("replaced").search(words) is not None) if each.sure]
        if things and (not takes_back(clause.text) or any(holds(each.words) for each in things)):
            words = words[: clause.start] + " " * len(clause.text) + words[clause.end :]
    return words


def takes_back(words: str) -> bool:
    """Whether words take back a rule of a kind that is known."""
    return any(wish.withdraws and wish.key for wish in extract(words).wishes)


def _in_sentence(sentence: str) -> Iterator[Asked]:
    whole = _bare(sentence)
    if not _cue("verb").search(whole):
        return
    told_first = next((found for each in _patterns()["topic"] if (found := each.fullmatch(whole))), None)
    if told_first is not None:
        yield from _things_of(told_first, _Kind.NAMED)
        return
    for clause in clauses(sentence):
        if not _led_in(sentence[: clause.start]):
            yield from _asked(clause.text, edits=_cue("replaced").search(sentence) is not None)


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


def _asked(clause: str, *, edits: bool = False) -> Iterator[Asked]:
    """Give what a clause asks to be forgotten; what is replaced in the same breath may be a part of a text."""
    clause = _bare(clause)
    if not _cue("verb").search(clause) or _cue("tells").search(clause):
        return
    for kind in _Kind:
        for pattern in _patterns()[kind.section]:
            found = pattern.fullmatch(clause)
            if found is None:
                continue
            if kind is _Kind.BARE and takes_back(clause):
                return
            yield from _things_of(found, kind, edits=edits)
            return


def _things_of(found: re.Match[str], kind: _Kind, *, edits: bool = False) -> Iterator[Asked]:
    """Give the things that a matched request names."""
    _, named, sure = kind.value
    own = found.groupdict().get("own") is not None
    for thing in [found["x"]] if kind is _Kind.RULE else _things(found["x"]):
        name = thing.strip(" ,，") if kind is _Kind.RULE else _trimmed(thing)
        mine = own or is_own(thing)
        personal = _cue("personal").fullmatch(name) is not None
        if not _names_something(name, mine) or (kind is _Kind.DELETED and not personal and _cue("part").search(name)):
            continue
        certain = {
            _Sure.ALWAYS: True,
            _Sure.OWN: mine,
            _Sure.PERSONAL: personal and not edits,
            _Sure.NEVER: False,
        }[sure]
        yield Asked(name, mine, named or (certain and mine), certain, kind is _Kind.RULE)


def _names_something(name: str, own: bool) -> bool:
    least = _SHORT if name.isascii() and name.isalpha() and not own else SHORTEST
    return len(folded(name)) >= least and not _cue("generic").fullmatch(name)


def _quoted(clause: str) -> Iterator[Asked]:
    """Give the rule whose own words stand in quotation marks: 忘掉“不要用表格”这条规则."""
    for pattern in _patterns()["quoted"]:
        if found := pattern.fullmatch(_bare(clause)):
            yield Asked(found["x"].strip(), own=False, named=False, rule=True)
            return


def _things(words: str) -> Iterator[str]:
    """Give the things that a list names, up to what goes on with another instruction: my address and fix the test."""
    first, *others = re.split(forget_cues()["joined"], words, flags=re.IGNORECASE)
    yield first
    for other in others:
        if _cue("goes_on").match(other.strip()):
            return
        yield other


def _bare(clause: str) -> str:
    """Give a clause without the marks at its end; nothing, where it is too long for a request."""
    bare = clause.strip().rstrip("。.!！?？~ ")
    return bare if len(bare) <= _LONGEST else ""


def _trimmed(thing: str) -> str:
    cut = thing.strip(" 。.!！,，;；~'\"“”")
    for each in forget_cues()["about"].values():
        cut = re.sub(each, "", cut, flags=re.IGNORECASE).strip()
    return re.sub(r"^my\s+", "", cut, flags=re.IGNORECASE)


@cache
def _patterns() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    cues = forget_cues()

    def compiled(section: str) -> Iterator[re.Pattern[str]]:
        for language, lines in cues[section].items():
            for line in lines:
                for name in ("lead", "tail", "said", "told", "forget", "delete", "wholly"):
                    line = line.replace(f"{{{name}}}", cues[name][language])
                yield re.compile(line, re.IGNORECASE)

    return {section: tuple(compiled(section)) for section in (*(kind.section for kind in _Kind), "topic", "quoted")}


@cache
def _cue(section: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in forget_cues()[section].values()), re.IGNORECASE)
