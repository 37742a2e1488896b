"""Whether a wish bounds a piece of work that is asked for once: "总结这份合同", "write an essay about the sea"."""

from __future__ import annotations

from .cues import says
from .hearing import Sentence


def asks_once(sentence: Sentence) -> bool:
    """Whether the sentence asks for one piece of work, and speaks of no kind of work and of no answer in general."""
    return not says("all_of_them", sentence.heard) and any(
        clause.own and says("one_off", clause.heard) for clause in sentence.clauses
    )


def bounds_the_work(start: int, end: int, sentence: Sentence) -> bool:
    """Whether a span of the message lies in the clause that asks for the work."""
    return any(
        clause.own and says("one_off", clause.heard) and clause.span.start < end and start < clause.span.end
        for clause in sentence.clauses
    )
