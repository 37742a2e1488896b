"""A text too long for the window as what of it is sent: both its ends, and what is asked between them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

from ninefold.state import Clip

from .cues import cues
from .text import Span, only_asks, sentences

READ = 200_000
"""Characters of a text in which asks are looked for; what lies behind stands behind the reference."""
LONGEST = 240
"""Characters of one ask; a longer sentence is read from where it asks."""
MOST = 8
"""Asks that are kept between the ends."""


class Clipper(Protocol):
    """The part of a token counter that clipping needs."""

    def text(self, text: str) -> int:
        """Give the tokens of a bare text."""
        ...

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        """Give the longest head, or tail, of at most `limit` tokens."""
        ...


def clipped(text: str, limit: int, reference: str, tokens: Clipper) -> Clip:
    """Give the clip of about `limit` tokens: a quarter at most for asks between the ends, the rest 2:1 for the ends."""
    kept, cost = _between_ends(text, limit, tokens)
    room = limit - cost
    head = len(tokens.clip(text, room * 2 // 3))
    tail = min(len(tokens.clip(text, room // 3, tail=True)), len(text) - head)
    return Clip(
        head=head,
        tail=tail,
        reference=reference,
        kept=tuple((start, end) for start, end in kept if start >= head and end <= len(text) - tail),
    )


def extent(clip: Clip) -> int:
    """Give how many characters of the text a clip sends."""
    return clip.head + clip.tail + sum(end - start for start, end in clip.kept)


def _between_ends(text: str, limit: int, tokens: Clipper) -> tuple[list[tuple[int, int]], int]:
    """Give the asks that will not stand in the ends anyway, the plainest and newest first served, and their tokens."""
    head = len(tokens.clip(text, limit // 2))
    tail = len(text) - len(tokens.clip(text, limit // 4, tail=True))
    kept: list[tuple[int, int]] = []
    cost = 0
    for ask in asks(text):
        size = tokens.text(ask.text) + 3
        if ask.end > tail or ask.start < head or cost + size > limit // 4:
            continue
        kept.append((ask.start, ask.end))
        cost += size
        if len(kept) == MOST:
            break
    return sorted(kept), cost


@lru_cache(maxsize=128)
def asks(text: str) -> tuple[Span, ...]:
    """Give what a text asks: requests that end as questions, then requests, then questions, of each the last first."""
    found = sorted(_asking(text[:READ]), key=lambda ranked: (ranked[0], ranked[1].start), reverse=True)
    return tuple(span for _, span in found)


def _asking(text: str) -> Iterator[tuple[int, Span]]:
    request, question = cues("intent")["request"], cues("intent")["question"]
    for sentence in sentences(text):
        wants = request.search(sentence.text[-LONGEST:])
        marked = only_asks(sentence.text)
        if not wants and not marked and not question.search(sentence.text[-LONGEST:]):
            continue
        start = max(0, len(sentence.text) - LONGEST) + (wants.start() if wants else 0)
        said = sentence.text[start:] if len(sentence.text) > LONGEST else sentence.text
        span = Span(said, sentence.end - len(said), sentence.end)
        yield (2 if wants else 0) + marked, span
