"""The sentences that a model's summary points at, copied as they were said: its own words are never taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from ninefold.state import Entry, InternalModelError, Item, StepStatus, reference_id

from ..keeping.cues import heard
from ..keeping.held import folded, same_values
from ..text import Span, plain_text, sentences
from ..window import Group
from .chronicle import Field, Statement, item_needs, kind, original_of
from .strategy import Originals

_SHORTEST: Final = 4
"""Letters that a copied sentence has at least."""


class Source(NamedTuple):
    """A sentence that a model may point at, with where it was said."""

    sentence: Span
    message: BaseMessage
    entry: Entry
    group: Group
    plain: str
    same: str


def grounded(
    reply: Mapping[str, Any], sources: Sequence[Source], *, stands: Callable[[str], bool] | None = None
) -> tuple[Statement, ...]:
    """Give the sentences that a reply points at, whole and as they were said.

    Args:
        reply: the model's object.
        sources: the sentences that it may point at.
        stands: whether a text stands elsewhere in the prompt, where it stays: pointing there is no mistake.

    Raises:
        InternalModelError: more than half of its entries stand nowhere.
    """
    given = list(_entries(reply))
    found: list[Statement] = []
    strange = 0
    for field, text, status in given:
        source = _source_of(text, sources)
        if source is None:
            strange += not (stands is not None and stands(text))
        else:
            found.append(_statement(field, status, source))
    if strange * 2 > len(given):
        raise InternalModelError(
            f"{strange} of {len(given)} entries of the model's summary stand nowhere in the turns it read.",
            "The rules stand alone for now.",
        )
    return tuple(found)


def as_reply(statements: Sequence[Statement]) -> dict[str, list[Any]]:
    """Give statements as the object that points at them: grounded again, it gives them again."""
    told: dict[str, list[Any]] = {"decisions": [], "next_steps": [], "other_facts": []}
    for field, item, *_ in statements:
        step = {"text": item.text, "status": item.status.value if item.status else StepStatus.PENDING.value}
        told[field].append(step if field == "next_steps" else item.text)
    return told


def _entries(reply: Mapping[str, Any]) -> Iterable[tuple[Field, str, StepStatus | None]]:
    fields: tuple[Field, ...] = ("decisions", "next_steps", "other_facts")
    for field in fields:
        items = reply.get(field)
        for item in items if isinstance(items, list) else []:
            text = item.get("text") if isinstance(item, dict) else item
            done = isinstance(item, dict) and item.get("status") == StepStatus.DONE
            if isinstance(text, str) and text.strip():
                yield field, text, (StepStatus.DONE if done else StepStatus.PENDING) if field == "next_steps" else None


def _source_of(text: str, sources: Sequence[Source]) -> Source | None:
    plain, same = folded(text), same_values(text)
    if len(plain) < _SHORTEST:
        return None
    for source in sources:
        if plain in source.plain or same in source.same or (len(source.plain) >= _SHORTEST and source.plain == plain):
            return source
    return None


def _statement(field: Field, status: StepStatus | None, source: Source) -> Statement:
    spoken = isinstance(source.message, HumanMessage)
    told, rule = kind(source.sentence.text, source.message, source.group)
    if field == "next_steps" and (rule is StepStatus.DONE or heard("done", source.sentence.text)):
        status = StepStatus.DONE
    elif told == "next_steps":
        field, status = told, rule
    item = Item(
        text=source.sentence.text[:1000],
        sources=(source.entry.message,),
        status=status,
        reference=reference_id(source.entry.turn, source.entry.sequence),
    )
    return Statement(field, item, item_needs(item) if spoken else (), 55 if spoken else 45)


def sources_of(groups: Sequence[Group], archive: Originals) -> Iterable[Source]:
    """Give the sentences of what was said in these turns, oldest first."""
    for group in groups:
        for message, entry in zip(group.messages, group.entries, strict=True):
            original = original_of(message, entry, archive)
            if original is None or isinstance(message, ToolMessage):
                continue
            for sentence in sentences(plain_text(original)):
                yield Source(sentence, message, entry, group, folded(sentence.text), same_values(sentence.text))
