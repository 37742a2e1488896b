"""A part of many values that fits a trace: the state is written with every step, so what it tells is bounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ninefold.state.base import Value

V = TypeVar("V", bound=Value)


def within(values: Sequence[V], limit: int) -> tuple[V, ...]:
    """Give the first values that take at most `limit` bytes as JSON together, and always the first one."""
    kept: list[V] = []
    size = 0
    for value in values:
        size += len(value.model_dump_json().encode("utf-8", "surrogatepass"))
        if kept and size > limit:
            break
        kept.append(value)
    return tuple(kept)
