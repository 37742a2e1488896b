"""The archive is found by its words: on one branch, grown turn by turn, and only what is still there."""

from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.store.base import BaseStore, Op, Result
from langgraph.store.memory import InMemoryStore

from ninefold.adapters.archive import ThreadArchive, keys, open_store
from ninefold.adapters.memory.past import Pasts
from ninefold.policies.earlier import Told, earlier
from ninefold.policies.memory_ids import folded
from ninefold.policies.recall import InView, Limits
from ninefold.policies.render import memory_line
from ninefold.state import Entry, Fate, Language, MemoryStatus, Said, StorageError, Turn, reference_id
from ninefold.state.memory import instant
from ninefold.state.turn_state import INPUT_ROLE

from .stores import a_record

LIMITS = Limits(min_score=0.45, top_k=5, tokens=600)


@pytest.fixture(params=["in memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> BaseStore:
    return InMemoryStore() if request.param == "in memory" else open_store(tmp_path / "archive.sqlite")


def keep(store: BaseStore, turn: str, parent: str | None, *messages: BaseMessage, thread: str = "t1") -> None:
    number = int(turn.strip("abcdefghijklmnopqrstuvwxyz") or 0)
    at = f"2026-03-{number + 1:02}T10:00:00+08:00"
    entries = [(Entry(message=f"{turn}{i}", turn=turn, sequence=i, tokens=1), m) for i, m in enumerate(messages)]
    ThreadArchive(store, thread).record(Turn(id=turn, parent=parent, number=number, at=at, user="ann"), entries)


def found(pasts: Pasts, store: BaseStore, query: str, *ends: str, thread: str = "t1") -> list[str]:
    return [said.text for said in pasts.of(store, thread, ends).matching(query, limit=10)]


def test_turns_are_found_as_they_come_and_a_new_process_finds_the_same(store: BaseStore) -> None:
    pasts = Pasts()
    assert found(pasts, store, "harbour", "a1") == []
    keep(store, "a1", None, HumanMessage("the harbour of Lisbon"), AIMessage("a fine harbour"))
    assert found(pasts, store, "harbours", "a1") == ["the harbour of Lisbon", "a fine harbour"]
    keep(store, "a2", "a1", HumanMessage("里斯本的港口"))
    assert found(pasts, store, "港口", "a2") == ["里斯本的港口"]
    assert found(Pasts(), store, "harbours", "a2") == found(pasts, store, "harbours", "a2")


def test_a_fork_never_sees_the_other_branch(store: BaseStore) -> None:
    keep(store, "a1", None, HumanMessage("we begin"))
    keep(store, "b2", "a1", HumanMessage("the code word is heron"))
    keep(store, "c2", "a1", HumanMessage("the code word is otter"))
    pasts = Pasts()
    for _ in range(2):
        assert found(pasts, store, "code word", "b2") == ["the code word is heron"]
        assert found(pasts, store, "code word", "c2") == ["the code word is otter"]
    assert found(pasts, store, "code word", "a1") == []


def test_a_turn_that_died_is_passed_over(store: BaseStore) -> None:
    keep(store, "a1", None, HumanMessage("the code word is heron"))
    assert found(Pasts(), store, "code word", "died", "a1") == ["the code word is heron"]
    assert found(Pasts(), store, "code word", "died") == []


def test_what_was_forgotten_is_not_found_even_if_its_words_are_still_known(store: BaseStore) -> None:
    pasts = Pasts()
    keep(store, "a1", None, HumanMessage("my number is 13900000000"), AIMessage("noted"))
    assert found(pasts, store, "number", "a1")[0] == "my number is 13900000000"
    store.put(keys.messages("t1", "a1"), "0", {"schema": keys.SCHEMA, "forgotten": True}, index=False)
    assert "my number is 13900000000" not in found(pasts, store, "number", "a1")
    assert "my number is 13900000000" not in found(Pasts(), store, "number", "a1")


class Unreliable(InMemoryStore):
    """A store of which one read fails: the one that is counted down to."""

    reads = 0

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        self.reads -= 1
        if self.reads == 0:
            raise OSError("the disk is gone")
        return super().batch(ops)


def test_an_archive_that_fails_at_any_read_leaves_no_hole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ninefold.adapters.memory.past.AT_ONCE", 4)
    store = Unreliable()
    keep(store, "a1", None, HumanMessage("we begin"))
    for number in range(2, 14):
        keep(store, f"a{number}", f"a{number - 1}", HumanMessage(f"the heron of day {number}"))
    whole = found(Pasts(), store, "heron", "a13")
    fails = 0
    for reads in count(1):
        pasts = Pasts()
        assert found(pasts, store, "begin", "a1") == ["we begin"]
        store.reads = reads
        try:
            assert found(pasts, store, "heron", "a13") == whole
            break
        except StorageError:
            store.reads = 0
            fails += 1
            assert found(pasts, store, "heron", "a13") == whole
    assert fails > 4, "the messages are read in several batches"


def test_data_that_came_along_is_nobodys_words(store: BaseStore) -> None:
    keep(store, "a1", None, HumanMessage("the harbour is closed", additional_kwargs={INPUT_ROLE: "system"}))
    (only,) = Pasts().of(store, "t1", ["a1"]).matching("harbour", limit=5)
    assert only.role == "data"
    (candidate,) = earlier([only], [], [], query="harbour", view=InView(), limits=LIMITS)
    assert candidate.fate is Fate.RECALLED
    for language in Language:
        line = memory_line(candidate, language)
        assert "harbour" in line
        assert not any(who in line for who in ("user", "assistant", "用户", "助手"))


def test_threads_keep_apart_and_tools_results_are_left_to_their_references(store: BaseStore) -> None:
    keep(store, "a1", None, HumanMessage("look"), ToolMessage("the harbour is closed", tool_call_id="1"))
    keep(store, "z1", None, HumanMessage("harbour"), thread="t2")
    assert found(Pasts(), store, "harbour", "a1", "z1") == []


def test_what_was_said_then_is_found_by_its_date_alone(store: BaseStore) -> None:
    keep(store, "a1", None, HumanMessage("we looked at lamps"))
    keep(store, "a2", "a1", HumanMessage("we looked at chairs"))
    past = Pasts().of(store, "t1", ["a2"])
    day = instant("2026-03-02T00:00:00+08:00"), instant("2026-03-03T00:00:00+08:00")
    assert [said.text for said in past.matching("what did we discuss", limit=5, between=day)] == ["we looked at lamps"]


def test_a_question_for_a_reply_takes_the_replies_whole(store: BaseStore) -> None:
    keep(store, "a1", None, HumanMessage("any painters you would name?"), AIMessage("look at the painters of Delft"))
    past = Pasts().of(store, "t1", ["a1"])
    assert [said.role for said in past.matching("painters", limit=5)] == ["user", "assistant"]
    for_person, for_reply = (past.matching("painters", limit=5, replies=replies) for replies in (False, True))
    of_reply = {said.role: said.score for said in for_reply}
    assert of_reply["user"] == for_person[0].score
    assert of_reply["assistant"] > for_person[1].score


def said(text: str, turn: str = "t", role: str = "user", score: float = 0.9, day: int = 1) -> Said:
    at = f"2026-03-{day:02}T10:00:00+08:00"
    return Said.model_validate({"turn": turn, "sequence": 0, "at": at, "role": role, "text": text, "score": score})


def fates(*messages: Said, told: tuple[Told, ...] = (), stale: tuple[str, ...] = ()) -> list[Fate]:
    records = [a_record(text, turn="t", status=MemoryStatus.SUPERSEDED) for text in stale]
    given = earlier(messages, told, records, query="heron", view=InView(), limits=LIMITS)
    return [candidate.fate for candidate in given]


@pytest.mark.parametrize("rule", ["不要用红色", "所有金额用人民币", "From now on answer in French", "Never use red."])
def test_a_rule_never_comes_back_by_way_of_the_archive(rule: str) -> None:
    assert fates(said(rule)) == [Fate.SUPERSEDED]
    (beside,) = earlier(
        [said(f"The heron sleeps in the barn. {rule}")], [], [], query="heron", view=InView(), limits=LIMITS
    )
    assert beside.fate is Fate.RECALLED
    assert folded(rule) not in folded(beside.text)


def test_a_rule_that_holds_is_in_view_and_one_that_was_taken_back_is_not() -> None:
    rule = "From now on answer in French"

    def fate(*in_prompt: str) -> Fate:
        (only,) = earlier([said(rule)], [], [], query="French", view=InView(texts=in_prompt), limits=LIMITS)
        return only.fate

    assert fate(rule) is Fate.IN_VIEW
    assert fate("Never use red.") is Fate.SUPERSEDED


def test_what_was_replaced_is_not_shown_and_neither_is_the_reply_to_it() -> None:
    old = "The heron sleeps in the barn"
    assert fates(said(f"{old}."), said("The barn, noted.", role="assistant"), stale=(old,)) == [Fate.SUPERSEDED] * 2
    assert fates(said("我住在广州", turn="a", day=1), said("我搬到上海了", turn="b", day=2)) == [
        Fate.SUPERSEDED,
        Fate.RECALLED,
    ]


@pytest.mark.parametrize("old", ["The heron sleeps in the barn", "苍鹭睡在谷仓里"])
def test_what_was_said_twice_and_replaced_is_shown_from_neither_turn(old: str) -> None:
    seen = "2026-03-05T10:00:00+08:00"
    record = a_record(old, turn="elsewhere", status=MemoryStatus.SUPERSEDED, seen=seen)

    def fate(text: str, **of: Any) -> Fate:
        (only,) = earlier([said(text, **of)], [], [record], query="heron", view=InView(), limits=LIMITS)
        return only.fate

    assert fate(f"{old}.", day=3) is Fate.SUPERSEDED
    assert fate(f"{old}.", day=5) is Fate.SUPERSEDED
    assert fate("The barn, noted.", role="assistant", day=5) is Fate.SUPERSEDED
    assert fate(f"{old}.", day=6) is Fate.RECALLED, "it was said again after it was replaced"
    assert fate("The heron is grey.", day=3) is Fate.RECALLED


def test_a_memory_stands_before_the_turn_it_came_from() -> None:
    memory = Told(folded("The heron sleeps in the barn"), "2026-03-01T10:00:00+08:00")
    assert fates(said("The heron sleeps in the barn."), told=(memory,)) == [Fate.DUPLICATE]


def test_an_earlier_turn_can_be_read_in_full_behind_its_id() -> None:
    long = "The heron sleeps in the barn. " + "Nothing else. " * 60
    (candidate,) = earlier([said(long)], [], [], query="heron", view=InView(), limits=LIMITS)
    assert candidate.id == reference_id("t", 0)
    assert len(candidate.text) <= 240
    assert "in the barn" in candidate.text


def test_secrets_are_masked_and_little_likeness_is_not_enough() -> None:
    card = "The heron card is 4111 1111 1111 1111"
    (candidate,) = earlier([said(card)], [], [], query="heron", view=InView(), limits=LIMITS)
    assert "4111 1111 1111 1111" not in candidate.text
    assert fates(said("one", score=0.9), said("two", turn="u", score=0.3), said("three", turn="v", score=0.1)) == [
        Fate.RECALLED,
        Fate.BELOW_THRESHOLD,
        Fate.BELOW_THRESHOLD,
    ]
