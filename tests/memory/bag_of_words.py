"""An embedder for tests: texts are near when they share words or Chinese letters; it counts what it is asked."""

import math
import re
import zlib
from collections import Counter

from langchain_core.embeddings import Embeddings

_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]", re.IGNORECASE)


class BagOfWords(Embeddings):
    def __init__(self, dimension: int = 256, *, scale: float = 1.0) -> None:
        self.dimension = dimension
        self.scale = scale
        self.embedded: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.embedded += texts
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.embedded.append(text)
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dimension
        for word, count in Counter(_WORD.findall(text.lower())).items():
            vector[zlib.crc32(word.encode()) % self.dimension] += self.scale * math.sqrt(count)
        return vector
