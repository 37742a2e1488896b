"""The longest part of a text that keeps a token limit, cut between characters and never inside a control token."""

from __future__ import annotations

import re
from collections.abc import Callable


def clip(text: str, limit: int, count: Callable[[str], int], *, whole: re.Pattern[str], tail: bool = False) -> str:
    """The head (or tail) of `text` that counts at most `limit`; one step longer would count more.

    `whole` finds what must not be cut in two. Counts are asked for about as much text as is kept, not for all of it.
    """
    if limit <= 0:
        return ""

    def part(length: int) -> str:
        return text[len(text) - length :] if tail else text[:length]

    def fits(length: int) -> bool:
        return count(part(length)) <= limit

    stops = _stops(text, whole, tail=tail)
    inside = 0
    beyond = min(limit, len(text))
    while beyond < len(text) and fits(stops(beyond)):
        inside, beyond = beyond, min(beyond * 2, len(text))
    if beyond == len(text) and fits(beyond):
        return text
    while beyond - inside > 1:
        middle = (inside + beyond) // 2
        inside, beyond = (middle, beyond) if fits(stops(middle)) else (inside, middle)
    # A longer text may count less than a shorter one (a merge ends in it), so the bisection's answer is made sure of.
    while inside and not fits(stops(inside)):
        inside -= 1
    return part(stops(inside))


def _stops(text: str, whole: re.Pattern[str], *, tail: bool) -> Callable[[int], int]:
    """Gives, for a length wished for, the greatest length up to it that cuts no match of `whole`."""
    spans = [found.span() for found in whole.finditer(text)]
    if tail:
        spans = [(len(text) - end, len(text) - start) for start, end in spans]

    def stop(length: int) -> int:
        return next((start for start, end in spans if start < length < end), length)

    return stop
