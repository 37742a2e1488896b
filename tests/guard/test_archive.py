"""The archive keeps every message once, by key, and gives it back as it was."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, get_ident

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.store.base import BaseStore, Op, PutOp, Result
from langgraph.store.memory import InMemoryStore

from ninefold.adapters.archive import ThreadArchive, history_messages, keys, open_store, turn_messages, turn_row
from ninefold.adapters.archive.message_json import from_json, to_json
from ninefold.adapters.checkpoints.sqlite import open_saver
from ninefold.state import Entry, ReferenceNotFound, StorageError, Turn, reference_id

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def turn(number: int, parent: str | None = None, name: str = "") -> Turn:
    return Turn(id=name or f"turn-{number}", parent=parent, number=number, at="2026-01-01T00:00:00+00:00", user="ann")


def entries(of: Turn, messages: Iterable[BaseMessage], first: int = 0) -> list[tuple[Entry, BaseMessage]]:
    return [
        (Entry(message=f"m{place}", turn=of.id, sequence=place, tokens=1), message)
        for place, message in enumerate(messages, start=first)
    ]


def messages_of(words: str) -> list[BaseMessage]:
    call = {"name": "look", "args": {"at": [1, {"b": None}]}, "id": "c1", "type": "tool_call"}
    return [
        HumanMessage(words, id="h"),
        AIMessage("", id="a", tool_calls=[call]),
        ToolMessage(words, tool_call_id="c1", id="t", name="look", status="error"),
        AIMessage([{"type": "text", "text": words}], id="b", usage_metadata=_USAGE),
    ]


_USAGE = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> BaseStore:
    return open_store(tmp_path / "archive.sqlite") if request.param == "sqlite" else InMemoryStore()


@given(TEXTS)
def test_a_message_comes_back_from_json_as_it_was(words: str) -> None:
    for message in [*messages_of(words), SystemMessage(words, id="s")]:
        assert from_json(to_json(message)) == message


def test_a_streamed_reply_comes_back_as_a_message() -> None:
    assert from_json(to_json(AIMessageChunk(content="hi", id="a"))) == AIMessage("hi", id="a")


def test_text_that_no_store_takes_does_not_stop_the_archive(store: BaseStore) -> None:
    ThreadArchive(store, "t").record(turn(1), entries(turn(1), [HumanMessage("a\ud800b", id="h")]))
    assert turn_messages(store, "t", "turn-1")[0].text == "a?b"


def test_what_is_recorded_is_read_back_in_order(store: BaseStore) -> None:
    archive = ThreadArchive(store, "t")
    recorded = entries(turn(1), messages_of("hi") * 4)
    archive.record(turn(1), recorded)
    assert turn_messages(store, "t", "turn-1") == [message for _, message in recorded]
    assert [archive.original(entry) for entry, _ in recorded] == [message for _, message in recorded]
    assert turn_row(store, "t", "turn-1") == {
        "schema": 1, "parent": None, "at": turn(1).at, "number": 1, "user": "ann", "count": 16
    }  # fmt: skip


class Watched(InMemoryStore):
    """A store that notes what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[Op] = []

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        ops = list(ops)
        self.written += [op for op in ops if isinstance(op, PutOp)]
        return super().batch(ops)


def test_writing_the_same_again_changes_nothing() -> None:
    store = Watched()
    archive = ThreadArchive(store, "t")
    recorded = entries(turn(1), messages_of("hi"))
    archive.record(turn(1), recorded)
    count = len(store.written)
    archive.record(turn(1), recorded)
    archive.record(turn(1), recorded[1:3])
    assert len(store.written) == count


def test_a_turn_recorded_in_parts_is_one_turn(store: BaseStore) -> None:
    archive = ThreadArchive(store, "t")
    recorded = entries(turn(1), messages_of("hi"))
    archive.record(turn(1), recorded[2:3])
    archive.record(turn(1), recorded[:2])
    archive.record(turn(1), recorded[3:])
    assert turn_messages(store, "t", "turn-1") == [message for _, message in recorded]


def test_what_was_forgotten_stays_forgotten(store: BaseStore) -> None:
    archive = ThreadArchive(store, "t")
    recorded = entries(turn(1), messages_of("secret"))
    archive.record(turn(1), recorded)
    store.put(keys.messages("t", "turn-1"), "0", {"schema": 1, "forgotten": True})
    archive.record(turn(1), recorded)
    assert archive.original(recorded[0][0]) is None
    assert turn_messages(store, "t", "turn-1") == [message for _, message in recorded[1:]]
    with pytest.raises(ReferenceNotFound):
        archive.expand(reference_id("turn-1", 0))


def test_a_reference_gives_the_whole_text_of_its_own_thread(store: BaseStore) -> None:
    long = "行\n" * 20_000
    ThreadArchive(store, "t").record(turn(1), entries(turn(1), [ToolMessage(long, tool_call_id="c", id="t")]))
    assert ThreadArchive(store, "t").expand(reference_id("turn-1", 0)) == long
    for thread, reference in (("other", reference_id("turn-1", 0)), ("t", "r00000000"), ("t", "../x")):
        with pytest.raises(ReferenceNotFound, match="reference"):
            ThreadArchive(store, thread).expand(reference)


def test_two_branches_keep_their_own_history(store: BaseStore) -> None:
    archive = ThreadArchive(store, "t")
    line = [("a", None), ("b", "a"), ("c", "b"), ("B", "a"), ("C", "B")]
    for place, (name, parent) in enumerate(line):
        one = turn(place, parent, name)
        archive.record(one, entries(one, [HumanMessage(name, id=name), AIMessage(f"re:{name}", id=f"re-{name}")]))
    assert [m.text for m in history_messages(store, "t", "c")] == ["a", "re:a", "b", "re:b", "c", "re:c"]
    assert [m.text for m in history_messages(store, "t", "C")] == ["a", "re:a", "B", "re:B", "C", "re:C"]
    assert list(history_messages(store, "t", "unknown")) == []


@pytest.mark.parametrize("name", ["../x", "a.b", ".", "langgraph", "%2E", "a/b", "线程", "x" * 256, "*", "%"])
def test_every_name_is_a_place_of_its_own(store: BaseStore, name: str) -> None:
    one = turn(1, name=name)
    ThreadArchive(store, name).record(one, entries(one, [HumanMessage("mine", id="1")]))
    ThreadArchive(store, "x").record(turn(1, name="x"), entries(turn(1, name="x"), [HumanMessage("other", id="1")]))
    assert [m.text for m in turn_messages(store, name, name)] == ["mine"]


@given(st.text(max_size=20), st.text(max_size=20))
def test_different_names_have_different_labels(one: str, other: str) -> None:
    clean = [text.encode("utf-8", "replace").decode() for text in (one, other)]
    labels = [keys.label(text) for text in clean]
    assert (labels[0] == labels[1]) == (clean[0] == clean[1])
    assert all(each and "." not in each for each in labels)


def test_prepared_texts_are_found_by_their_address(store: BaseStore) -> None:
    archive = ThreadArchive(store, "t")
    assert archive.cached("k") is None
    archive.cache("k", "text")
    assert ThreadArchive(store, "t").cached("k") == "text"
    assert ThreadArchive(store, "other").cached("k") is None


def test_a_store_that_fails_is_a_named_error(tmp_path: Path) -> None:
    store = open_store(tmp_path / "archive.sqlite")
    store.conn.close()
    with pytest.raises(StorageError, match="archive failed"):
        ThreadArchive(store, "t").record(turn(1), entries(turn(1), messages_of("hi")))


def test_the_file_is_the_owner_s_alone_and_does_not_wait_for_the_disk(tmp_path: Path) -> None:
    store = open_store(tmp_path / "home" / "archive.sqlite")
    ThreadArchive(store, "t").record(turn(1), entries(turn(1), messages_of("hi")))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "home").iterdir()}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    pragma = {name: store.conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
    assert pragma == {"journal_mode": "wal", "synchronous": 1}


async def test_the_store_serves_async_callers(tmp_path: Path) -> None:
    store = open_store(tmp_path / "archive.sqlite")
    await store.aput(("a",), "k", {"v": 1})
    item = await store.aget(("a",), "k")
    assert item is not None
    assert item.value == {"v": 1}


def test_many_may_open_a_new_data_folder_at_the_same_moment(tmp_path: Path) -> None:
    together = Barrier(6)

    def first(folder: Path) -> None:
        together.wait()
        open_store(folder / "archive.sqlite").put(("a",), str(get_ident()), {})
        open_saver(folder / "checkpoints.sqlite")

    for number in range(10):
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(first, [tmp_path / str(number)] * 6))


def test_stores_over_one_file_write_at_the_same_time(tmp_path: Path) -> None:
    def run(number: int) -> None:
        archive = ThreadArchive(open_store(tmp_path / "archive.sqlite"), f"t{number}")
        for place in range(10):
            one = turn(place, name=f"{number}-{place}")
            archive.record(one, entries(one, messages_of("hi")))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(4)))
    store = open_store(tmp_path / "archive.sqlite")
    for number in range(4):
        assert all(len(turn_messages(store, f"t{number}", f"{number}-{place}")) == 4 for place in range(10))
