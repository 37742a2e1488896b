"""A deterministic embedding of characters and words: texts that share them are near, others far."""

from __future__ import annotations

import hashlib
import itertools
import math
import re

DIMENSIONS = 256
_PIECES = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


def embedding(text: str) -> list[float]:
    """Give a unit vector; equal texts give equal vectors in every process."""
    pieces = _PIECES.findall(text.lower())
    pairs = [first + second for first, second in itertools.pairwise(pieces)]
    vector = [0.0] * DIMENSIONS
    for piece in [*pieces, *pairs] or [text]:
        digest = hashlib.sha256(piece.encode("utf-8", "replace")).digest()
        vector[digest[0]] += 1.0 if digest[1] & 1 else -1.0
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]
