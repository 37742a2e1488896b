"""What was forgotten or replaced on one thread leaves the prompts of all others at the next turn."""

from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage

from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.graph.forgetting import forget
from ninefold.state import Degraded, Fate, MemoryStatus, MemoryStoreError, Placed
from ninefold.state.turn_state import Update
from tests.turn.agents import agent, config, whole_prompt

from .bag_of_words import BagOfWords
from .stores import STAMP, a_record
from .turns import Conversation

SAID = {"en": ("I live in Zanzibar.", "Where do I live?", "Zanzibar"), "zh": ("我住在大理。", "我住在哪里？", "大理")}
NEWER = {"en": "I moved to Lisbon.", "zh": "我搬到昆明了。"}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("how", ["forgotten", "replaced"])
def test_what_no_longer_holds_leaves_another_threads_prompt(tmp_path: Path, language: str, how: str) -> None:
    told, question, word = SAID[language]
    with agent(tmp_path) as a:
        a.say(told, thread="a")
        a.say(question, thread="b")
        assert word in whole_prompt(a.wire.chats[-1])
        if how == "forgotten":
            assert forget(a.graph, config("a"), word).memories
        else:
            a.say(NEWER[language], thread="a")
        a.say("OK.", thread="b")
        assert word not in whole_prompt(a.wire.chats[-1])
        assert a.values("b")["messages"][0].text == question


class Failing(ChromaMemory):
    """A store whose reads fail from when it is told to."""

    def get(self, user: str, ids: object) -> tuple[()]:
        raise MemoryStoreError("The disk is gone.", "Plug it in.")


@pytest.mark.parametrize("status", [None, MemoryStatus.SUPERSEDED, MemoryStatus.ARCHIVED, MemoryStatus.ACTIVE])
def test_only_what_is_active_stays_placed_and_no_embedding_is_made(tmp_path: Path, status: MemoryStatus | None) -> None:
    embeddings = BagOfWords()
    store = ChromaMemory(tmp_path, embeddings, STAMP)
    store.write([a_record("I live in Zanzibar", **({"status": status} if status else {"id": "another"}))])
    talk = Conversation(store, thread="t2")
    talk.hear(HumanMessage("hello"))
    placed = (Placed(id="m-I live in Zanzibar", text="I live in Zanzibar"), Placed(id="r0123456789ab", text="a turn"))
    talk._take(Update(entries=(talk.state.entries[-1].model_copy(update={"placed": placed}),)))
    before = len(embeddings.embedded)
    talk.hear(HumanMessage("hello again"))
    assert talk.state.entries[0].placed == (placed if status is MemoryStatus.ACTIVE else placed[1:])
    assert len(embeddings.embedded) == before


def test_a_failing_store_leaves_the_window_as_it_was_and_says_so(tmp_path: Path) -> None:
    talk = Conversation(Failing(tmp_path, BagOfWords(), STAMP), thread="t2")
    talk.hear(HumanMessage("hello"))
    placed = (Placed(id="m-1", text="I live in Zanzibar"),)
    talk._take(Update(entries=(talk.state.entries[-1].model_copy(update={"placed": placed}),)))
    talk.hear(HumanMessage("hello again"))
    assert talk.state.entries[0].placed == placed
    (said,) = [event for event in talk.events if isinstance(event, Degraded)]
    assert "not checked" in said.what
    assert not [each for each in talk.candidates if each.fate is Fate.RECALLED]
