"""What a compaction strategy is, and what it asks of the outside world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_core.messages import BaseMessage

from ninefold.state import AgentSettings, Entry, Proposal
from ninefold.state.turn_state import TurnState


class Counter(Protocol):
    """The part of a token counter that compaction needs."""

    def text(self, text: str) -> int:
        """Give the tokens of a bare text."""
        ...

    def message(self, message: BaseMessage) -> int:
        """Give what a message adds to a rendered prompt."""
        ...

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]] = ()) -> int:
        """Give the tokens of a whole rendered prompt."""
        ...

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        """Give the longest head, or tail, of at most `limit` tokens."""
        ...


class Originals(Protocol):
    """The part of an archive that compaction and its proof need."""

    def original(self, entry: Entry) -> BaseMessage | None:
        """Give the original of a window message, or None when it was forgotten on request."""
        ...

    def cached(self, key: str) -> str | None:
        """Give a prepared text by its content address, or None."""
        ...

    def cache(self, key: str, text: str) -> None:
        """Keep a prepared text under its content address."""
        ...


class Model(Protocol):
    """The model behind the internal calls."""

    @property
    def shares_prefix(self) -> bool:
        """True when a call must be a tail of the chat's last prompt."""
        ...

    @property
    def num_ctx(self) -> int:
        """The tokens of one call, prompt and reply together."""
        ...

    def complete(
        self,
        prompt: Sequence[BaseMessage],
        *,
        purpose: str,
        num_predict: int,
        schema: Mapping[str, Any] | None = None,
    ) -> str:
        """Give the text of an internal completion."""
        ...


@dataclass(frozen=True)
class Completion:
    """The model behind an internal call, with what a call must begin with."""

    model: Model
    prefix: tuple[BaseMessage, ...] = ()
    """The chat's prompt, where the model shares its server: every call is a tail of it."""
    tools: tuple[Mapping[str, Any], ...] = ()
    """The chat's tools, which the server renders into such a call too."""

    @property
    def shares_prefix(self) -> bool:
        """Whether a call must begin with the prefix."""
        return bool(self.prefix)

    @property
    def num_ctx(self) -> int:
        """The tokens of one call, prompt and reply together."""
        return self.model.num_ctx

    def complete(
        self, prompt: Sequence[BaseMessage], *, purpose: str, num_predict: int, schema: Mapping[str, Any] | None = None
    ) -> str:
        """Give the text of an internal completion.

        Raises:
            ModelUnavailable: the model gave nothing to work with.
        """
        return self.model.complete(prompt, purpose=purpose, num_predict=num_predict, schema=schema)


class Strategy(Protocol):
    """One way of making room; it proposes and changes nothing.

    Laws: it touches only what `window.movable` gives, frees more than it adds, and proposes nothing (None) where it
    has nothing to do, so that compacting unchanged text again is a no-op.
    """

    @property
    def name(self) -> str:
        """The name in proposals and traces."""
        ...

    def propose(
        self,
        state: TurnState,
        *,
        tokens: Counter,
        archive: Originals,
        assistant: Completion | None,
        settings: AgentSettings,
    ) -> Proposal | None:
        """Give the change it would make to a window that is over its marks, or None.

        `apply.over(state, state.proposals)` is the window as the milder strategies of this descent leave it; a proposal
        builds on that.
        """
        ...
