"""A rule for all time is a preference, comes back on every thread, and a rule of one session never does."""

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.nodes.ports import MemoryStore
from ninefold.state import (
    ChangeKind,
    Constraint,
    ConstraintChange,
    MemoryKind,
    MemoryStatus,
    Origin,
    Polarity,
    Scope,
)
from ninefold.state.turn_state import Update

from .bag_of_words import BagOfWords
from .stores import STAMP, a_record
from .turns import Conversation


@pytest.mark.parametrize("words", ["以后所有回复都用表格", "From now on always answer in tables."])
def test_a_rule_for_all_time_is_a_preference_and_its_withdrawal_ends_it(memory: MemoryStore, words: str) -> None:
    talk = Conversation(memory)
    talk.hear(HumanMessage(words), AIMessage("ok"))
    rule = Constraint(
        id="c1",
        key="output_format",
        value="table",
        polarity=Polarity.REQUIRE,
        words=words,
        scope=Scope.SESSION,
        turn=talk.state.turn.id if talk.state.turn else "",
        message="m",
        at="2026-03-01T10:00:00+08:00",
        lasting=True,
    )
    talk._take(Update(constraints=(rule,)))
    talk.finish()
    (record,) = memory.records("ann")
    assert (record.kind, record.subject, record.text) == (MemoryKind.PREFERENCE, "constraint:output_format", words)
    talk.hear(HumanMessage("不用表格了"), AIMessage("ok"))
    change = ConstraintChange(change=ChangeKind.REMOVED, constraint="c1", words=words)
    talk._take(Update(constraints=(), taken_back=(change,)))
    talk.finish()
    assert memory.records("ann", status=MemoryStatus.ACTIVE) == ()


def test_a_rule_that_came_back_from_the_memories_is_not_said_again(tmp_path: Path) -> None:
    embeddings = BagOfWords()
    memory = ChromaMemory(tmp_path, embeddings, STAMP)
    rule = a_record("以后都用表格", kind=MemoryKind.PREFERENCE, subject="constraint:output_format")
    memory.write([rule])
    before = len(embeddings.embedded)
    talk = Conversation(memory, thread="t2")
    talk.hear(HumanMessage("你好"), AIMessage("ok"))
    standing = Constraint(
        id="c1",
        key="output_format",
        value="表格",
        polarity=Polarity.REQUIRE,
        words=rule.text,
        turn=talk.state.turn.id if talk.state.turn else "",
        message=rule.id,
        at=rule.created,
        lasting=True,
        origin=Origin.PREFERENCE,
    )
    talk._take(Update(constraints=(standing,)))
    talk.finish()
    assert memory.records("ann") == (rule,)
    assert len(embeddings.embedded) == before


@pytest.mark.parametrize("scope", [Scope.SESSION, Scope.TURN])
def test_a_rule_of_this_session_is_never_imposed_on_the_next(memory: MemoryStore, scope: Scope) -> None:
    talk = Conversation(memory)
    talk.hear(HumanMessage("我喜欢表格，用表格输出"), AIMessage("ok"))
    rule = Constraint(
        id="c1",
        key="output_format",
        value="表格",
        polarity=Polarity.REQUIRE,
        words="我喜欢表格，用表格输出",
        scope=scope,
        turn=talk.state.turn.id if talk.state.turn else "",
        message="m",
        at="2026-03-01T10:00:00+08:00",
    )
    talk._take(Update(constraints=(rule,)))
    talk.finish()
    assert memory.by_kind("ann", [MemoryKind.PREFERENCE, MemoryKind.PROFILE]) == ()
