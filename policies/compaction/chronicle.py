"""The turns that leave as statements: sentences and clauses copied word for word, told apart by what they are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from ninefold.state import Entry, Item, StepStatus, reference_id

from ..keeping.cues import heard
from ..keeping.held import folded
from ..keeping.kept import Kept
from ..keeping.needs import Later, Need, needs
from ..text import Span, clauses, plain_text, sentences, trimmed
from ..window import Group
from .strategy import Originals

Field = Literal["decisions", "next_steps", "other_facts"]

LONG_SENTENCE = 160
"""Characters beyond which only the clauses of a sentence that carry something are kept."""
LONG_CLAUSE = 240
"""Characters beyond which a clause is kept as the surroundings of what it carries."""
AROUND = 40
"""Characters on each side that such surroundings have."""


class Statement(NamedTuple):
    """One statement of a leaving turn, where it belongs in a summary, and how much it weighs."""

    field: Field
    item: Item
    needs: tuple[Need, ...]
    """What must not be lost and stands in it."""
    weight: int
    """Higher stays longer when room runs out."""


def statements(groups: Sequence[Group], archive: Originals, kept: Kept, later: Later) -> tuple[Statement, ...]:
    """Give what the groups said that a summary should carry, in its order.

    Args:
        groups: the turns that leave.
        archive: gives originals of messages that the window holds shortened.
        kept: what stays in the prompt without them (constraints, memories, the kept window).
        later: what later turns said and called.
    """
    found: list[Statement] = []
    for group in groups:
        for message, entry in zip(group.messages, group.entries, strict=True):
            original = original_of(message, entry, archive)
            if original is not None:
                required = needs(message, original, entry.turn, later)
                told = _of_message(message, original, entry, required, group)
                # A value alone may stand elsewhere by chance; only a statement that is held as it is can be left out.
                found += (statement for statement in told if not kept.lasting.words(statement.item.text))
    return tuple(_without_repeats(found))


def original_of(message: BaseMessage, entry: Entry, archive: Originals) -> BaseMessage | None:
    """Give what a message said in full: from the archive where the window holds less; None when it was forgotten."""
    return archive.original(entry) if entry.compacted or entry.reference else message


def _of_message(
    message: BaseMessage, original: BaseMessage, entry: Entry, required: Sequence[Need], group: Group
) -> Iterable[Statement]:
    text = plain_text(original)
    reference = reference_id(entry.turn, entry.sequence)
    for span in carriers(text, required, whole=isinstance(message, HumanMessage)):
        inside = tuple(need for need in required if span.start <= need.place[0] and need.place[1] <= span.end)
        field, status = kind(span.text, message, group)
        weight = _weight(span.text, message, inside, field)
        if weight:
            item = Item(text=span.text[:1000], sources=(entry.message,), status=status, reference=reference)
            yield Statement(field, item, inside, weight)


def carriers(text: str, required: Sequence[Need], *, whole: bool) -> tuple[Span, ...]:
    """Give the spans of a text that may become statements, so that every need stands in one.

    Args:
        text: what was said.
        required: what of it must not be lost.
        whole: whether short sentences without a need may become statements too.
    """
    found = list(_natural(text, required, whole=whole))
    starts = [span.start for span in found]
    bare = [need for need in required if not _within_one(need, found, starts)]
    return (*found, *_surroundings(text, Span(text, 0, len(text)), bare, around=0))


def _natural(text: str, required: Sequence[Need], *, whole: bool) -> Iterable[Span]:
    """Give sentences, and of long ones the parts that carry a need."""
    for sentence in sentences(text):
        if len(sentence.text) <= LONG_SENTENCE:
            if whole or any(_within(need, sentence) for need in required) or heard("decision", sentence.text):
                yield sentence
            continue
        mine = sorted((need for need in required if _within(need, sentence)), key=lambda need: need.place)
        starts = [need.place[0] for need in mine]
        for clause in clauses(sentence.text):
            place = Span(clause.text, clause.start + sentence.start, clause.end + sentence.start)
            here = mine[bisect_left(starts, place.start) : bisect_left(starts, place.end)]
            inside = [need for need in here if _within(need, place)]
            if inside and len(place.text) <= LONG_CLAUSE:
                yield place
            elif inside:
                yield from _surroundings(text, place, inside)


def _surroundings(text: str, clause: Span, inside: Sequence[Need], *, around: int = AROUND) -> Iterable[Span]:
    start, end = -1, -1
    for need in sorted(inside, key=lambda need: need.place):
        left, right = max(clause.start, need.place[0] - around), min(clause.end, need.place[1] + around)
        if left <= end and right - start <= 900:
            end = max(end, right)
            continue
        if end > start:
            yield trimmed(text, start, end)
        start, end = left, right
    if end > start:
        yield trimmed(text, start, end)


def _within_one(need: Need, spans: Sequence[Span], starts: Sequence[int]) -> bool:
    """Whether one of the spans, which follow each other, holds the need."""
    at = bisect_right(starts, need.place[0]) - 1
    return at >= 0 and _within(need, spans[at])


def _within(need: Need, span: Span) -> bool:
    return span.start <= need.place[0] and need.place[1] <= span.end


def kind(text: str, message: BaseMessage, group: Group) -> tuple[Field, StepStatus | None]:
    """Give the field that a statement belongs to and, for a step, whether it is finished."""
    if isinstance(message, HumanMessage) and not heard("done", text):
        if heard("todo", text):
            return "next_steps", StepStatus.PENDING
        if heard("order", text):
            return "next_steps", StepStatus.DONE if answered(message, group) else StepStatus.PENDING
        if heard("soon", text):
            return "next_steps", StepStatus.PENDING
    return ("decisions" if heard("decision", text) else "other_facts"), None


def answered(message: BaseMessage, group: Group) -> bool:
    """Whether a person's request was answered by a reply that neither asks back nor promises."""
    place = next(i for i, m in enumerate(group.messages) if m.id == message.id)
    replies = [m for m in group.messages[place + 1 :] if isinstance(m, AIMessage) and not m.tool_calls]
    if not replies:
        return False
    parts = sentences(plain_text(replies[-1]))
    return bool(parts) and not heard("asking", parts[-1].text)


def _weight(text: str, message: BaseMessage, inside: Sequence[Need], field: Field) -> int:
    """Give what a statement weighs; 0 leaves it to the archive."""
    if heard("small_talk", text):
        return 0
    if any(need.kind == "negation" for need in inside):
        return 100
    if inside:
        spoken = 90 if field == "decisions" else 80
        return spoken if isinstance(message, HumanMessage) else 60
    if isinstance(message, ToolMessage):
        return 0
    if isinstance(message, HumanMessage):
        if heard("confirm", text) and len(text) < 24:
            return 0
        return {"decisions": 50, "next_steps": 40, "other_facts": 0}[field]
    return 30 if field == "decisions" and not heard("proposes", text) else 0


def _without_repeats(found: Sequence[Statement]) -> Iterable[Statement]:
    seen: set[str] = set()
    for statement in found:
        key = folded(statement.item.text)
        if key and key not in seen:
            seen.add(key)
            yield statement


def item_needs(item: Item) -> tuple[Need, ...]:
    """Give what a summary's item carries that must not be lost; its source is the first message it stands on."""
    source = item.sources[0] if item.sources else ""
    spoken = HumanMessage(item.text, id=source or None)
    return needs(spoken, spoken)
