"""Encryption at rest: no word of a session is in its files, and no byte of them can be changed unseen."""

from __future__ import annotations

import base64
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from ninefold import history
from ninefold.sessions import delete_session, opened, vacuum
from ninefold.state import SettingsError, StorageError
from tests.postgres.agents import Place, config, said
from tests.turn.agents import server_count
from tests.wire.server import WireServer

KEY = "SESSION_KEY"
SECRET = "暗号是长颈鹿 giraffe-1844"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    new_key(monkeypatch)
    with WireServer(count=server_count) as wire:
        yield Place(wire.url, tmp_path, None)


def new_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, base64.b64encode(os.urandom(32)).decode())


def on_disk(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_no_word_of_a_session_is_on_the_disk_and_the_next_process_reads_it_all(place: Place) -> None:
    place.graph(encryption_key=KEY).invoke(said(SECRET), config())
    graph = place.graph(encryption_key=KEY)
    graph.invoke(said("谢谢"), config())
    assert [m.text for m in history(graph, config())] == [SECRET, "OK.", "谢谢", "OK."]
    raw = on_disk(place.folder)
    assert b"giraffe" not in raw
    assert "长颈鹿".encode() not in raw
    assert base64.b64encode(SECRET.encode())[:20] not in raw


def test_without_encryption_the_words_are_there(place: Place) -> None:
    place.graph().invoke(said(SECRET), config())
    assert b"giraffe" in on_disk(place.folder)


def test_a_session_from_before_goes_on_when_encryption_is_turned_on(place: Place) -> None:
    place.graph().invoke(said("不要用红色。" + "今天天气很好。" * 200), config())
    graph = place.graph(encryption_key=KEY)
    graph.invoke(said(SECRET), config())
    assert len(history(graph, config())) == 4
    assert b"giraffe" not in on_disk(place.folder)


def test_without_the_key_or_with_another_one_the_session_is_refused_by_name(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.graph(encryption_key=KEY).invoke(said(SECRET), config())
    key = os.environ[KEY]
    with pytest.raises(StorageError, match="no key is set"):
        place.graph().invoke(said("二"), config())
    new_key(monkeypatch)
    with pytest.raises(StorageError, match="another key"):
        place.graph(encryption_key=KEY).invoke(said("二"), config())
    monkeypatch.setenv(KEY, key)
    assert len(history(place.graph(encryption_key=KEY), config())) == 2


def test_a_checkpoint_that_was_tampered_with_is_refused(place: Place) -> None:
    place.graph(encryption_key=KEY).invoke(said(SECRET), config())
    with sqlite3.connect(place.folder / "checkpoints.sqlite") as database:
        ((blob,),) = database.execute("SELECT checkpoint FROM checkpoints").fetchall()
        changed = bytes([*blob[:-1], blob[-1] ^ 1])
        database.execute("UPDATE checkpoints SET checkpoint = ?", (changed,))
    with pytest.raises(StorageError, match="tampered"):
        place.graph(encryption_key=KEY).invoke(said("二"), config())


@pytest.mark.parametrize("key", ["", "short", "kurz=", base64.b64encode(b"x" * 16).decode()])
def test_a_key_that_is_none_is_refused_before_anything_is_written(
    place: Place, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv(KEY, key)
    with pytest.raises(SettingsError, match=KEY):
        place.graph(encryption_key=KEY)
    assert not list(place.folder.glob("*.sqlite"))


def free_pages(file: Path) -> int:
    with sqlite3.connect(file) as connection:
        return int(connection.execute("PRAGMA freelist_count").fetchone()[0])


def test_what_a_deleted_session_held_in_an_encrypted_archive_is_given_back(place: Place) -> None:
    graph = place.graph(encryption_key=KEY)
    graph.invoke(said(SECRET * 500), config())
    graph.invoke(said("谢谢"), config("other"))
    with opened(place.settings(encryption_key=KEY)) as kept:
        delete_session(kept, "t", "ann")
        assert free_pages(place.folder / "archive.sqlite") > 0
        before, after = vacuum(kept)
    assert after < before
    assert free_pages(place.folder / "archive.sqlite") == 0
    assert free_pages(place.folder / "checkpoints.sqlite") == 0
    assert len(history(place.graph(encryption_key=KEY), config("other"))) == 2
