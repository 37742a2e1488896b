"""BM25 over texts that are added one by one.

The libraries that score by BM25 build their index once and for all; a conversation grows by a text at a time. The index
lives in the process and is made from what is stored: it takes no bytes on a disk, so nothing has to be found there when
a person asks to be forgotten, and an encrypted archive has no plain twin.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .terms import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
else:
    Floats = Any

SATURATION = 0.9
LENGTH = 0.6
"""BM25's k1 and b: between the two usual pairs, .9 and .4 of Anserini and 1.2 and .75 of Lucene.

On the five public sets of `bench/recall.py`, k1 of .9 to 1.5 at this b, and b of .5 to .75 at k1 1.2, differ in R@5 by
no more than .02.
"""
PIECE = 600
"""Characters of a piece. A long text is found by its best piece, because its length says nothing about its parts."""
NEIGHBOUR = 0.5
SECOND_NEIGHBOUR = 0.25
EPISODE = 0.2
"""What the better neighbour, the better one behind it, and the whole episode's words add to a text's own score.

Who asks rarely repeats the words of the answer, but often those around it. The first is the half of the best simple
recipe known; the others go on in its halves, and .1 to .3 for the episode differ by less than .01.
"""
ANSWERED = 0.75
"""What a question adds to the text behind it, in place of the half: the one answers in the other's words.

On the sets of `bench/recall.py` R@5 at .75 and at 1 differs by less than .02: more helps LoCoMo and harms BEAM.
"""
_ASKS = re.compile(r"[?？][\s\"'”’)）*]*$")


class LexicalIndex:
    """Texts, each scored for a question between 0 (no word shared) and about 1 (all of them, in a short text)."""

    def __init__(self) -> None:
        self._postings: defaultdict[str, array[int]] = defaultdict(lambda: array("i"))
        """Of each term: the piece of every place where it stands, in order."""
        self._lengths: array[float] = array("f")
        """Of each piece, in terms."""
        self._starts: array[int] = array("i")
        """Of each text: its first piece."""
        self._episodes: array[int] = array("i")
        self._asking: array[int] = array("b")
        """Of each text: whether it ends by asking something."""
        self._total = 0

    def __len__(self) -> int:
        return len(self._starts)

    def add(self, text: str, *, episode: int = 0) -> int:
        """Take one more text and give its number, counted from 0.

        Args:
            text: what is found.
            episode: of the conversation it belongs to; equal numbers must follow each other.
        """
        self._starts.append(len(self._lengths))
        self._episodes.append(episode)
        self._asking.append(_ASKS.search(text, max(0, len(text) - 8)) is not None)
        for piece in pieces(text):
            found = terms(piece)
            number = len(self._lengths)
            self._lengths.append(len(found))
            self._total += len(found)
            for term in found:
                self._postings[term].append(number)
        return len(self._starts) - 1

    def scores(self, question: str) -> Floats:
        """Give each text's own score for a question."""
        import numpy as np

        own, whole = np.zeros(len(self._lengths)), 0.0
        for found, part, weight in self._parts(question):
            own[found] += part
            whole += weight
        return self._of_texts(own) / (whole or 1.0)

    def in_context(self, question: str) -> Floats:
        """Give each text's score with what its neighbours and its episode add."""
        import numpy as np

        if not len(self):
            return np.zeros(0)
        episodes = np.asarray(self._episodes)
        of_piece = episodes[np.repeat(np.arange(len(self)), self._pieces_each())]
        own, around, whole = np.zeros(len(self._lengths)), np.zeros(int(episodes.max()) + 1), 0.0
        for found, part, weight in self._parts(question):
            own[found] += part
            best = np.zeros(len(around))
            np.maximum.at(best, of_piece[found], part)
            around += best
            whole += weight
        texts = self._of_texts(own)
        beside = NEIGHBOUR * _better_neighbour(texts, episodes, 1)
        # A long reply that ends in a question asks it with its last piece.
        asked = np.where(np.asarray(self._asking), own[np.append(np.asarray(self._starts)[1:], len(own)) - 1], 0.0)
        answers = np.where(episodes[1:] == episodes[:-1], ANSWERED * asked[:-1], 0.0)
        np.maximum(beside[1:], answers, out=beside[1:])
        score = texts + beside
        score += SECOND_NEIGHBOUR * _better_neighbour(texts, episodes, 2)
        score += EPISODE * around[episodes]
        return score / (whole or 1.0)

    def _parts(self, question: str) -> Iterator[tuple[NDArray[np.int32], Floats, float]]:
        """For each term of the question: the pieces that hold it, its part of their scores, and what it weighs."""
        import numpy as np

        total = len(self._lengths)
        average = self._total / total if self._total else 1.0
        for term, times in Counter(terms(question)).items():
            places = np.array(self._postings.get(term, ()), np.int32)
            found, count = np.unique(places, return_counts=True)
            rarity = math.log(1 + (total - len(found) + 0.5) / (len(found) + 0.5)) * times
            length = np.asarray(self._lengths)[found]
            short = 1 - LENGTH + LENGTH * length / average
            yield found, rarity * count * (SATURATION + 1) / (count + SATURATION * short), rarity

    def _of_texts(self, own: Floats) -> Floats:
        """Each text's best piece."""
        import numpy as np

        return np.maximum.reduceat(own, np.asarray(self._starts)) if len(own) else own

    def _pieces_each(self) -> NDArray[np.int64]:
        import numpy as np

        return np.diff(np.append(np.asarray(self._starts), len(self._lengths)))


def pieces(text: str) -> list[str]:
    """Give a text in one or more pieces of about `PIECE` characters, cut at blanks and sentence ends where it can."""
    if len(text) <= PIECE * 3 // 2:
        return [text]
    found: list[str] = []
    start = 0
    while len(text) - start > PIECE * 3 // 2:
        end = max((text.rfind(mark, start + PIECE // 2, start + PIECE) for mark in "\n。！？.!? "), default=-1)
        end = end + 1 if end > 0 else start + PIECE
        found.append(text[start:end])
        start = end
    return [*found, text[start:]]


def _better_neighbour(scores: Floats, episodes: NDArray[np.int32], distance: int) -> Floats:
    """The better of the scores before and behind each text, within its episode."""
    import numpy as np

    better = np.zeros(len(scores))
    if len(scores) <= distance:
        return better
    together = episodes[:-distance] == episodes[distance:]
    better[:-distance] = np.where(together, scores[distance:], 0.0)
    np.maximum(better[distance:], np.where(together, scores[:-distance], 0.0), out=better[distance:])
    return better
