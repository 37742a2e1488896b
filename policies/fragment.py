"""The part of a text that answers a question."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from .text import sentences

TEXT = 400
"""Characters of a recalled memory at most; of a longer one the part that answers the question is taken."""

_RUN = re.compile(r"[a-z0-9]+|[\u2e80-\u9fff\uf900-\ufaff]+")


def shared(text: str, query: str) -> float:
    """Give the share of the query's words, Chinese letters in pairs, that a text holds."""
    asked = _words(query)
    return len(asked & _words(text)) / len(asked) if asked else 0.0


def fragment(text: str, query: str, limit: int = TEXT) -> str:
    """Give the part of a long memory that shares most with the query; a short one whole."""
    if len(text) <= limit:
        return text
    best = max(sentences(text), key=lambda span: (shared(span.text, query), -span.start))
    start = min(best.start, len(text) - limit)
    if best.end - best.start < limit:
        start = max(0, best.end - limit, min(start, best.start))
    return ("…" if start else "") + text[start : start + limit - 2] + "…"


@lru_cache(maxsize=2048)
def _words(text: str) -> frozenset[str]:
    found = set()
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if run[0] < "\u2e80":
            found.add(run)
        else:
            found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    return frozenset(found)
