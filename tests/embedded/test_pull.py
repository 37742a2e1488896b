"""How weights come onto the machine: whole, checked and resumable, over real HTTP."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ninefold.adapters.weights.catalogue import Weights, catalogue
from ninefold.adapters.weights.pull import list_models, model_file, models_folder, pull
from ninefold.state import ModelDown, ModelMissing, NinefoldError, StorageError

from .file_server import FileServer, made_weights, running, serve_hub, serve_registry

CONTENT = random.Random(9).randbytes(3_000_000)
TINY = made_weights(CONTENT)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with running() as made:
        monkeypatch.setenv("HF_ENDPOINT", made.url)
        monkeypatch.setenv("PIP_INDEX_URL", f"{made.url}/simple/")
        yield made


def take(home: Path, weights: Weights = TINY, **kwargs: object) -> Path:
    return pull(weights.name, home, known=(weights,), **kwargs)  # type: ignore[arg-type]


def left(home: Path) -> list[str]:
    return sorted(path.name for path in models_folder(home).iterdir() if path.name != ".lock")


def test_the_hub_is_asked_first_and_the_registry_not_at_all(server: FileServer, tmp_path: Path) -> None:
    path = serve_hub(server, TINY, CONTENT)
    serve_registry(server, TINY, CONTENT)
    assert take(tmp_path).read_bytes() == CONTENT
    assert server.asked() == [path]
    assert left(tmp_path) == ["tiny.gguf"]


@pytest.mark.parametrize("as_html", [False, True])
def test_without_the_hub_the_registrys_packages_give_the_same_bytes(
    server: FileServer, tmp_path: Path, as_html: bool
) -> None:
    serve_registry(server, TINY, CONTENT, as_html=as_html)
    assert take(tmp_path).read_bytes() == CONTENT
    assert left(tmp_path) == ["tiny.gguf"]


def test_what_is_there_and_right_is_not_fetched_again(server: FileServer, tmp_path: Path) -> None:
    serve_hub(server, TINY, CONTENT)
    take(tmp_path)
    server.requests.clear()
    take(tmp_path)
    assert server.requests == []


def test_what_is_there_and_damaged_is_fetched_again(server: FileServer, tmp_path: Path) -> None:
    serve_hub(server, TINY, CONTENT)
    target = take(tmp_path)
    target.write_bytes(b"x" + CONTENT[1:])
    assert take(tmp_path).read_bytes() == CONTENT


def test_progress_goes_up_to_the_whole_size(server: FileServer, tmp_path: Path) -> None:
    serve_registry(server, TINY, CONTENT)
    seen: list[tuple[int, int]] = []
    take(tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (TINY.size, TINY.size)


def test_a_broken_connection_is_taken_up_where_it_broke(server: FileServer, tmp_path: Path) -> None:
    path = serve_hub(server, TINY, CONTENT)
    server.cut_after[path] = [1_000_000, 500_000]
    assert take(tmp_path).read_bytes() == CONTENT
    assert [asked for _, _, asked in server.requests] == [None, "bytes=1000000-", "bytes=1500000-"]
    assert server.sent == TINY.size


def test_a_later_pull_goes_on_where_an_earlier_one_stopped(server: FileServer, tmp_path: Path) -> None:
    path = serve_hub(server, TINY, CONTENT)
    server.cut_after[path] = [1_200_000, 0, 0, 0]
    with pytest.raises(ModelDown, match="1,200,000 of 3,000,000"):
        take(tmp_path)
    assert left(tmp_path) == ["tiny.gguf.part"]
    # The other source goes on at the last whole package: half of the file, which is not yet complete.
    wheels = serve_registry(server, TINY, CONTENT)
    del server.files[path]
    server.cut_after[wheels[1]] = [900_000, 0, 0, 0]
    with pytest.raises(ModelDown):
        take(tmp_path)
    server.requests.clear()
    assert take(tmp_path).read_bytes() == CONTENT
    assert wheels[0] not in server.asked()
    assert ("GET", wheels[1], "bytes=900000-") in server.requests
    assert left(tmp_path) == ["tiny.gguf"]


def test_a_server_that_knows_no_ranges_is_read_from_the_start(server: FileServer, tmp_path: Path) -> None:
    path = serve_hub(server, TINY, CONTENT)
    server.ranges = False
    server.cut_after[path] = [1_000_000]
    assert take(tmp_path).read_bytes() == CONTENT


def test_a_wrong_hash_is_an_error_by_name_and_leaves_nothing_behind(server: FileServer, tmp_path: Path) -> None:
    serve_hub(server, TINY, bytes(TINY.size))
    with pytest.raises(ModelMissing, match=f"expected {TINY.sha256}"):
        take(tmp_path)
    assert left(tmp_path) == []


def test_a_package_with_a_wrong_hash_is_never_unpacked(server: FileServer, tmp_path: Path) -> None:
    wheels = serve_registry(server, TINY, CONTENT)
    server.files[wheels[1]] = bytes(len(server.files[wheels[1]]))
    with pytest.raises(ModelMissing, match=r"some-data-1.*SHA-256"):
        take(tmp_path)
    assert left(tmp_path) == []


def test_right_packages_with_wrong_content_are_an_error_and_leave_nothing(server: FileServer, tmp_path: Path) -> None:
    serve_registry(server, TINY, bytes(TINY.size))
    with pytest.raises(ModelMissing, match="expected"):
        take(tmp_path)
    assert left(tmp_path) == []


def test_a_login_page_instead_of_the_file_is_no_file(server: FileServer, tmp_path: Path) -> None:
    serve_hub(server, TINY, b"<html>Please log in</html>")
    with pytest.raises(ModelDown, match="26 bytes where 3,000,000 are expected"):
        take(tmp_path)
    assert left(tmp_path) == []


def test_when_nothing_can_be_reached_both_sources_and_the_ways_on_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("HF_ENDPOINT", closed)
        monkeypatch.setenv("PIP_INDEX_URL", closed.replace("//", "//ann:secret@"))
        with pytest.raises(ModelDown) as caught:
            take(tmp_path)
    text = str(caught.value)
    assert text.count("127.0.0.1 cannot be reached") == 2
    assert "secret" not in text
    for way in ("HTTPS_PROXY", "HF_ENDPOINT", "PIP_INDEX_URL", "--from"):
        assert way in text


def test_the_index_of_pips_configuration_is_used(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve_registry(server, TINY, CONTENT)
    monkeypatch.delenv("PIP_INDEX_URL")
    configuration = tmp_path / "pip.conf"
    configuration.write_text(f"[global]\nindex-url = {server.url}/simple\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(configuration))
    assert take(tmp_path).read_bytes() == CONTENT


def test_a_file_of_the_persons_is_checked_and_taken(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(CONTENT)
    assert take(tmp_path, source=own).read_bytes() == CONTENT
    assert own.read_bytes() == CONTENT


def test_a_wrong_file_of_the_persons_is_refused_and_left_alone(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"something else")
    with pytest.raises(ModelMissing, match=r"own\.gguf.*left as it is"):
        take(tmp_path, source=own)
    assert own.read_bytes() == b"something else"
    assert left(tmp_path) == []
    with pytest.raises(ModelMissing, match="no file"):
        take(tmp_path, source=tmp_path / "none")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of eight megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("mounting a small file system needs root")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_too_small_a_disk_is_said_before_anything_is_fetched(server: FileServer, small_disk: Path) -> None:
    serve_hub(server, TINY, CONTENT)
    (small_disk / "filler").write_bytes(bytes(6_000_000))
    with pytest.raises(StorageError, match="NINEFOLD_HOME"):
        take(small_disk)
    assert server.requests == []


def test_a_disk_that_fills_up_on_the_way_is_an_error_and_gets_its_room_back(
    server: FileServer, small_disk: Path
) -> None:
    serve_registry(server, TINY, CONTENT)

    def fill(done: int, total: int) -> None:
        if done > total // 2:
            (small_disk / "filler").write_bytes(bytes(shutil.disk_usage(small_disk).free))

    with pytest.raises(StorageError, match="disk is full"):
        take(small_disk, progress=fill)
    assert left(small_disk) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_an_error_by_name(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageError, match="writable"):
        take(tmp_path)


def test_two_pulls_do_not_write_into_each_other(server: FileServer, tmp_path: Path) -> None:
    serve_hub(server, TINY, CONTENT)
    caught: list[NinefoldError] = []

    def second(_done: int, _total: int) -> None:
        if not caught:
            try:
                take(tmp_path)
            except StorageError as error:
                caught.append(error)

    assert take(tmp_path, progress=second).read_bytes() == CONTENT
    assert "Another pull" in str(caught[0])


def test_the_list_tells_whole_from_partial_from_absent(tmp_path: Path) -> None:
    folder = models_folder(tmp_path)
    folder.mkdir()
    first, second = catalogue()[:2]
    (folder / f"{first.file}.part").write_bytes(b"abc")
    with (folder / second.file).open("wb") as file:
        file.truncate(second.size)
    listed = {status.weights.name: status for status in list_models(tmp_path)}
    assert (listed[first.name].path, listed[first.name].partial_bytes) == (None, 3)
    assert listed[second.name].path == folder / second.file


def test_weights_that_are_not_here_name_the_command_and_fetch_nothing(server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="`ninefold models pull smollm2-135m`"):
        model_file("smollm2-135m", tmp_path)
    with pytest.raises(ModelMissing, match=r"qwen2\.5-coder-0\.5b, smollm2-135m"):
        model_file("nonsense", tmp_path)
    with pytest.raises(ModelMissing, match=r"none\.gguf"):
        model_file(str(tmp_path / "none.gguf"), tmp_path)
    own = tmp_path / "own.gguf"
    own.touch()
    assert model_file(str(own), tmp_path) == own
    assert server.requests == []


def test_the_catalogue_is_sound() -> None:
    for weights in catalogue():
        assert sum(part.size for part in weights.packages) == weights.size
        assert len(bytes.fromhex(weights.sha256)) == hashlib.sha256().digest_size
        assert weights.file == Path(weights.file).name
        assert weights.licence
        assert replace(weights) == weights
