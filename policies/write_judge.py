"""What a person's message holds that is worth keeping beyond the session: rules in both languages, spans only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from ninefold.state import MemoryKind

from .cues import END, cues, ends
from .intent import without_small_talk
from .secrets import masked
from .subject import subject
from .text import Span, clauses, sentences, strip_quoted, trimmed

LONGEST = 400
"""Characters of one statement at most."""
MOST = 12
"""Statements of one message at most."""

_KINDS = (
    ("preference", MemoryKind.PREFERENCE),
    ("profile", MemoryKind.PROFILE),
    ("decision", MemoryKind.DECISION),
    ("todo", MemoryKind.TODO),
    ("config", MemoryKind.CONFIG),
    ("rule", MemoryKind.CONFIG),
    ("fact", MemoryKind.FACT),
)
_EVEN_WHEN_ASKING = frozenset({"preference", "profile", "decision", "rule"})
_TOLD_WHILE_ASKING = frozenset({MemoryKind.PREFERENCE, MemoryKind.PROFILE, MemoryKind.DECISION})
_IN_AN_ORDER = frozenset({"rule"})
_QUESTION = re.compile(r"[?？]\s*$|(吗|呢|来着)\s*[。！~]?$")
_POINTERS = re.compile(
    r"这个|这些|这点|这条|那个|上面的?|刚才说?的?|了|哦|啊|\b(?:this|that|it|please)\b", re.IGNORECASE
)
_LETTER = re.compile(r"\w")


@dataclass(frozen=True)
class Statement:
    """One thing worth keeping."""

    kind: MemoryKind
    text: str
    """A span of what the person wrote, with secrets masked."""
    subject: str | None = None
    """The key under which a newer statement replaces this one."""
    description: str = ""
    """What a later question may call it."""


class WriteJudge(Protocol):
    """Finds what is worth keeping. It is only ever shown the person's own words."""

    def statements(self, words: str, *, before: Sequence[str] = ()) -> tuple[Statement, ...]:
        """Give the statements to keep, in the order in which they were said.

        Args:
            words: one message of the person.
            before: the person's messages before it, oldest first; "remember that" may mean the last of them.
        """
        ...


class RuleJudge:
    """Keeps decisions, preferences, plans, facts about the person, settings, and what it is told to remember.

    Questions, small talk, quotations, code, and what holds for this once are not kept.
    """

    def statements(self, words: str, *, before: Sequence[str] = ()) -> tuple[Statement, ...]:
        """Give what the rules find; every text is a span of the source but for masked secrets."""
        found = [statement for part in ends(words) for statement in _statements(part)]
        if not found and before and len(words) < END and _points_back(words):
            found = [statement for part in ends(before[-1]) for statement in _statements(part)] or [
                _as_fact(before[-1])
            ]
        return tuple({statement.text: statement for statement in found}.values())[:MOST]


def _statements(words: str) -> Iterator[Statement]:
    heard = strip_quoted(words)
    asked_to_keep = False
    for sentence in sentences(heard):
        if not without_small_talk(sentence.text):
            continue
        explicit = cues("memory_cues")["explicit"].search(sentence.text)
        keep = explicit is not None or asked_to_keep
        asked_to_keep = bool(explicit and sentence.text.rstrip().endswith((":", "：")))
        for part in _parts(sentence):
            kind = _kind(part.text)
            if kind is None and keep and not _is_bare_request(part.text):
                kind = MemoryKind.FACT
            if kind is not None:
                text = masked(words[part.start : part.end][:LONGEST].rstrip())
                yield Statement(kind=kind, text=text, subject=subject(part.text))


def _kind(text: str) -> MemoryKind | None:
    cue = cues("memory_cues")
    if cue["one_off"].search(text):
        return None
    allowed = frozenset(name for name, _ in _KINDS)
    if _QUESTION.search(text):
        allowed = _IN_AN_ORDER if cue["polite"].search(text) else frozenset()
    elif cue["asking"].search(text):
        allowed = _EVEN_WHEN_ASKING
    return next((kind for name, kind in _KINDS if name in allowed and cue[name].search(text)), None)


def _parts(sentence: Span) -> Iterator[Span]:
    """The sentence, or its clauses where several are each about something of their own, or where the last one asks."""
    inner = [
        Span(clause.text, clause.start + sentence.start, clause.end + sentence.start)
        for clause in clauses(sentence.text)
    ]
    if _QUESTION.search(sentence.text) and _kind(sentence.text) is None:
        yield from (clause for clause in inner[:-1] if _kind(clause.text) in _TOLD_WHILE_ASKING)
        return
    own = [clause for clause in inner if subject(clause.text) and _kind(clause.text)]
    if len(own) < 2:
        yield _shortened(sentence, inner)
        return
    for start, end in pairwise([sentence.start, *(clause.start for clause in own[1:]), sentence.end]):
        text = sentence.text[start - sentence.start : end - sentence.start].rstrip(" ，,；;、和")
        part = trimmed(sentence.text, start - sentence.start, start - sentence.start + len(text))
        yield Span(part.text, part.start + sentence.start, part.end + sentence.start)


def _shortened(sentence: Span, parts: Sequence[Span]) -> Span:
    """A sentence without end is kept as the clause that holds the cue."""
    if len(sentence.text) <= LONGEST:
        return sentence
    return next((part for part in parts if _kind(part.text)), sentence)


def _is_bare_request(text: str) -> bool:
    """Whether nothing is left beside "remember this"."""
    rest = _POINTERS.sub("", cues("memory_cues")["explicit"].sub("", text))
    return len(_LETTER.findall(rest)) < 3


def _points_back(words: str) -> bool:
    return cues("memory_cues")["explicit"].search(strip_quoted(words)) is not None


def _as_fact(words: str) -> Statement:
    first = next(iter(sentences(words[:END])), Span(words, 0, len(words)))
    return Statement(kind=MemoryKind.FACT, text=masked(first.text[:LONGEST]), subject=subject(first.text))
