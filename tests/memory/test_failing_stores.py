"""A store that fails costs memories, never the turn; what was not written is written once, later."""

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.nodes.ports import MemoryStore
from ninefold.state import (
    Degraded,
    MemoryKind,
    MemoryRetrieved,
    MemoryStoreError,
    MemoryWritten,
)

from .bag_of_words import BagOfWords
from .stores import STAMP, a_record
from .turns import Conversation


class _Failing:
    """A store whose disk is full: it saves, or does not, and raises."""

    def __init__(self, inner: MemoryStore, *, after_saving: bool) -> None:
        self._inner = inner
        self._after_saving = after_saving
        self.failing = True

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def write(self, records: object) -> None:
        if self._after_saving or not self.failing:
            self._inner.write(records)  # type: ignore[arg-type]
        if self.failing:
            raise MemoryStoreError("The store timed out.", "Try again.")


@pytest.mark.parametrize("after_saving", [True, False])
def test_a_failed_write_is_reported_retried_and_written_once(memory: MemoryStore, after_saving: bool) -> None:
    store = _Failing(memory, after_saving=after_saving)
    talk = Conversation(store)  # type: ignore[arg-type]
    update = talk.say("我对花生过敏")
    written = [event for event in update.get("trace", ()) if isinstance(event, MemoryWritten)]
    assert written[0].stored == ()
    assert any(isinstance(event, Degraded) for event in update.get("trace", ()))
    assert [record.text for record in talk.state.unwritten] == ["我对花生过敏"]
    store.failing = False
    talk.say("你好")
    assert talk.state.unwritten == ()
    assert [record.text for record in memory.records("ann")] == ["我对花生过敏"]


def test_a_step_that_runs_twice_writes_once(memory: MemoryStore) -> None:
    memory.write([a_record("we use Postgres", kind=MemoryKind.DECISION, thread="t0", turn="x")])
    talk = Conversation(memory)
    talk.hear(HumanMessage("I live in Berlin. Do we use Postgres?"), AIMessage("ok"))
    before = talk.state
    talk.finish()
    rows = memory.records("ann")
    talk.state = before
    talk.finish()
    assert memory.records("ann") == rows
    assert [record.hits for record in rows if record.text == "we use Postgres"] == [1]


def test_every_original_is_archived_with_its_own_turn_and_stays_until_it_is(memory: MemoryStore) -> None:
    talk = Conversation(memory)
    talk.archive.failing = True
    update = talk.say("first")
    assert [entry.archived for entry in talk.state.entries] == [False, False]
    assert any(isinstance(event, Degraded) for event in update.get("trace", ()))
    talk.archive.failing = False
    talk.say("second")
    assert all(entry.archived for entry in talk.state.entries)
    assert sorted(talk.archive.kept.values()) == ["first", "ok", "ok", "second"]
    assert [(turn.id, turn.parent, turn.number) for turn in talk.archive.turns] == [
        ("t1-1", None, 1),
        ("t1-2", "t1-1", 2),
    ]


def test_without_a_store_the_turn_is_archived_and_says_that_memory_is_off() -> None:
    talk = Conversation(None)
    update = talk.say("我喜欢喝茶")
    assert all(entry.archived for entry in talk.state.entries)
    assert [event.reason for event in update.get("trace", ()) if isinstance(event, MemoryWritten)] == ["memory is off"]
    talk.hear(HumanMessage("hi"))
    assert talk.recalled == []
    assert [event.reason for event in talk.events if isinstance(event, MemoryRetrieved)] == ["off"]


def test_a_store_that_is_down_costs_the_memories_and_not_the_turn(tmp_path: Path) -> None:
    store = ChromaMemory("http://127.0.0.1:9", BagOfWords(), STAMP)
    talk = Conversation(store)
    talk.hear(HumanMessage("我之前说过什么？"), AIMessage("ok"))
    assert talk.recalled == []
    assert any(isinstance(event, Degraded) for event in talk.events)
    talk.finish()
    assert all(entry.archived for entry in talk.state.entries)
