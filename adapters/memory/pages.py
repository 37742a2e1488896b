"""Rows of a collection page by page: the database takes only so many of them by name at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

PAGE = 10_000
"""Rows that are asked for at a time: SQLite takes at most 32,766 of them by name."""


def pages(
    get: Callable[..., Any], wanted: dict[str, Any] | None = None, ids: list[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Give pages of rows, as `get` of a collection gives them.

    Args:
        get: the collection's own.
        wanted: the filter, if there is one.
        ids: those of the rows; None takes all that the filter lets through.
    """
    if ids is not None:
        for start in range(0, len(ids), PAGE):
            yield get(ids=ids[start : start + PAGE], where=wanted)
        return
    for start in count(0, PAGE):
        page = get(where=wanted, limit=PAGE, offset=start)
        yield page
        if len(page["ids"]) < PAGE:
            return
