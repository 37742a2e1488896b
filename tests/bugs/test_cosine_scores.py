"""A memory's score is the cosine, through Chroma and the whole graph, and the cut at 0.45 means that (BUG-35)."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from langchain_core.embeddings import Embeddings

from ninefold.state import Fate, Language
from tests.bugs.wire_laws import agent_with, state_of, texts
from tests.turn.agents import Agent

NOTES = {
    Language.CHINESE: ("请记住：我们项目的端口是 18443。", "那个项目的端口是多少？"),
    Language.ENGLISH: ("Remember: our project's port is 18443.", "Where do we listen, as I told you earlier?"),
}


class Angles(Embeddings):
    """Turns a text to the angle that it was given, all others to one square on them; no vector is of length one."""

    def __init__(self, cosines: dict[str, float]) -> None:
        self._cosines = cosines

    def embed_query(self, text: str) -> list[float]:
        found = next((cosine for words, cosine in self._cosines.items() if words in text), None)
        if found is None:
            return [0.0, 0.0, 7.0]
        length = 3.0 + len(text) % 5
        return [length * found, length * math.sqrt(max(0.0, 1 - found * found)), 0.0]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


def score(a: Agent, language: Language) -> tuple[float, Fate]:
    note, question = NOTES[language]
    a.say(note)
    a.say(question, thread="t2")
    (found,) = state_of(a, "t2").recalled
    assert found.score is not None
    return found.score, found.fate


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(
    ("cosine", "fate"),
    [(1.0, Fate.RECALLED), (0.46, Fate.RECALLED), (0.44, Fate.BELOW_THRESHOLD), (0.0, Fate.BELOW_THRESHOLD)],
)
def test_the_cut_is_a_cosine(tmp_path: Path, language: Language, cosine: float, fate: Fate) -> None:
    note, question = NOTES[language]
    embeddings = Angles({question: 1.0, note.rstrip("。."): cosine})
    with agent_with(tmp_path, embeddings=embeddings, memory_search_min_score=0.45) as a:
        found, told = score(a, language)
        assert found == pytest.approx(cosine, abs=0.01)
        assert told is fate
        assert (note.rstrip("。.") in texts(a.wire.chats[-1])[-1]) is (fate is Fate.RECALLED)


def test_memories_kept_by_distance_are_never_recalled_and_the_turn_says_so(tmp_path: Path) -> None:
    note, question = NOTES[Language.CHINESE]
    with agent_with(tmp_path, embeddings=Angles({question: 1.0, note.rstrip("。"): 0.9})) as a:
        a.say(note)
    import chromadb

    (place,) = {path.parent for path in tmp_path.rglob("chroma.sqlite3")}
    client = chromadb.PersistentClient(path=str(place))
    (collection,) = [each for each in client.list_collections() if each.count()]
    name, metadata = collection.name, dict(collection.metadata or {})
    client.delete_collection(name)
    client.create_collection(name, metadata=metadata, configuration={"hnsw": {"space": "l2"}})
    del client
    with agent_with(tmp_path, embeddings=Angles({question: 1.0, note.rstrip("。"): 0.9})) as a:
        assert a.say(question, thread="t2") == "OK."
        outcome = state_of(a, "t2").outcome
        assert outcome is not None
        assert "'l2', not cosine" in "".join(outcome.notes)
        assert note.rstrip("。") not in texts(a.wire.chats[-1])[-1]
