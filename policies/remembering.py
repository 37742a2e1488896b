"""What a pure function gave for a text, remembered: a window's texts stay the same from turn to turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")

KEPT = 2048
"""Texts of which one function remembers the result."""
LONGEST = 8192
"""Characters of a text that is remembered; a longer one is rare, and would take the room of many."""


def remembered(function: Callable[[str], T]) -> Callable[[str], T]:
    """Give the function with a memory. It must depend on nothing but its text, and give nothing that can be changed."""
    known = lru_cache(maxsize=KEPT)(function)

    @wraps(function)
    def call(text: str) -> T:
        return known(text) if len(text) <= LONGEST else function(text)

    return call
