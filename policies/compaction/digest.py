"""A summary that fits: old and new statements by weight under a cap; what has no room goes behind a reference, said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ninefold.state import Item, Language, Missing, StepStatus, Summary
from ninefold.state.compaction import MAX_BY_REFERENCE
from ninefold.state.summary import MAX_REFERENCES

from ..keeping.cues import heard
from ..keeping.held import Held
from ..keeping.kept import Kept
from ..keeping.needs import Need, lost
from ..subject import skeleton
from ..summary_layer import render_summary
from ..text import only_asks
from .chronicle import Field, Statement, item_needs
from .focus import terms
from .strategy import Counter

FIELDS: tuple[Field, ...] = ("decisions", "next_steps", "other_facts")
FEW_REFERENCES = 4
"""References that have their place beside any statement; more stand there where room is left."""


class Digest(NamedTuple):
    """A new summary, and the exact values that stand behind a reference from then on."""

    summary: Summary
    by_reference: tuple[Missing, ...]


def digest(
    old: Summary,
    new: Sequence[Statement],
    *,
    covers: str | None,
    cap: int,
    room: int,
    kept: Kept,
    language: Language,
    tokens: Counter,
) -> Digest:
    """Give the old summary's statements and the new ones in at most `cap` tokens, heaviest and newest first.

    Args:
        old: the summary so far; its items stay as they are.
        new: what the leaving turns said.
        covers: the newest turn that leaves.
        cap: tokens of the rendered summary.
        room: tokens by which it may be larger than the old one.
        kept: what the prompt holds besides the summary; a value held there is not lost with its statement.
        language: of the labels.
        tokens: counts.
    """
    told = [*_told(old, new), *new]
    replaced = _replaced(told, len(told) - len(new))
    standing = [i for i in range(len(told)) if i not in replaced]
    order = [*sorted(standing, key=lambda i: (-told[i].weight, -i)), *replaced]

    def made(count: int) -> Summary:
        return _summary(old, [told[i] for i in sorted(order[:count])], [told[i] for i in sorted(order[count:])], covers)

    def fits(summary: Summary) -> bool:
        few = summary.model_copy(update={"references": summary.references[-FEW_REFERENCES:]})
        return cost(few, language, tokens) <= limit

    limit = min(cap, cost(old, language, tokens) + room)
    low, high = 0, len(standing)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(made(middle)):
            low = middle
        else:
            high = middle - 1
    summary = _with_references(made(low), limit, language, tokens)
    in_summary = Kept(Held(item.text for item in summary.items), Held(()))
    gone = [need for i in order[low:] for need in told[i].needs]
    missing = [need.missing for need in lost(lost(gone, kept), in_summary)]
    return Digest(summary, tuple(dict.fromkeys(missing))[:MAX_BY_REFERENCE])


def _replaced(told: Sequence[Statement], old: int) -> list[int]:
    """Give the places of statements that a new one says again or denies: none of them stands any more.

    The first `old` come from the summary, by field and not by time: none of those replaces another.
    """
    newest: dict[str, list[int]] = {}
    replaced: list[int] = []
    for place, statement in enumerate(told):
        before = newest.setdefault(skeleton(statement.item.text), [])
        if place >= old:
            replaced += before
            before.clear()
        before.append(place)
    return list(dict.fromkeys(replaced))


def _with_references(summary: Summary, limit: int, language: Language, tokens: Counter) -> Summary:
    """Give the summary with as many references, the newest, as the limit has room for.

    They may be more than short messages leave: a window of those could never be cut. An original that is not named here
    is found by searching the archive.
    """
    for first in range(len(summary.references)):
        fitting = summary.model_copy(update={"references": summary.references[first:]})
        if cost(fitting, language, tokens) <= limit:
            return fitting
    return summary.model_copy(update={"references": ()})


def cost(summary: Summary, language: Language, tokens: Counter) -> int:
    """Give the tokens of a rendered summary; none for an empty one."""
    return 0 if summary.empty else tokens.text(render_summary(summary, language))


def _told(old: Summary, new: Sequence[Statement]) -> list[Statement]:
    """Give the old summary's items as statements; a step that the new turns report as finished is done from now on."""
    reports = [terms(statement.item.text) for statement in new if heard("done", statement.item.text)]
    told: list[Statement] = []
    for field, items in _fields(old):
        for item in items:
            finished = field == "next_steps" and item.status is not StepStatus.DONE and _reported(item, reports)
            kept = item.model_copy(update={"status": StepStatus.DONE}) if finished else item
            found = item_needs(kept)
            told.append(Statement(field, kept, found, _old_weight(field, kept, found)))
    return told


def _reported(item: Item, reports: Sequence[frozenset[str]]) -> bool:
    wanted = terms(item.text)
    return bool(wanted) and any(len(wanted & report) * 2 >= len(wanted) for report in reports)


def _old_weight(field: Field, item: Item, found: Sequence[Need]) -> int:
    """Give what an old statement weighs beside new ones of its kind: a little less, and never less than a plain one."""
    if any(need.kind == "negation" for need in found):
        return 95
    if item.status is StepStatus.PENDING:
        return 85
    if found:
        return 86 if field == "decisions" else 75
    if field == "other_facts" and only_asks(item.text):
        return 15
    return {"decisions": 48, "next_steps": 25, "other_facts": 20}[field]


def _fields(summary: Summary) -> tuple[tuple[Field, tuple[Item, ...]], ...]:
    return (
        ("decisions", summary.decisions),
        ("next_steps", summary.next_steps),
        ("other_facts", summary.other_facts),
    )


def _summary(old: Summary, kept: Sequence[Statement], out: Sequence[Statement], covers: str | None) -> Summary:
    def of(field: Field) -> tuple[Item, ...]:
        return tuple(statement.item for statement in kept if statement.field == field)

    carrying = [s.item.reference for s in out if s.needs and s.item.reference is not None]
    references = tuple(dict.fromkeys((*old.references, *carrying)))[-MAX_REFERENCES:]
    return Summary(
        decisions=of("decisions"),
        preferences=old.preferences,
        next_steps=of("next_steps"),
        other_facts=of("other_facts"),
        references=references,
        covers=covers or old.covers,
    )
