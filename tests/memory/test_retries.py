"""A write that took place and was reported as failed is written once, and never reported twice."""

from collections.abc import Sequence

import pytest

from ninefold.adapters.memory.in_memory import InMemoryMemory
from ninefold.state import Degraded, MemoryRecord, MemoryStoreError, MemoryWritten

from .bag_of_words import BagOfWords
from .stores import STAMP
from .turns import Conversation


class SavesAndTimesOut(InMemoryMemory):
    """Keeps what it is given, and the first time says that it did not."""

    failed = False

    def write(self, records: Sequence[MemoryRecord]) -> None:
        super().write(records)
        if records and not self.failed:
            self.failed = True
            raise MemoryStoreError("The server did not answer in time.", "Try again.")


@pytest.mark.parametrize("words", ["我们决定用 Postgres", "We decided to use Postgres"])
def test_a_store_that_saves_and_then_times_out_holds_one_row(words: str) -> None:
    store = SavesAndTimesOut(BagOfWords(), STAMP)
    talk = Conversation(store)
    talk.say(words)
    assert any(isinstance(event, Degraded) for event in talk.events)
    assert not any(event.stored for event in talk.events if isinstance(event, MemoryWritten))
    assert [record.text for record in talk.state.unwritten] == [words]
    talk.say("ok")
    assert not talk.state.unwritten
    for _ in range(3):
        talk.say(words)
    assert [record.text for record in store.records("ann")] == [words]
    assert store.records("ann")[0].seen is not None
