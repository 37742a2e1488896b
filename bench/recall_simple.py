"""The simple recipes that recall is compared with, each as it is usually written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from ninefold.adapters.lexical import terms

from .recall_data import Unit

Scores = Any


class Bm25:
    """Okapi BM25 with k1 1.5 and b .75 over whole turns."""

    def __init__(self, texts: Sequence[str]) -> None:
        counted = [terms(text) for text in texts]
        lengths = np.array([len(words) for words in counted], float)
        average = lengths.mean() or 1.0
        self._size = len(texts)
        self._parts: dict[str, tuple[Any, Any]] = {}
        where: dict[str, dict[int, int]] = {}
        for number, words in enumerate(counted):
            for word in words:
                held = where.setdefault(word, {})
                held[number] = held.get(number, 0) + 1
        for word, held in where.items():
            rarity = np.log(1 + (len(texts) - len(held) + 0.5) / (len(held) + 0.5))
            numbers = np.fromiter(held, int)
            count = np.fromiter(held.values(), float)
            short = 1 - 0.75 + 0.75 * lengths[numbers] / average
            self._parts[word] = numbers, rarity * count * 2.5 / (count + 1.5 * short)

    def scores(self, question: str) -> Scores:
        """Give each turn's score."""
        total = np.zeros(self._size)
        for word in terms(question):
            if word in self._parts:
                numbers, part = self._parts[word]
                total[numbers] += part
        return total


class Simple:
    """One conversation under every simple recipe; without an embedder only those that need none."""

    def __init__(self, units: Sequence[Unit], embeddings: Embeddings | None) -> None:
        self._texts = [unit.text for unit in units]
        self._sessions = [unit.session for unit in units]
        self._words = Bm25(self._texts)
        self._embeddings = embeddings
        self._vectors = np.array(embeddings.embed_documents(self._texts)) if embeddings else None
        self._chroma = self._open_chroma() if embeddings else None

    def rankings(self, question: str) -> dict[str, list[int]]:
        """Give the turns' places under each recipe, best first."""
        words = self._words.scores(question)
        beside = words + 0.5 * self._better_neighbour(words)
        scored = {"BM25": words, "BM25 + ½ better neighbour": beside}
        if self._embeddings is not None and self._vectors is not None:
            near = self._vectors @ np.array(self._embeddings.embed_query(question))
            scored |= {"dense": near, "RRF": 1 / (60 + ranks(words)) + 1 / (60 + ranks(near))}
            scored["z(BM25 + ½ better neighbour) + ½ z(dense)"] = standing(beside) + 0.5 * standing(near)
        found = {name: np.argsort(-scores, kind="stable").tolist() for name, scores in scored.items()}
        if self._chroma is not None:
            documents = self._chroma.similarity_search(question, k=10)
            found["langchain-chroma similarity_search"] = [document.metadata["number"] for document in documents]
        return found

    def _open_chroma(self) -> Any:
        import chromadb
        from langchain_chroma import Chroma

        store = Chroma(client=chromadb.EphemeralClient(), collection_name="recall", embedding_function=self._embeddings)
        store.reset_collection()
        for start in range(0, len(self._texts), 500):
            part = self._texts[start : start + 500]
            store.add_texts(part, [{"number": start + i} for i in range(len(part))])
        return store

    def _better_neighbour(self, scores: Scores) -> Scores:
        better = np.zeros(len(scores))
        for number in range(len(scores)):
            for other in (number - 1, number + 1):
                if 0 <= other < len(scores) and self._sessions[other] == self._sessions[number]:
                    better[number] = max(better[number], scores[other])
        return better


def ranks(scores: Scores) -> Scores:
    """Give each one's place, from 1."""
    places = np.empty(len(scores))
    places[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return places


def standing(scores: Scores) -> Scores:
    """Give how far each stands above the mean, in standard deviations."""
    return (scores - scores.mean()) / (scores.std() or 1.0)
