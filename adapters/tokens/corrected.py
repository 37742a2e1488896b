"""Counts raised to what a server reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Protocol

from langchain_core.messages import BaseMessage


class Counter(Protocol):
    """What every counter here offers: the port that the steps ask."""

    @property
    def name(self) -> str:
        """What a trace calls the counter."""
        ...

    @property
    def exact(self) -> bool:
        """Whether its counts equal the server's; else they are never under."""
        ...

    def text(self, text: str) -> int:
        """Tokens of a bare text."""
        ...

    def message(self, message: BaseMessage) -> int:
        """What a message adds to a rendered prompt."""
        ...

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, object]] = ()) -> int:
        """The whole rendered prompt, tools and reply primer included."""
        ...

    def overhead(self, tools: Sequence[Mapping[str, object]] = ()) -> int:
        """What a prompt costs beyond its messages."""
        ...

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        """The longest head (or tail) of `text` of at most `limit` tokens."""
        ...


def corrected(counter: Counter, factor: float) -> Counter:
    """The counter with every count times `factor`, rounded up; a factor of one or less changes nothing.

    A server's report can only raise counts: a smaller one means that the prompt was cut there, and proves nothing.
    """
    return _Corrected(counter, factor) if factor > 1 else counter


class _Corrected:
    exact = False

    def __init__(self, counter: Counter, factor: float) -> None:
        self.name = f"{counter.name} × {factor:.3g}"
        self._counter = counter
        self._factor = factor

    def text(self, text: str) -> int:
        return self._raised(self._counter.text(text))

    def message(self, message: BaseMessage) -> int:
        return self._raised(self._counter.message(message))

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, object]] = ()) -> int:
        return self._raised(self._counter.prompt(messages, tools))

    def overhead(self, tools: Sequence[Mapping[str, object]] = ()) -> int:
        return self._raised(self._counter.overhead(tools))

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        inner = max(0, int(limit / self._factor))
        # The division may round up where the product then rounds over the limit.
        return self._counter.clip(text, inner if self._raised(inner) <= limit else inner - 1, tail=tail)

    def _raised(self, count: int) -> int:
        return ceil(count * self._factor)
