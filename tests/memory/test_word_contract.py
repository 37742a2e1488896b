"""Every memory store finds memories by their words, whoever wrote, superseded or deleted them."""

from typing import Any

import pytest

from ninefold.adapters.memory.in_memory import InMemoryMemory
from ninefold.nodes.ports import MemoryStore
from ninefold.state import MemoryKind, MemoryStatus

from .bag_of_words import BagOfWords
from .stores import PLACES, STAMP, Opener, a_record

PREFERENCES = (MemoryKind.PREFERENCE, MemoryKind.PROFILE)


def test_memories_are_found_by_their_words_without_an_embedding(opened: Opener) -> None:
    embeddings = BagOfWords()
    store = opened(embeddings)
    store.write([a_record("测试环境的端口是 8443"), a_record("the harbour of Lisbon"), a_record("8443", user="ann1")])
    embeddings.embedded.clear()
    assert [record.text for record, _ in store.matching("ann", "端口", limit=5)] == ["测试环境的端口是 8443"]
    assert [record.text for record, _ in store.matching("ann", "HARBOURS", limit=5)] == ["the harbour of Lisbon"]
    assert store.matching("ann", "nothing shared", limit=5) == ()
    assert store.matching("ann", "端口", limit=0) == ()
    assert embeddings.embedded == []


def test_the_words_follow_what_is_written_superseded_and_deleted(store: MemoryStore) -> None:
    old, new = a_record("budget is 3 million"), a_record("budget is 5 million")
    store.write([old])
    assert len(store.matching("ann", "budget", limit=5)) == 1
    store.write([new, old.model_copy(update={"status": MemoryStatus.SUPERSEDED})])
    assert [record.text for record, _ in store.matching("ann", "budget", limit=5)] == [new.text]
    store.delete("ann", [new.id])
    assert store.matching("ann", "budget", limit=5) == ()


def test_what_another_client_wrote_is_found_by_its_words(opened: Opener) -> None:
    one = opened(BagOfWords())
    if isinstance(one, InMemoryMemory):
        pytest.skip("it is nobody else's")
    one.write([a_record("the port is 8443")])
    assert len(one.matching("ann", "port", limit=5)) == 1
    driver: Any = type(one)
    other: MemoryStore = driver(PLACES[id(one)], BagOfWords(), STAMP)
    other.write([a_record("the port of Lisbon")])
    assert len(one.matching("ann", "port", limit=5)) == 2


def test_what_another_client_superseded_is_not_found_by_its_words(opened: Opener) -> None:
    one = opened(BagOfWords())
    if isinstance(one, InMemoryMemory):
        pytest.skip("it is nobody else's")
    old, new = a_record("the port is 8443"), a_record("the port is 9443")
    gone = {"status": MemoryStatus.SUPERSEDED}
    one.write([old, new.model_copy(update=gone)])
    assert [record.text for record, _ in one.matching("ann", "port", limit=5)] == [old.text]
    driver: Any = type(one)
    other: MemoryStore = driver(PLACES[id(one)], BagOfWords(), STAMP)
    other.write([old.model_copy(update=gone), new])
    assert [record.text for record, _ in one.matching("ann", "port", limit=5)] == [new.text]
    other.write([new.model_copy(update=gone)])
    assert one.matching("ann", "port", limit=5) == ()


def test_what_was_said_in_a_turn_is_given_in_any_status(store: MemoryStore) -> None:
    old = a_record("one", turn="turn-1", status=MemoryStatus.SUPERSEDED)
    store.write([old, a_record("two", turn="turn-2"), a_record("other", turn="turn-1", user="ann1")])
    assert [record.text for record in store.of_turns("ann", ["turn-1"])] == ["one"]
    assert len(store.of_turns("ann", ["turn-1", "turn-2"])) == 2
    assert store.of_turns("ann", []) == ()
