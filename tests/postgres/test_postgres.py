"""What Postgres is asked for: one row a turn, one writer, a named person, a named error."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate

from ninefold import build_graph, history
from ninefold.adapters.postgres.database import Database, advisory_key
from ninefold.adapters.postgres.locks import PostgresLocks
from ninefold.adapters.postgres.saver import ThreadedPostgresSaver
from ninefold.state import AgentSettings, IdentityError, SettingsError, StorageError, StorageSettings
from tests.postgres.agents import PATIENCE, Place, said
from tests.postgres.agents import config as on
from tests.turn.agents import server_count
from tests.wire.server import Body, WireServer


@pytest.fixture
def place(tmp_path: Path, url: str) -> Iterator[Place]:
    with WireServer(count=server_count) as wire:
        yield Place(wire.url, tmp_path, url)


def count(url: str, table: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
        return int(row[0]) if row else -1


def test_a_finished_turn_is_one_row_with_only_the_values_it_holds(place: Place) -> None:
    assert place.url is not None
    graph = place.graph()
    graph.invoke(said("一"), on())
    first = count(place.url, "checkpoint_blobs")
    for number in range(4):
        graph.invoke(said(f"{number}"), on())
    assert count(place.url, "checkpoints") == 5
    assert count(place.url, "checkpoint_writes") == 0
    per_turn = (count(place.url, "checkpoint_blobs") - first) / 4
    assert per_turn <= first
    with psycopg.connect(place.url) as connection:
        loose = connection.execute(
            "SELECT count(*) FROM checkpoint_blobs b WHERE NOT EXISTS (SELECT 1 FROM checkpoints c"
            " WHERE c.thread_id = b.thread_id AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version)"
        ).fetchone()
    assert loose == (0,)
    for kept in graph.get_state_history(on()):
        assert len(kept.values["messages"]) == 2 * kept.values["turn"].number


def test_who_shares_a_store_must_be_named(place: Place) -> None:
    with pytest.raises(IdentityError, match="user_id"):
        place.graph().invoke(said("一"), {"configurable": {"thread_id": "t"}})


def test_a_server_that_is_away_is_a_named_error_and_the_turn_goes_on_when_it_is_back(tmp_path: Path) -> None:
    away = "postgresql://ann:secret@127.0.0.1:9/x?connect_timeout=2"
    graph = build_graph(AgentSettings(storage=StorageSettings(folder=str(tmp_path), checkpointer=away, store=away)))
    with pytest.raises(StorageError) as raised:
        graph.invoke(said("一"), on())
    assert "127.0.0.1:9/x" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_connections_that_the_server_closed_are_opened_again(place: Place) -> None:
    assert place.url is not None
    graph = place.graph()
    graph.invoke(said("一"), on())
    with psycopg.connect(place.url, autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    graph.invoke(said("二"), on())
    assert len(graph.get_state(on()).values["messages"]) == 4


@pytest.mark.parametrize("where", ["mysql://x/y", "/a/file", "sqlite:///x"])
def test_a_storage_of_another_kind_is_refused_by_name(tmp_path: Path, where: str) -> None:
    with pytest.raises(SettingsError, match="postgresql://"):
        build_graph(AgentSettings(storage=StorageSettings(folder=str(tmp_path), checkpointer=where)))


def test_a_missing_extra_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['psycopg_pool'] = None\n"
        "from ninefold import build_graph\n"
        "from ninefold.state import AgentSettings, SettingsError, StorageSettings\n"
        f"kept = StorageSettings(folder={str(tmp_path)!r}, checkpointer='postgresql://ann:secret@db/x')\n"
        "try:\n    build_graph(AgentSettings(storage=kept))\n"
        "except SettingsError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "pip install 'ninefold[postgres]'" in done.stdout
    assert "secret" not in done.stdout


def test_a_lock_is_one_holder_s_until_its_process_lets_go_or_dies(url: str) -> None:
    one, other = PostgresLocks(Database(url)), PostgresLocks(Database(url))
    mine, theirs = one("t"), other("t")
    assert mine.try_acquire()
    assert not theirs.try_acquire()
    assert other("u").try_acquire()
    mine.release()
    assert theirs.try_acquire()
    assert not mine.try_acquire()
    other.close()
    assert any(mine.try_acquire() for _ in range(500))
    one.close()


def test_two_agents_that_start_at_once_on_an_empty_database_both_serve(place: Place) -> None:
    workers = [place.process("一") for _ in range(2)]
    for worker in workers:
        worker.go()
    assert [worker.ended() for worker in workers] == [0, 0]


async def test_langgraph_s_conformance_suite_passes(postgres: Callable[[], str]) -> None:
    @checkpointer_test(name="ThreadedPostgresSaver")
    async def fresh() -> AsyncIterator[ThreadedPostgresSaver]:
        database = Database(postgres())
        yield ThreadedPostgresSaver(database)
        database.close()

    report: Any = await validate(fresh)
    assert report.passed_all_base(), report.to_dict()
    failed = [name for name, result in report.results.items() if result.passed is False]
    assert not failed, report.to_dict()


def test_a_turn_whose_lock_was_lost_writes_no_more_and_is_taken_up_elsewhere(url: str, tmp_path: Path) -> None:
    def answer(body: Body) -> str:
        asked.set()
        assert go_on.wait(PATIENCE)
        return "好"

    asked, go_on = threading.Event(), threading.Event()
    with WireServer(answer, count=server_count) as wire, ThreadPoolExecutor(1) as pool:
        place = Place(wire.url, tmp_path, url)
        graph = place.graph()
        running = pool.submit(graph.invoke, said("一"), on())
        assert asked.wait(PATIENCE)
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
            rows, writes = count(url, "checkpoints"), count(url, "checkpoint_writes")
            go_on.set()
            with pytest.raises(StorageError, match="lock broke"):
                running.result(PATIENCE)
        assert (count(url, "checkpoints"), count(url, "checkpoint_writes")) == (rows, writes)
        other = place.graph()
        assert other.invoke(None, on())["messages"][-1].text == "好"
        graph.invoke(said("二"), on())
        assert [m.text for m in history(other, on())] == ["一", "好", "二", "好"]


def test_making_the_tables_is_waited_for_a_bounded_time(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ninefold.adapters.postgres.database.SETUP_SECONDS", 0.3)
    database = Database(url)
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", (advisory_key("setup\0checkpoints"),))
        with pytest.raises(StorageError, match="pg_locks"):
            ThreadedPostgresSaver(database).threads()
    assert ThreadedPostgresSaver(database).threads() == []
    database.close()
