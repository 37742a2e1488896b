"""What may not be lost when messages leave the window: the exact values and negations of what people said.

Of results and replies it is what a later turn used; the rest of them is reachable by reference. Wishes are left to the
constraint layer: it holds those in force word for word, and one that was withdrawn or replaced is to be gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from ninefold.state import Missing
from ninefold.state.turn_state import TurnState

from ..constraints import extract
from ..negation import is_negated, negations
from ..text import Span, plain_text, trimmed
from ..values import ExactValue, exact_values
from .cues import heard
from .held import Held, folded
from .kept import Kept

LONG_NEGATION = 240
"""Characters beyond which a clause without a mark is no clause but a paste."""
_SMALL_NUMBER = 3
"""A number of fewer digits in a result is no trace that a later turn used it: it stands everywhere."""


class Need(NamedTuple):
    """One span that must still be there, and where it was said."""

    kind: str
    text: str
    value: ExactValue | None
    """None for a negation, which is kept as its words."""
    source: str
    place: tuple[int, int]
    spoken: bool
    """Whether a person said it."""

    @property
    def missing(self) -> Missing:
        """Give it as a proof names it."""
        return Missing(kind=self.kind, span=self.text[:400], source=self.source)


def needs(message: BaseMessage, original: BaseMessage, turn: str = "", later: Later | None = None) -> tuple[Need, ...]:
    """Give what a leaving message's original says that must stay.

    Args:
        message: the message in the window; its id is the source.
        original: what was said, where the window holds less than all of it.
        turn: the turn that it belongs to.
        later: what later turns said and called, for messages that no person wrote.
    """
    source = message.id or ""
    text = plain_text(original)
    if isinstance(message, HumanMessage):
        wishes = [(wish.start, wish.end) for wish in extract(text).wishes]
        said = (*_negations(text, source), *_values(text, source, spoken=True))
        return tuple(need for need in said if not any(_overlap(need.place, wish) for wish in wishes))
    if later is None:
        return ()
    return tuple(
        need
        for need in _values(text, source, spoken=False)
        if _telling(need) and need.value and later.uses(need.value, turn)
    )


def lost(needed: Iterable[Need], kept: Kept) -> tuple[Need, ...]:
    """Give the needs that are not held; what a person said, a reply's echo does not hold."""
    return tuple(
        need
        for need in needed
        if not (_holds(kept.lasting, need) or (not need.spoken and _holds(kept.by_replies, need)))
    )


def _holds(held: Held, need: Need) -> bool:
    return held.value(need.value) if need.value else held.words(need.text)


class Later:
    """What was said and called after each turn, results aside.

    Args:
        messages: the window.
        turns: the turn of each message.
    """

    def __init__(self, messages: Sequence[BaseMessage], turns: Sequence[str]) -> None:
        self._ends = {turn: place for place, turn in enumerate(turns)}
        self._last: dict[str, int] = {}
        for place, message in enumerate(messages):
            for value in exact_values(_said(message)):
                self._last[value.canonical] = place
                if value.kind == "number":
                    self._last[value.canonical.partition(" ")[0]] = place

    def uses(self, value: ExactValue, turn: str) -> bool:
        """Whether a turn after this one says or calls a value, in whichever way it is written."""
        return self._last.get(value.canonical, -1) > self._ends.get(turn, len(self._ends))


def later_in(state: TurnState) -> Later:
    """Give what was said and called after each turn of a window; the present task comes after all of them."""
    turn_of = {entry.message: entry.turn for entry in state.entries}
    messages: list[BaseMessage] = [*state.messages]
    turns = [turn_of.get(message.id or "", "") for message in messages]
    if state.task is not None:
        messages.append(HumanMessage(state.task.words))
        turns.append("")
    return Later(messages, turns)


def _said(message: BaseMessage) -> str:
    if isinstance(message, AIMessage):
        arguments = " ; ".join(str(value) for call in message.tool_calls for value in call["args"].values())
        return f"{plain_text(message)} ; {arguments}" if arguments else plain_text(message)
    return plain_text(message) if isinstance(message, HumanMessage) else ""


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _negations(text: str, source: str) -> tuple[Need, ...]:
    return tuple(
        Need("negation", span.text, None, source, (span.start, span.end), spoken=True)
        for clause in negations(text)
        for span in ([clause] if len(clause.text) <= LONG_NEGATION else _negated_parts(text, clause))
        if folded(span.text) and not heard("small_talk", span.text) and not heard("this_turn", span.text)
    )


def _negated_parts(text: str, clause: Span) -> Iterable[Span]:
    """Give the parts of an endless clause that say no; nobody wrote its rest as one thought."""
    start = clause.start
    while start < clause.end:
        end = min(clause.end, start + LONG_NEGATION)
        joint = text.rfind(" ", start + LONG_NEGATION // 2, end)
        end = joint if end < clause.end and joint > start else end
        part = trimmed(text, start, end)
        if part.text and is_negated(part.text):
            yield part
        start = end


def _values(text: str, source: str, *, spoken: bool) -> tuple[Need, ...]:
    return tuple(
        Need(value.kind, value.text, value, source, (value.start, value.end), spoken=spoken)
        for value in exact_values(text)
    )


def _telling(need: Need) -> bool:
    if need.value is None or need.kind == "quotation":
        return False
    digits = sum(char.isdigit() for char in need.value.canonical)
    return need.kind != "number" or digits >= _SMALL_NUMBER or "." in need.value.canonical
