"""What of the earlier turns goes into the prompt: the part that answers, never a rule, never what no longer holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ninefold.state import Fate, MemoryKind, MemoryRecord, MemoryStatus, Polarity, Recalled, Said, reference_id
from ninefold.state.memory import instant

from .constraints import Candidate, extract
from .dates import Span
from .fragment import fragment
from .memory_ids import folded
from .recall_input import InView, Limits
from .secrets import masked
from .subject import subject
from .text import only_asks, sentences

EXCERPT = 240
"""Characters of an earlier message that are shown; the whole of it stands behind its reference."""
IN_VIEW = 160
REFUSED = 48
LITTLE = 0.15
"""What an earlier message must hold of the question, itself or in what stands around it.

On five public sets the evidence of 95 questions in 100 lies above .09 to .33, and the best that is found for a question
about another conversation at .18 to .48 in half the cases: words alone tell evidence from chance badly, so this only
keeps out what shares next to nothing.
"""
BESIDE_BEST = 0.5
"""Share of the best one's score below which an earlier message is left out; 19 in 20 pieces of evidence lie above."""


_MARK = "[，,、；;：:]"
_LONE_MARKS = re.compile(rf"^(?:\s|{_MARK})+|(?<=[。！？!?])\s*(?:{_MARK}|。)+|{_MARK}(?=\s*(?:{_MARK}|[。！？!?]))")
"""Marks that a rule leaves behind where it was taken out."""
_OF_SELF = re.compile(r"(?:我|I\b|we\b)", re.IGNORECASE)


class Told(NamedTuple):
    """What the prompt tells already."""

    text: str
    """As it compares."""
    at: str
    subject: str | None = None


def earlier(
    found: Sequence[Said],
    told: Sequence[Told],
    records: Sequence[MemoryRecord],
    *,
    query: str,
    view: InView,
    limits: Limits,
    when: Span | None = None,
) -> list[Recalled]:
    """Give the messages of earlier turns as candidates, each with its fate, best first.

    Args:
        found: what was said, best first.
        told: the memories that are recalled; a message says nothing beside them that they say.
        records: what the memories hold of these messages' turns, in any status, and all that was replaced: what was
            said twice has one record, of the turn that said it first.
        query: what the person wants now.
        view: what the prompt holds.
        limits: how many.
        when: what the question asks for by its time; it then needs no likeness.
    """
    candidates: list[Recalled] = []
    newest = _newest(found, told)
    shown = [known.text for known in told]
    there = [folded(each) for each in view.texts]
    best = max((said.score for said in found if not _only_asks(said)), default=0.0)
    taken = 0
    for said in found:
        reference = reference_id(said.turn, said.sequence)
        text = masked(fragment(_holding(said, records, newest), query, EXCERPT))
        fate = Fate.RECALLED
        then = when is not None and when.start <= instant(said.at) < when.end
        if not then and said.score < max(LITTLE, BESIDE_BEST * best):
            fate = Fate.BELOW_THRESHOLD
        elif not text:
            fate = Fate.IN_VIEW if _rule_stands(said, there) else Fate.SUPERSEDED
        elif reference in view.ids or any(folded(text) in each for each in there):
            fate = Fate.IN_VIEW
        elif any(folded(text) in each or each in folded(text) for each in shown):
            fate = Fate.DUPLICATE
        elif taken >= limits.top_k:
            fate = Fate.BEYOND_TOP_K
        taken += fate is Fate.RECALLED or reference in view.ids
        if fate is Fate.RECALLED:
            shown.append(folded(text))
        candidates.append(
            Recalled(
                id=reference,
                kind=MemoryKind.FACT,
                text=_shown(text, said, fate, query),
                created=said.at,
                score=None,
                words=said.score,
                fate=fate,
                role=said.role,
                source="turn",
            )
        )
    return candidates


def _shown(text: str, said: Said, fate: Fate, query: str) -> str:
    """What is kept of a candidate: what is shown, what a cut of this turn may take out of view, or its beginning."""
    if fate is Fate.RECALLED:
        return text
    return fragment(text, query, IN_VIEW) if fate is Fate.IN_VIEW else masked(said.text)[:REFUSED]


def _only_asks(said: Said) -> bool:
    """Whether the person said nothing but questions."""
    return said.role == "user" and all(only_asks(span.text) for span in sentences(said.text))


def _holding(said: Said, records: Sequence[MemoryRecord], newest: dict[str, float]) -> str:
    """What of a message still holds.

    Rules are left out: those that hold stand in the constraint layer, and what does not stand there was taken back.
    So is what a newer statement replaced, in every turn in which it was said until then, and the reply to it.
    """
    replaced = [record for record in records if record.status is MemoryStatus.SUPERSEDED]
    gone = [folded(record.text) for record in replaced if record.turn == said.turn or record.seen == said.at]
    if gone and said.role != "user":
        return ""
    older = [folded(r.text) for r in replaced if instant(said.at) <= instant(r.seen or r.created)]
    kept = [span.text for span in sentences(_without_rules(said)) if _holds(span.text, said, gone, older, newest)]
    return " ".join(kept)


def _rules(said: Said) -> list[Candidate]:
    """The rules in a message; only the person makes any."""
    return [wish for wish in extract(said.text).wishes if _is_rule(wish)] if said.role == "user" else []


def _rule_stands(said: Said, there: Sequence[str]) -> bool:
    """Whether one of the rules in a message stands in the prompt."""
    return any(folded(rule.words) in text for rule in _rules(said) for text in there)


def _without_rules(said: Said) -> str:
    """The message without the words of its rules."""
    text, kept, start = said.text, "", 0
    for rule in _rules(said):
        if rule.start >= start:
            kept, start = kept + text[start : rule.start], rule.end
    return _LONE_MARKS.sub("", kept + text[start:]) if start else text


def _holds(sentence: str, said: Said, gone: Sequence[str], older: Sequence[str], newest: dict[str, float]) -> bool:
    """Whether a sentence holds; a part of a replaced statement tells it too, in the turn that the statement is from."""
    words = folded(sentence)
    if not words or any(old in words or words in old for old in gone) or any(old in words for old in older):
        return False
    about = subject(sentence) if said.role == "user" else None
    return about is None or newest.get(about, 0.0) <= instant(said.at)


def _is_rule(wish: Candidate) -> bool:
    """Whether a wish is for the assistant to keep: not the task itself, and not what the person tells of themselves."""
    if wish.task:
        return False
    own = wish.polarity is Polarity.PREFER or _OF_SELF.match(wish.words) is not None
    return wish.key is not None or wish.lasting or not own


def _newest(found: Sequence[Said], told: Sequence[Told]) -> dict[str, float]:
    """When each subject was last spoken of, among all that was found."""
    newest: dict[str, float] = {}
    for known in told:
        if known.subject is not None:
            newest[known.subject] = max(newest.get(known.subject, 0.0), instant(known.at))
    for said in found:
        for span in sentences(said.text) if said.role == "user" else ():
            about = subject(span.text)
            if about is not None:
                newest[about] = max(newest.get(about, 0.0), instant(said.at))
    return newest
