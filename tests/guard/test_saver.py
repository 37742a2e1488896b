"""The SQLite saver keeps LangGraph's own contract, sync and async, in a file of its owner's alone."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate

from ninefold.adapters.checkpoints import ThreadedSqliteSaver, open_saver
from ninefold.state import StorageError
from tests.guard.toy import on, saver_of, say, sqlite_toy, window


async def test_langgraph_s_conformance_suite_passes(tmp_path: Path) -> None:
    number = iter(range(10**6))

    @checkpointer_test(name="ninefold")
    async def saver() -> AsyncIterator[ThreadedSqliteSaver]:
        made = open_saver(tmp_path / f"{next(number)}.sqlite")
        yield made
        made.conn.close()

    report = await validate(saver)
    assert report.passed_all_base(), report.to_dict()


def test_the_file_is_the_owner_s_alone_and_does_not_wait_for_the_disk(tmp_path: Path) -> None:
    saver = open_saver(tmp_path / "home" / "checkpoints.sqlite")
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "home").iterdir()} == {0o600}
    pragma = [saver.conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    assert pragma == ["wal", 1]


def test_a_place_that_cannot_be_written_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="NINEFOLD_HOME"):
        open_saver(tmp_path / "file" / "checkpoints.sqlite")
    (tmp_path / "folder.sqlite").mkdir()
    with pytest.raises(StorageError, match=r"folder\.sqlite"):
        open_saver(tmp_path / "folder.sqlite")
    (tmp_path / "text.sqlite").write_text("this is no database" * 100)
    with pytest.raises(StorageError, match=r"text\.sqlite"):
        open_saver(tmp_path / "text.sqlite")


def test_a_database_that_stops_taking_writes_is_a_named_error_and_goes_on_later(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)
    graph.invoke(say("one"), on())
    saver_of(graph).conn.execute("PRAGMA query_only=ON")
    with pytest.raises(StorageError, match="session database"):
        graph.invoke(say("two"), on())
    saver_of(graph).conn.execute("PRAGMA query_only=OFF")
    graph.invoke(say("three"), on())
    assert window(graph, on()) == ["human: one", "ai: re:one", "human: three", "ai: re:three"]


async def test_a_write_that_is_cancelled_has_ended_when_its_caller_goes_on(tmp_path: Path) -> None:
    saver = open_saver(tmp_path / "checkpoints.sqlite")
    other = sqlite3.connect(tmp_path / "checkpoints.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    where = on(checkpoint_ns="")
    writing = asyncio.create_task(saver.aput(where, empty_checkpoint(), {"step": 0}, {}))
    await asyncio.sleep(0.1)
    writing.cancel()
    await asyncio.sleep(0.1)
    writing.cancel()
    await asyncio.sleep(0.1)
    assert not writing.done()
    other.execute("ROLLBACK")
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert other.execute("SELECT count(*) FROM checkpoints").fetchone() == (1,)
    other.close()
