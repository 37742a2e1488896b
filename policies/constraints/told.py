"""Which clauses of a sentence are wishes, and the group of words that says so."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ninefold.state import Language

from ..negation import is_negated
from ..text import Span, detect_language
from .candidates import limits
from .cues import find, says, without
from .hearing import Clause, Sentence, only_an_occasion, only_for_good
from .keys import keyed

TRAILING = "。．.！!？?，,；;、：: \t\n"
"""Marks behind a wish that are none of its words."""
_BARE_KEYS = frozenset({"output_format", "language", "currency", "unit"})
_ONE_BREATH = 100
"""Characters of a sentence that is heard as one clause."""


class Told(NamedTuple):
    """A clause that is a wish, with the group that says so."""

    clause: Clause
    label: str


def told_in(sentence: Sentence) -> list[Told]:
    """Give the clauses that are wishes, in order; the sentence as one where only the whole of it is."""
    told: list[Told] = []
    for index, clause in enumerate(sentence.clauses):
        label = label_of(clause) or _framed(sentence, index) if clause.own and not clause.asks else None
        if label is None and clause.own and not clause.asks and index and only_an_occasion(sentence.clauses[index - 1]):
            label = None if says("polite", clause.heard) else _commanded(clause.heard)
        if label is None and told and clause.own and not clause.asks and _other_of_it(told[-1].clause, clause):
            label = "forbid"
        if label is None and index and clause.own and not clause.asks and says("points_back", clause.heard):
            label = "forbid" if sentence.clauses[index - 1].own and says("names_talk", sentence.heard) else None
        of_the_last = told and told[-1].clause is sentence.clauses[index - 1] and says("points_back", clause.heard)
        if label is not None and not of_the_last:
            told.append(Told(clause, label))
    if told and not all(_nothing_but_when(each.clause) for each in told):
        return sorted(told + _told_beside(sentence, told), key=lambda each: each.clause.span.start)
    return _told_whole(sentence)


def _framed(sentence: Sentence, index: int) -> str | None:
    """Name the group of a clause with the one beside it that says for how long: "From now on, write short answers"."""
    clause, others = sentence.clauses[index], sentence.clauses
    blank = "" if detect_language(clause.heard) is Language.CHINESE else " "
    if index and only_for_good(others[index - 1]):
        return label_of(clause._replace(heard=f"{others[index - 1].heard}{blank}{clause.heard}"))
    if index + 2 == len(others) and only_for_good(others[-1]):
        return label_of(clause._replace(heard=f"{clause.heard}{blank}{others[-1].heard}"))
    return None


def _nothing_but_when(clause: Clause) -> bool:
    """Whether every word of an English clause says when: "Every time I call them"; what follows there is no wish.

    In Chinese the demand stands in the same clause: "每次先给结论".
    """
    found = find("when", clause.heard)
    if found is None or detect_language(clause.heard) is Language.CHINESE:
        return False
    lasting = find("lasting", clause.heard)
    return lasting is not None and lasting.start() == found.start() and found[0] == clause.heard.strip(TRAILING)


def _told_beside(sentence: Sentence, told: list[Told]) -> list[Told]:
    """Hear beside a wish what is one by its form and names a thing: "Keep answers short, and never mention red"."""
    heard = [each.clause for each in told]
    beside = [clause for clause in sentence.clauses if clause not in heard and keyed(clause.heard)]
    return [each for clause in beside if (each := _by_form(clause)) is not None]


def _other_of_it(before: Clause, clause: Clause) -> bool:
    """Whether a clause rules out another value of what the one before it demands: "in euros, not in dollars"."""
    demanded, other = keyed(before.heard), keyed(clause.heard)
    if not demanded or not other or not demanded.key.single or demanded.key.name != other.key.name:
        return False
    return says("not_that", clause.heard) and not is_negated(before.heard)


def _told_whole(sentence: Sentence) -> list[Told]:
    """Hear a short sentence as one where no clause of it is a wish alone: "Paragraphs of three lines, tops"."""
    parts = sentence.clauses
    if not 1 < len(parts) <= 3 or not all(part.own and not part.asks for part in parts) or says("task", sentence.heard):
        return []
    start = parts[0].span.start - sentence.span.start
    said = sentence.heard.strip().rstrip(TRAILING)
    span = Span(sentence.span.text, sentence.span.start, sentence.span.end)
    label = label_of(Clause(span, said, own=True, asks=False)) if start >= 0 and len(said) <= _ONE_BREATH else None
    return [Told(Clause(span, said, own=True, asks=False), label)] if label is not None else []


def told_alone(sentence: Sentence) -> list[Told]:
    """Hear a message of one short sentence as a rule by its form alone: "Hyphenate compound adjectives"."""
    if len(sentence.heard) > _ONE_BREATH:
        return []
    return [each for clause in sentence.clauses if (each := _by_form(clause)) is not None]


def _by_form(clause: Clause) -> Told | None:
    if not clause.own or clause.asks or says("polite", clause.heard) or not says("alone", clause.heard):
        return None
    return Told(clause, "forbid" if is_negated(clause.heard) and not limits(clause.heard) else "require")


def _commanded(said: str) -> str | None:
    """Name the group of a plain command: on an occasion it is a rule."""
    if not says("command", said):
        return None
    return "forbid" if is_negated(said) and not limits(said) else "require"


@lru_cache(maxsize=4096)
def label_of(clause: Clause) -> str | None:
    """Name the group by which a clause is a wish: forbid, require, prefer or withdraw; None where it is none."""
    said = without("polite_tail", clause.heard).rstrip()
    if says("bare_no", said):
        return "forbid"
    if says("withdraw", said):
        return "withdraw"
    said = without("preface", said).strip()
    if says("forbid", said):
        return "forbid"
    if says("of_self", said) and says("prefer", said):
        return "prefer"
    if says("require", said):
        return "require"
    if says("prefer", said):
        return "prefer"
    occasion = find("when", said)
    if occasion is not None and said[: occasion.start()].strip() == "":
        behind = None if says("polite", said) else _commanded(said[occasion.end() :].lstrip("，, "))
        if behind is not None:
            return behind
    found = keyed(said)
    if found is None or found.value is None:
        return None
    plain = without("this_turn", said).strip(" ,，")
    if plain != said and (says("alone", plain) or says("require", plain)):
        return "require"
    if says("change", said) or (says("this_turn", said) and found.key.single):
        return "require"
    bare = len(said) <= 12 if detect_language(said) is Language.CHINESE else len(said.split()) <= 5
    if bare and says("asked_for", said) and found.key.name in _BARE_KEYS:
        return "require"
    return None
