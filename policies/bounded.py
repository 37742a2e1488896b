"""What the state tells of a turn is bounded: it is written with every step.

A view, the recall's candidates and the trace take at most TOLD_BYTES as JSON together, the rules' own words aside: at
the default settings, whatever is said and called in a turn.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeVar

from ninefold.state import TRACE_BYTES, Fate, LayerName, Recalled, View
from ninefold.state.base import Value, size

TOLD_BYTES = 16 * 1024
_RULES = (LayerName.CONSTRAINTS, LayerName.TURN_CONSTRAINTS)

V = TypeVar("V", bound=Value)


def within(values: Sequence[V], limit: int) -> tuple[V, ...]:
    """Give the first values that take at most `limit` bytes as JSON together, and always the first one."""
    kept: list[V] = []
    taken = 0
    for value in values:
        taken += size(value)
        if kept and taken > limit:
            break
        kept.append(value)
    return tuple(kept)


def beside(view: View, recalled: Sequence[Recalled]) -> tuple[Recalled, ...]:
    """Give the candidates that have room beside a view: those in the prompt, and the best of the others."""
    room = TOLD_BYTES - TRACE_BYTES - size(view) + rules_size(view)
    room -= sum(size(each) for each in recalled if each.fate is Fate.RECALLED)
    kept: list[Recalled] = []
    for each in recalled:
        if each.fate is not Fate.RECALLED:
            room -= size(each)
            if room < 0:
                continue
        kept.append(each)
    return tuple(kept)


def rules_size(view: View) -> int:
    """Give the bytes of the rules that a view holds: their words are bounded by what the layer takes."""
    layers = [layer.text for layer in view.layers if layer.name in _RULES]
    texts = [*layers, *(piece.rules for layer in view.layers for piece in layer.pieces)]
    return sum(len(json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")) for text in texts if text)
