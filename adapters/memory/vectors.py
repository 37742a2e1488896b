"""Vectors that can be trusted: counted, finite, of one dimension, and never made twice for a text that is stored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from langchain_core.embeddings import Embeddings

from ninefold.state import EmbedderMismatch, MemoryStoreError, NinefoldError

DEFAULT_MIN_SCORE = 0.45
"""S0's threshold on cosine, measured with bge-m3; an embedder that knows its own says so in `min_score`."""

LONGEST_TEXT = 4000
"""Characters that are embedded at most; a longer query is read by its head."""

_SURROGATES = dict.fromkeys(range(55296, 57344), "�")
_UNREADABLE = {0: "\ufffd", **_SURROGATES}


def clean(text: str) -> str:
    """Give a text that every embedder and database takes: bounded, without NUL and lone surrogates."""
    return text[:LONGEST_TEXT].translate(_UNREADABLE)


class CheckedEmbeddings(Embeddings):
    """An embedding model whose vectors are checked where they are made.

    Args:
        inner: the embedding model.
        stamp: its name, "provider:model"; what it embeds is comparable with nothing else.
    """

    def __init__(self, inner: Embeddings, stamp: str) -> None:
        self.stamp = stamp
        self.min_score = float(getattr(inner, "min_score", DEFAULT_MIN_SCORE))
        self.dimension: int | None = None
        """Of the store's vectors, or of the first vector that was made."""
        self._inner = inner
        self._known: dict[str, Sequence[float]] = {}

    @contextmanager
    def reusing(self, known: Mapping[str, Sequence[float]]) -> Iterator[None]:
        """Within it, these texts are not embedded again."""
        self._known = dict(known)
        try:
            yield
        finally:
            self._known = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Give one vector for each text.

        Raises:
            MemoryStoreError: the embedder failed or gave vectors that cannot be compared.
            EmbedderMismatch: the vectors have another dimension than those of the store.
        """
        known = self._known  # another thread may put in another dictionary meanwhile
        wanted = list(dict.fromkeys(text for text in texts if text not in known))
        made = dict(zip(wanted, self._made(wanted), strict=True))
        return [list(made.get(text) or known[text]) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Give the vector of a question, under the same checks as `embed_documents`."""
        try:
            vector = self._inner.embed_query(clean(text))
        except Exception as error:
            raise self._failed(error) from error
        return self._checked([vector], 1)[0]

    def _made(self, texts: Sequence[str]) -> list[list[float]]:
        if not texts:
            return []
        try:
            vectors = self._inner.embed_documents([clean(text) for text in texts])
        except Exception as error:
            raise self._failed(error) from error
        return self._checked(vectors, len(texts))

    def _checked(self, vectors: Sequence[Sequence[float]], expected: int) -> list[list[float]]:
        if len(vectors) != expected:
            raise MemoryStoreError(
                f"The embedding model {self.stamp} gave {len(vectors)} vectors for {expected} texts.",
                "Nothing was stored; check the embedding server.",
            )
        checked = [[float(number) for number in vector] for vector in vectors]
        for vector in checked:
            if not vector or not all(map(math.isfinite, vector)):
                raise MemoryStoreError(
                    f"The embedding model {self.stamp} gave an empty vector or one with NaN or infinity.",
                    "Nothing was stored; check the embedding server.",
                )
            self.check_dimension(len(vector))
        return checked

    def check_dimension(self, dimension: int) -> None:
        """Take the first dimension seen as the store's.

        Raises:
            EmbedderMismatch: it is another one than the store's.
        """
        if self.dimension is None:
            self.dimension = dimension
        if dimension != self.dimension:
            raise EmbedderMismatch(
                f"The memories have vectors of {self.dimension} numbers, {self.stamp} gives {dimension}.",
                "Set the embedding model that wrote them, or run `ninefold memory reembed`.",
            )

    def _failed(self, error: Exception) -> MemoryStoreError:
        if isinstance(error, NinefoldError):
            return MemoryStoreError(error.cause, error.next_step)
        return MemoryStoreError(
            f"The embedding model {self.stamp} failed: {type(error).__name__}: {error}.",
            "Check that its server is up and the model is pulled; nothing is lost, the next turn tries again.",
        )
