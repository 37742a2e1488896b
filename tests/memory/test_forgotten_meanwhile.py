"""What is forgotten while a search makes its vector is not found by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding

from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.state import MemoryKind, MemoryRecord


class Interrupted(DeterministicFakeEmbedding):
    """An embedder during whose work something else happens, once."""

    meanwhile: list[Callable[[], object]]

    def embed_query(self, text: str) -> list[float]:
        while self.meanwhile:
            self.meanwhile.pop()()
        return super().embed_query(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        while self.meanwhile:
            self.meanwhile.pop()()
        return super().embed_documents(texts)


@pytest.mark.parametrize("batch", [False, True], ids=["search", "nearest"])
def test_a_memory_that_is_deleted_while_the_vector_is_made_is_not_given(tmp_path: Path, *, batch: bool) -> None:
    def found(query: str) -> list[str]:
        given = memory.nearest("ann", [query], limit=3)[0] if batch else memory.search("ann", query, limit=3)
        return [record.id for record, _ in given]

    embedder = Interrupted(size=8, meanwhile=[])
    memory = ChromaMemory(tmp_path, embedder, "test:a", min_score=-1)
    at = "2026-03-01T10:00:00+08:00"
    texts = {"a": "the secret clinic", "b": "the blue door"}
    memory.write(
        [
            MemoryRecord(id=id_, user="ann", text=text, kind=MemoryKind.FACT, created=at, turn="t1", thread="t")
            for id_, text in texts.items()
        ]
    )
    assert sorted(found("clinic")) == ["a", "b"]
    other = ChromaMemory(tmp_path, DeterministicFakeEmbedding(size=8), "test:a", min_score=-1)
    embedder.meanwhile.append(lambda: other.delete("ann", ["a"]))
    assert found("the clinic") == ["b"]
    assert embedder.meanwhile == []
