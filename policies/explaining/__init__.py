"""Why words are, or are not, in the prompt of a turn; drawn from what is kept, without a model."""

from __future__ import annotations

from collections.abc import Iterator

from ninefold.state import Cause, Finding

from .evidence import Evidence, Sought, Spoken
from .kept import ended_constraints, stored
from .prompt import in_prompt
from .said import said

__all__ = ["Evidence", "Spoken", "explain"]

FINDINGS = 12
"""Findings of one answer; the first tell the most."""


def explain(evidence: Evidence, words: str) -> tuple[Finding, ...]:
    """Give what became of words, the most telling first; never empty.

    The words are looked for as they are. Only where nothing holds them, sentences that share most of their parts are
    taken for them.

    Args:
        evidence: what is kept of the thread, up to the turn that is asked about.
        words: what the person misses or sees in the prompt, in either language.
    """
    for exact in (True, False):
        found = tuple(dict.fromkeys(_findings(evidence, Sought(words, exact))))
        if found:
            return found[:FINDINGS]
    return (Finding(cause=Cause.NEVER_SAID),)


def _findings(evidence: Evidence, sought: Sought) -> Iterator[Finding]:
    there = tuple(in_prompt(evidence, sought))
    yield from there
    yield from ended_constraints(evidence, sought)
    if not any(finding.cause is Cause.IN_PROMPT for finding in there):
        yield from stored(evidence, sought)
        yield from said(evidence, sought)
