"""The present task: what the person asks to be made, and when it is over."""

from __future__ import annotations

from collections.abc import Sequence

from ninefold.state import Task

from ..text import Span, trimmed
from .cues import find, says
from .hearing import Sentence, only_for_good
from .likeness import likeness


def requested(heard: Sequence[Sentence]) -> Span | None:
    """Give the first thing that the message asks to be made, in its own words; what is asked for for good is none."""
    for sentence in heard:
        for before, clause in zip((None, *sentence.clauses), sentence.clauses, strict=False):
            if not clause.own or (before is not None and only_for_good(before)):
                continue
            found = find("task", clause.heard)
            if found and found["task"].strip():
                start, end = found.span("task")
                return trimmed(clause.heard, start, end)._replace(
                    start=clause.span.start + start, end=clause.span.start + start + len(found["task"].rstrip())
                )
    return None


def pointed_at(heard: Sequence[Sentence]) -> Span | None:
    """Give the piece of work that a wish is said for: "for this report, use English"."""
    for sentence in heard:
        found = find("for_task", sentence.heard)
        if found:
            group = next(name for name, text in found.groupdict().items() if text)
            start = sentence.span.start + found.start(group)
            return Span(found[group], start, start + len(found[group]))
    return None


def finishes(heard: Sequence[Sentence]) -> bool:
    """Whether the person says that the task is done, or that another begins."""
    return any(
        clause.own and not clause.asks and says("finished", clause.heard)
        for sentence in heard
        for clause in sentence.clauses
    )


def is_other(words: str, present: Task) -> bool:
    """Whether the words ask for another thing than the present task; a revision of the same thing is none."""
    if says("same_thing", words):
        return False
    return likeness(words, present.words) < 0.5
