"""What an explanation is drawn from, and how words are recognised in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from langchain_core.messages import BaseMessage, HumanMessage

from ninefold.state import MemoryRecord
from ninefold.state.turn_state import TurnState

from ..fragment import shared
from ..memory_ids import folded
from ..text import Span, sentences

ALIKE = 0.6
"""Share of the asked words, Chinese letters in pairs, that a sentence holds which says the same in other words."""
SHOWN = 200
"""Characters of a sentence that a finding shows."""


@dataclass(frozen=True)
class Spoken:
    """A message of the thread, with the turn in which it was said."""

    number: int
    turn: str
    message: BaseMessage

    @property
    def by_person(self) -> bool:
        """True when the person said it."""
        return isinstance(self.message, HumanMessage)


@dataclass(frozen=True)
class Evidence:
    """Everything that is kept of a thread, up to the turn that is asked about."""

    moments: Sequence[TurnState]
    """The state at the end of each kept turn of the branch, oldest first; the last is the one asked about."""
    said: Sequence[Spoken]
    """Every message of the branch in its original words, oldest first."""
    memories: Sequence[MemoryRecord]
    """All of the person's records, in any status."""
    minimum: float | None = None
    """The embedder's threshold."""

    @property
    def now(self) -> TurnState:
        """The state that is asked about."""
        return self.moments[-1]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each turn, by its id."""
        return {each.turn: each.number for each in self.said} | {
            m.turn.id: m.turn.number for m in self.moments if m.turn
        }

    @cached_property
    def originals(self) -> dict[str, Spoken]:
        """Every message in its original words, by its id."""
        return {each.message.id: each for each in self.said if each.message.id is not None}


@dataclass(frozen=True)
class Sought:
    """The words that are asked about."""

    words: str
    exact: bool
    """Whether a text must hold the words themselves, or only most of their parts in one sentence."""

    def spot(self, text: str) -> str | None:
        """Give the sentence of a text that holds the words, shortened, or None."""
        found = self.span(text)
        return None if found is None else " ".join(found.text.split())[:SHOWN]

    def span(self, text: str) -> Span | None:
        """Give where a text holds the words, as its sentence, or None."""
        if self.exact:
            if self._folded not in folded(text):
                return None
            return next((s for s in sentences(text) if self._folded in folded(s.text)), Span(text, 0, len(text)))
        best = max(sentences(text), key=lambda s: shared(s.text, self.words), default=None)
        return best if best is not None and shared(best.text, self.words) >= ALIKE else None

    @cached_property
    def _folded(self) -> str:
        return folded(self.words)
