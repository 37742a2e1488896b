"""Chroma's own traps: another embedder, another distance, another process, a folder that goes away."""

import multiprocessing
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ninefold.adapters.memory import chroma, pages, whole_people
from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.adapters.memory.collection import collection_name
from ninefold.adapters.memory.reembed import reembed
from ninefold.state import EmbedderMismatch, MemoryKind, MemoryStatus, MemoryStoreError, SettingsError

from .bag_of_words import BagOfWords
from .stores import a_record

SPAWN = multiprocessing.get_context("spawn")


def _open(place: Path, *, dimension: int = 64, stamp: str = "test:a") -> ChromaMemory:
    return ChromaMemory(place, BagOfWords(dimension), stamp)


def _write(place: Path, text: str) -> None:
    _open(place).write([a_record(text)])


def _write_many(place: Path, name: str) -> None:
    store = _open(place)
    for i in range(10):
        store.write([a_record(f"{name} house {i}")])


def _write_on_a_full_disk(place: Path) -> None:
    store = _open(place)
    store.write([a_record("red house")])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = (place / "chroma.sqlite3").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    try:
        store.write([a_record(f"{i} " + "house " * 600) for i in range(100)])
    except MemoryStoreError:
        sys.exit(7)


def _in_another_process(place: Path, text: str) -> None:
    process = SPAWN.Process(target=_write, args=(place, text))
    process.start()
    process.join(60)
    assert process.exitcode == 0


@pytest.mark.parametrize(("dimension", "stamp"), [(32, "test:a"), (64, "test:b"), (32, "test:b")])
def test_another_embedder_is_a_named_error_and_nothing_is_lost(tmp_path: Path, dimension: int, stamp: str) -> None:
    with_first = _open(tmp_path)
    with_first.write([a_record("red house")])
    with_first.close()
    other = _open(tmp_path, dimension=dimension, stamp=stamp)
    for call in (lambda: other.search("ann", "red", limit=1), lambda: other.write([a_record("blue house")])):
        with pytest.raises(EmbedderMismatch, match="ninefold memory reembed"):
            call()
    other.close()
    assert [r.text for r in _open(tmp_path).records("ann")] == ["red house"]


def test_memories_are_embedded_anew_from_their_text_and_the_old_ones_kept(tmp_path: Path) -> None:
    import chromadb

    rows = [a_record(f"house {i}", kind=MemoryKind.CONFIG, subject=f"s{i}") for i in range(200)]
    rows[7] = a_record("lighthouse on the cliff", kind=MemoryKind.PREFERENCE)
    first = _open(tmp_path)
    first.write([*rows, a_record("old", status=MemoryStatus.SUPERSEDED, superseded_by="m1")])
    first.close()
    assert reembed(tmp_path, BagOfWords(512), "test:b") == 201
    second = _open(tmp_path, dimension=512, stamp="test:b")
    assert second.search("ann", "lighthouse cliff", limit=1)[0][0].text == rows[7].text
    assert second.get("ann", [rows[7].id])[0] == rows[7].model_copy(update={"embedder": "test:b"})
    second.delete("ann", [rows[7].id])
    second.close()
    with pytest.raises(EmbedderMismatch):
        _open(tmp_path).check()
    names = {collection.name for collection in chromadb.PersistentClient(tmp_path).list_collections()}
    assert names == {collection_name("test:a"), collection_name("test:b")}
    assert reembed(tmp_path, BagOfWords(64), "test:a") == 200
    assert _open(tmp_path).get("ann", [rows[7].id]) == ()


def test_an_interrupted_move_leaves_the_old_memories_current(tmp_path: Path) -> None:
    class Down(BagOfWords):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise ConnectionError("gone")

    _write(tmp_path, "red house")
    with pytest.raises(MemoryStoreError, match="gone"):
        reembed(tmp_path, Down(32), "test:b")
    assert [r.text for r in _open(tmp_path).records("ann")] == ["red house"]
    assert reembed(tmp_path, BagOfWords(32), "test:b") == 1


def test_a_collection_that_measures_another_distance_is_detected_and_can_be_moved(tmp_path: Path) -> None:
    import chromadb

    client = chromadb.PersistentClient(tmp_path)
    collection = client.create_collection(collection_name("test:a"), metadata={"embedder": "test:a"})
    row = a_record("red house")
    vector: list[Sequence[float]] = [BagOfWords(64).embed_query(row.text)]
    data = {"user": "ann", "kind": "fact", "created": row.created, "thread": "t", "turn": "u", "status": "active"}
    collection.add(ids=["m1"], documents=[row.text], metadatas=[data], embeddings=vector)
    with pytest.raises(EmbedderMismatch, match="'l2', not cosine"):
        _open(tmp_path).check()
    assert reembed(tmp_path, BagOfWords(64), "test:a") == 1
    assert _open(tmp_path).search("ann", "red house", limit=1)[0][1] == pytest.approx(1, abs=1e-3)


def test_an_outlier_among_near_twins_is_found(tmp_path: Path) -> None:
    store = _open(tmp_path, dimension=512)
    store.write([*(a_record(f"house {i}") for i in range(220)), a_record("lighthouse on the cliff")])
    assert store.search("ann", "lighthouse cliff", limit=1)[0][0].text == "lighthouse on the cliff"
    assert len(store.search("ann", "lighthouse cliff", limit=300)) == 221


def test_many_memories_are_searched_by_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_people, "LARGEST", 299)
    store = _open(tmp_path, dimension=256)
    store.write([a_record(f"word{i % 40} house {i}", id=f"m{i}") for i in range(300)])
    found = store.search("ann", "word7 house 47", limit=5)
    assert len(found) == 5
    assert found[0][1] > 0.6
    assert found[0][1] >= found[4][1]


def test_who_is_held_in_the_process_gets_the_stores_own_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = _open(tmp_path)
    rows = [
        a_record(f"house {i}", kind=[*MemoryKind][i % 5], turn=f"turn-{i % 3}", sequence=i % 4, created=f"2026-03-0{i}")
        for i in range(1, 10)
    ]
    store.write([*rows, a_record("a house of another's", user="bob")])

    def answers() -> list[object]:
        return [
            store.by_kind("ann", (MemoryKind.FACT, MemoryKind.CONFIG)),
            store.get("ann", [rows[3].id, rows[0].id, rows[3].id, "m-a house of another's"]),
            store.of_turns("ann", ["turn-1", "turn-2"]),
            store.records("ann"),
            store.records("ann", status=MemoryStatus.SUPERSEDED),
            [[(r.id, round(score, 5)) for r, score in found] for found in store.nearest("ann", ["house 3"], limit=4)],
            [(r.id, round(score, 5)) for r, score in store.search("ann", "house 7", limit=9, kinds=(MemoryKind.FACT,))],
        ]

    for change in (
        lambda: None,
        lambda: store.write([rows[2].model_copy(update={"status": MemoryStatus.SUPERSEDED}), a_record("house 3")]),
        lambda: store.delete("ann", [rows[4].id]),
        lambda: _open(tmp_path).write([a_record("house of a second store")]),
    ):
        answers()
        change()
        held = answers()
        with monkeypatch.context() as patch:
            patch.setattr(whole_people, "LARGEST", 0)
            store.close()
            assert answers() == held
        store.close()


def test_what_another_process_writes_is_found_at_once(tmp_path: Path) -> None:
    mine = _open(tmp_path)
    mine.write([a_record("red house")])
    assert len(mine.search("ann", "blue house", limit=5)) == 1
    _in_another_process(tmp_path, "blue house")
    assert mine.search("ann", "blue house", limit=1)[0][0].text == "blue house"
    assert len(mine.records("ann")) == 2
    _in_another_process(tmp_path, "green house")
    mine.write([a_record("grey house")])
    assert {r.text for r, _ in mine.search("ann", "house", limit=9)} == {
        "red house",
        "blue house",
        "green house",
        "grey house",
    }


def test_threads_and_processes_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    _write(tmp_path, "first")
    others = [SPAWN.Process(target=_write_many, args=(tmp_path, name)) for name in ("one", "two")]
    for process in others:
        process.start()
    store = _open(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(store.write, [a_record(f"mine {i}")]) for i in range(20)]:
            future.result(60)
        found = [pool.submit(store.search, "ann", f"mine {i}", limit=9) for i in range(20)]
        for i, search in enumerate(found):
            assert f"mine {i}" in {record.text for record, _ in search.result(60)}
    for process in others:
        process.join(60)
        assert process.exitcode == 0
    assert len(store.records("ann")) == 41


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are POSIX")
def test_a_full_disk_is_a_named_error_and_what_was_stored_stays(tmp_path: Path) -> None:
    process = SPAWN.Process(target=_write_on_a_full_disk, args=(tmp_path,))
    process.start()
    process.join(60)
    assert process.exitcode == 7
    assert [record.text for record in _open(tmp_path).records("ann")] == ["red house"]


def test_two_stores_of_one_folder_in_one_process_see_each_other(tmp_path: Path) -> None:
    one, two = _open(tmp_path), _open(tmp_path)
    one.write([a_record("red house")])
    assert len(two.search("ann", "house", limit=5)) == 1
    two.write([a_record("blue house")])
    one.delete("ann", ["m-red house"])
    assert [r.text for r, _ in two.search("ann", "house", limit=5)] == ["blue house"]
    assert [r.text for r, _ in one.search("ann", "house", limit=5)] == ["blue house"]


def test_a_folder_that_goes_away_under_a_live_store_is_a_named_error(tmp_path: Path) -> None:
    store = _open(tmp_path / "memories")
    store.write([a_record("red house")])
    shutil.rmtree(tmp_path / "memories")
    for call in (
        lambda: store.search("ann", "red", limit=1),
        lambda: store.write([a_record("x")]),
        lambda: store.records("ann"),
    ):
        with pytest.raises(MemoryStoreError, match="cannot be read"):
            call()


def test_a_place_that_is_a_file_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(MemoryStoreError, match="could not be opened"):
        _open(tmp_path / "file").check()


def test_a_server_that_is_down_is_a_named_error() -> None:
    store = ChromaMemory("http://127.0.0.1:9", BagOfWords(), "test:a")
    with pytest.raises(MemoryStoreError, match=r"127\.0\.0\.1:9"):
        store.check()
    with pytest.raises(SettingsError, match="http://host:port"):
        ChromaMemory("http://", BagOfWords(), "test:a").check()


def test_a_server_that_hangs_is_given_up() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        begun = time.monotonic()
        with pytest.raises(MemoryStoreError, match="ReadTimeout"):
            ChromaMemory(url, BagOfWords(), "test:a", timeout=0.3).search("ann", "x", limit=1)
        assert time.monotonic() - begun < 10


def test_importing_and_making_a_store_loads_no_chromadb(tmp_path: Path) -> None:
    code = (
        "import sys; from ninefold.adapters.memory.chroma import ChromaMemory;"
        f"ChromaMemory({str(tmp_path)!r}, object(), 'a'); assert 'chromadb' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("stamp", ["ollama:bge-m3", "模型:中文", "a" * 500, "..", "\ud83d"])
def test_every_stamp_has_a_name_that_chroma_takes(stamp: str) -> None:
    name = collection_name(stamp)
    assert 3 <= len(name) <= 512
    assert name.isascii()
    assert name[0].isalnum()
    assert name[-1].isalnum()
    assert collection_name(stamp + "x") != name


def test_more_rows_than_the_database_takes_by_name_are_read_and_deleted_page_by_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGE", 3)
    monkeypatch.setattr(chroma, "PAGE", 3)
    monkeypatch.setattr(whole_people, "LARGEST", 0)
    store = _open(tmp_path)
    rows = [a_record(f"house {i}") for i in range(10)]
    store.write(rows)
    store.write([a_record("a house of another's", user="bob")])
    assert len(store.records("ann")) == 10
    assert len(store.get("ann", [row.id for row in rows])) == 10
    assert len(store.matching("ann", "house", limit=20)) == 10
    assert store.delete("ann", [row.id for row in rows]) == 10
    assert store.records("ann") == ()
    assert len(store.records("bob")) == 1
