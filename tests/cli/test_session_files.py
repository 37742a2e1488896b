"""Sessions by function: over any saver and store, and only whole files are taken in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from ninefold import build_graph, history
from ninefold.adapters.archive import open_store
from ninefold.adapters.checkpoints import PlainSerde, open_saver
from ninefold.graph.guard import TurnGraph
from ninefold.graph.locks import no_outer_lock
from ninefold.sessions import (
    Place,
    delete_session,
    export_session,
    fork_session,
    import_session,
    list_sessions,
    rename_session,
    transcript,
)
from ninefold.state import ConflictRule, IdentityError, InputError, Language, NinefoldError, SchemaError, ThreadBusy
from ninefold.state.turn_state import TurnState
from ninefold.wording import Wording
from tests.turn.agents import config, server_count, settings
from tests.wire.server import WireServer

SAID = ["所有金额都用人民币。", "端口是 18443。", "谢谢。"]


class Kept:
    """A graph with the place of its sessions."""

    def __init__(self, saver: BaseCheckpointSaver[Any], store: BaseStore, folder: Path, url: str) -> None:
        chosen = settings(url, folder, memory=False, on_conflict=ConflictRule.ASK)
        self.graph: TurnGraph = build_graph(chosen, checkpointer=saver, store=store)
        self.place = Place(
            name=str(folder),
            saver=saver,
            store=store,
            memory=lambda _: None,
            locks=no_outer_lock,
            timeout=0.2,
            words=Wording(Language.ENGLISH),
            data=folder,
        )

    def say(self, text: str, thread: str = "work") -> None:
        self.graph.invoke({"messages": [("user", text)]}, config(thread))

    def said(self, thread: str) -> list[str]:
        return [str(message.text) for message in transcript(self.place, thread, "ann")]

    def state(self, thread: str) -> TurnState:
        return TurnState.model_validate(self.graph.get_state(config(thread)).values)

    def file(self, folder: Path, **options: bool) -> Path:
        path = folder / "work.jsonl"
        path.write_text("".join(export_session(self.place, "work", "ann", **options)), encoding="utf-8")
        return path


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with WireServer(count=server_count) as wire:
        yield wire.url


@pytest.fixture(params=["SQLite", "in memory"])
def kept(request: pytest.FixtureRequest, tmp_path: Path, url: str) -> Kept:
    if request.param == "SQLite":
        saver, store = open_saver(tmp_path / "checkpoints.sqlite"), open_store(tmp_path / "archive.sqlite")
        return filled(Kept(saver, store, tmp_path, url))
    return filled(Kept(InMemorySaver(serde=PlainSerde()), InMemoryStore(), tmp_path, url))


def filled(kept: Kept) -> Kept:
    for words in SAID:
        kept.say(words)
    return kept


def test_what_is_exported_comes_back_equal(kept: Kept, tmp_path: Path) -> None:
    file = kept.file(tmp_path)
    delete_session(kept.place, "work", "ann")
    assert list_sessions(kept.place, "ann") == ()
    before = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert import_session(kept.place, file, "ann").turns == 3
    assert [json.loads(line) for line in export_session(kept.place, "work", "ann")] == before
    kept.say("端口是多少？")
    assert [message.text for message in history(kept.graph, config("work"))][::2] == [*SAID, "端口是多少？"]
    assert [constraint.words for constraint in kept.state("work").constraints] == ["所有金额都用人民币"]


def test_a_fork_can_go_back_as_far_and_shares_nothing_with_its_origin(kept: Kept) -> None:
    assert fork_session(kept.place, "work", "ann", new="try", turn=2) == 2
    kept.say("另一条。", "try")
    kept.say("原来的。")
    assert kept.said("try")[::2] == [*SAID[:2], "另一条。"]
    assert kept.said("work")[::2] == [*SAID, "原来的。"]
    assert [snapshot.values["turn"].number for snapshot in kept.graph.get_state_history(config("try"))] == [3, 2, 1]
    delete_session(kept.place, "work", "ann")
    assert kept.said("try")[::2] == [*SAID[:2], "另一条。"]


def test_names_that_begin_alike_are_kept_apart(kept: Kept) -> None:
    for name in ("wor", "work2", "work.2", "WORK", "wor%"):
        fork_session(kept.place, "work", "ann", new=name)
    delete_session(kept.place, "wor", "ann")
    delete_session(kept.place, "wor%", "ann")
    assert all(kept.said(name)[::2] == SAID for name in ("work", "work2", "work.2", "WORK"))


def test_a_waiting_question_goes_with_a_rename_and_with_a_fork(kept: Kept) -> None:
    kept.say("所有金额都用美元。")
    assert kept.graph.get_state(config("work")).interrupts
    fork_session(kept.place, "work", "ann", new="try")
    rename_session(kept.place, "work", "ann", new="renamed")
    for name in ("try", "renamed"):
        kept.graph.invoke(Command(resume="replace"), config(name))
        assert [constraint.words for constraint in kept.state(name).constraints] == ["所有金额都用美元"]
        assert len(kept.said(name)) == 8
    assert [session.thread for session in list_sessions(kept.place, "ann")].count("work") == 0


def test_a_turn_that_has_not_ended_is_exported_with_its_words(kept: Kept, tmp_path: Path) -> None:
    kept.say("所有金额都用美元。")
    import_session(kept.place, kept.file(tmp_path), "ann", new="back")
    assert kept.said("back")[-1] == "所有金额都用美元。"
    assert kept.said("back")[:-1] == kept.said("work")[:-1]
    kept.say("还在吗？", "back")
    assert kept.said("back")[-3:] == ["所有金额都用美元。", "还在吗？", "OK."]


def test_nobody_else_s_session_is_touched_or_told_apart_from_none(kept: Kept, tmp_path: Path) -> None:
    with pytest.raises(InputError) as unknown:
        list(transcript(kept.place, "nothing", "bob"))
    for touch in (
        lambda: list(transcript(kept.place, "work", "bob")),
        lambda: fork_session(kept.place, "work", "bob", new="x"),
        lambda: rename_session(kept.place, "work", "bob", new="x"),
        lambda: delete_session(kept.place, "work", "bob"),
        lambda: list(export_session(kept.place, "work", "bob")),
    ):
        with pytest.raises(InputError) as refused:
            touch()
        assert str(refused.value) == str(unknown.value).replace("nothing", "work")
    with pytest.raises(IdentityError, match="Say --user ann"):
        import_session(kept.place, kept.file(tmp_path), "bob", new="x")
    assert list_sessions(kept.place, "bob") == ()


def test_a_taken_or_impossible_name_is_refused(kept: Kept, tmp_path: Path) -> None:
    file = kept.file(tmp_path)
    fork_session(kept.place, "work", "ann", new="other")
    with pytest.raises(InputError, match="There is a session work already"):
        fork_session(kept.place, "other", "ann", new="work")
    with pytest.raises(InputError, match="There is a session other already"):
        rename_session(kept.place, "work", "ann", new="other")
    with pytest.raises(InputError, match="There is a session work already"):
        import_session(kept.place, file, "ann")
    for name in ("", " ", "a\0b", "x" * 257):
        with pytest.raises(IdentityError, match="thread_id"):
            fork_session(kept.place, "work", "ann", new=name)


def test_a_session_in_use_is_waited_for_and_then_named(kept: Kept) -> None:
    with kept.place.held("work"):
        assert len(kept.said("work")) == 6
        for change in (
            lambda: fork_session(kept.place, "work", "ann", new="x"),
            lambda: rename_session(kept.place, "work", "ann", new="x"),
            lambda: delete_session(kept.place, "work", "ann"),
            lambda: list(export_session(kept.place, "work", "ann")),
        ):
            with pytest.raises(ThreadBusy, match=r"'work' for 0\.2 s"):
                change()


def changed(lines: list[dict[str, Any]], of: str, **values: Any) -> list[dict[str, Any]]:
    """Give the lines with some values of the first of a kind changed."""
    place = next(index for index, line in enumerate(lines) if line["kind"] == of)
    return [*lines[:place], {**lines[place], **values}, *lines[place + 1 :]]


Spoil = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
BAD: dict[str, tuple[Spoil, type[NinefoldError], str]] = {
    "cut": (lambda lines: lines[:-1], InputError, "before the end of the session"),
    "a line missing": (lambda lines: [*lines[:3], *lines[4:]], InputError, "Line .* is no part"),
    "nothing": (lambda _: [], InputError, "ends after line 0"),
    "another file": (lambda _: [{"kind": "other"}], InputError, "is no exported session"),
    "a newer file": (
        lambda lines: changed(lines, "session", ninefold={"format": 2, "schema": 1, "archive": 1}),
        SchemaError,
        "format version 2; this release reads 1",
    ),
    "a newer state": (
        lambda lines: changed(lines, "session", ninefold={"format": 1, "schema": 9, "archive": 1}),
        SchemaError,
        "schema version 9",
    ),
    "an unknown kind": (lambda lines: changed(lines, "turn", kind="spell"), InputError, "Line 2 .*spell"),
    "a message of no kind": (
        lambda lines: changed(lines, "message", row={"schema": 1, "message": {"type": "spell", "data": {}}}),
        InputError,
        "Line 3",
    ),
    "a row of a newer archive": (lambda lines: changed(lines, "turn", row={"schema": 7}), InputError, "schema 1"),
    "a field of no state": (lambda lines: changed(lines, "state", field="spell"), InputError, "spell: Extra inputs"),
    "a turn without end": (
        lambda lines: changed(lines, "turn", row={**lines[1]["row"], "count": 10**12}),
        InputError,
        "Line 2",
    ),
    "another owner": (lambda lines: changed(lines, "session", user="bob"), InputError, "different people"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_not_whole_is_refused_and_changes_nothing(name: str, tmp_path: Path, url: str) -> None:
    kept = filled(Kept(InMemorySaver(serde=PlainSerde()), InMemoryStore(), tmp_path, url))
    file = kept.file(tmp_path)
    spoil, error, words = BAD[name]
    lines = spoil([json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()])
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    delete_session(kept.place, "work", "ann")
    user = "bob" if name == "another owner" else "ann"
    with pytest.raises(error, match=words):
        import_session(kept.place, file, user)
    assert list_sessions(kept.place, user) == ()
    assert kept.place.store.search(()) == []


@pytest.mark.parametrize("data", [b"\xff\xfe", b"[1]\n", b"{", b'{"kind": 1}\n' * 2, b"[" * 5000], ids=repr)
def test_bytes_that_are_no_lines_of_json_are_refused_by_name(data: bytes, tmp_path: Path, url: str) -> None:
    kept = Kept(InMemorySaver(serde=PlainSerde()), InMemoryStore(), tmp_path, url)
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(InputError, match="file"):
        import_session(kept.place, tmp_path / "file", "ann")
    with pytest.raises(NinefoldError, match="cannot be read"):
        import_session(kept.place, tmp_path / "nothing", "ann")


def test_in_memory_too_a_finished_turn_keeps_one_row_and_no_value_of_its_steps(tmp_path: Path, url: str) -> None:
    saver = InMemorySaver(serde=PlainSerde())
    kept = filled(Kept(saver, InMemoryStore(), tmp_path, url))
    rows = saver.storage["work"][""]
    assert len(rows) == 3
    assert [row[0] for row in saver.writes if saver.writes[row]] == []
    loaded = [saver.serde.loads_typed(row[0])["channel_versions"] for row in rows.values()]
    assert {key[2:] for key in saver.blobs} == {pair for versions in loaded for pair in versions.items()}
    assert [s.values["turn"].number for s in kept.graph.get_state_history(config("work"))] == [3, 2, 1]
