"""Whether a wish bounds a piece of work that is asked for once: "总结这份合同", "write an essay about the sea"."""

from __future__ import annotations

import re
from functools import lru_cache

from ninefold.state import Polarity, Scope

from ..text import Span
from .candidates import Candidate
from .cues import says
from .hearing import Sentence

_ASKED_BEHIND = re.compile(
    r"[：:]\s*(?:(?:and|so) )?(?:what|who|whom|why|where|how|which)\b[^：:\n]{6,}\?\s*$"
    r"|[：:][^：:\n]*(?:什么|多少|谁|哪|为什么|几[个天年岁点])[^：:\n]*[?？]\s*$",
    re.IGNORECASE,
)
"""A colon, and the one question that is asked behind it: "Answer in one sentence: what is gravity?\""""

STAYS_WITH_SESSION = frozenset({"colour", "style", "currency", "unit", "name", "persona", "diet"})
"""Keys of wishes about whatever is written, whichever piece of work they were said beside."""


def ending_with_the_work(wish: Candidate, sentence: Sentence, task: Span | None) -> Candidate:
    """Give the wish for this turn alone where it bounds a piece of work that is asked for once.

    "写一篇至少八百字的游记" bounds this essay, "以后总结都用三句话" every summary. A ban inside the task's own words,
    and what stands in a clause beside it, belong to the task: the next message may come back to it.
    """
    if wish.scope is not Scope.SESSION or wish.lasting or wish.withdraws or not asks_once(sentence):
        return wish
    if says("for_task", sentence.heard) and not bounds_the_work(wish.start, wish.end, sentence):
        return wish
    if bounds_the_work(wish.start, wish.end, sentence):
        of_task = wish.polarity is Polarity.FORBID and task is not None and wish.start <= task.start < wish.end
        return wish._replace(task=True) if of_task else wish._replace(scope=Scope.TURN, task=False)
    if wish.task or wish.key in STAYS_WITH_SESSION:
        return wish
    beside = task is not None and sentence.span.start <= task.start < sentence.span.end
    return wish._replace(task=True) if beside else wish._replace(scope=Scope.TURN)


@lru_cache(maxsize=256)
def asks_once(sentence: Sentence) -> bool:
    """Whether the sentence asks for one piece of work, and speaks of no kind of work and of no answer in general."""
    return not says("all_of_them", sentence.heard) and (
        any(clause.own and says("one_off", clause.heard) for clause in sentence.clauses)
        or (any(clause.asks for clause in sentence.clauses[-1:]) and _ASKED_BEHIND.search(sentence.heard) is not None)
    )


def bounds_the_work(start: int, end: int, sentence: Sentence) -> bool:
    """Whether a span of the message lies in the clause that asks for the work."""
    return any(
        clause.own and says("one_off", clause.heard) and clause.span.start < end and start < clause.span.end
        for clause in sentence.clauses
    )
