"""The part of a text that answers a question."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from .text import sentences

TEXT = 400
"""Characters of a recalled memory at most; of a longer one the part that answers the question is taken."""

_EMPTY = re.compile(
    r"(?:an?|and|are|as|at|be|but|by|can|do|does|did|for|from|ha[ds]|have|how|if?|in|is|it|me|my|of|on|one|or|please|so"
    r"|th(?:at|e|em|ere|ey|is)|to|us|was|we|were|wh(?:at|en|ere|ich|o)|will|with|would|your?)"
)
"""Words that every question and every answer holds."""
_VALUE = re.compile(r"\d")
_RUN = re.compile(r"[a-z0-9]+|[\u2e80-\u9fff\uf900-\ufaff]+")


def shared(text: str, query: str) -> float:
    """Give the share of the query's words, Chinese letters in pairs, that a text holds."""
    asked = _words(query)
    return len(asked & _words(text)) / len(asked) if asked else 0.0


def fragment(text: str, query: str, limit: int = TEXT) -> str:
    """Give the part of a long memory that shares most with the query; a short one whole."""
    if len(text) <= limit:
        return text
    spans = sentences(text)
    asked = {word for word in _words(query) if not _EMPTY.fullmatch(word)}
    held = [asked & _words(span.text) for span in spans]
    # A word that stands in every sentence tells none apart, and what is asked for is more often a value than not.
    count = Counter(word for words in held for word in words)
    worth = [
        sum(1 / count[word] for word in words) + bool(_VALUE.search(span.text))
        for span, words in zip(spans, held, strict=True)
    ]
    best = spans[worth.index(max(worth))]
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
