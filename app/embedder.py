"""One data folder, one embedder: the one that it was begun with, until its memories are embedded anew."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ninefold.state import EmbedderMismatch, StorageError

FILE = "provider.json"
MEMORIES = "memory"


def check_embedder(folder: Path, name: str) -> None:
    """Refuse an embedder that the data folder's memories do not belong to; without memories any may begin.

    Raises:
        EmbedderMismatch: the folder was begun with another one.
    """
    kept = _read(folder / FILE).get("embedder")
    if kept and kept != name and (folder / MEMORIES).exists():
        provider, _, model = str(kept).partition(":")
        raise EmbedderMismatch(
            f"The data folder {folder} was begun with the embedder {kept}; this agent names {name}.",
            f"Name it in agent.yaml, `embeddings: {{provider: {provider}, model_name: {model}}}`, choose another"
            " `storage.folder`, or move the memories with `ninefold memory reembed --agent FILE`.",
        )


def embedder_here(folder: Path) -> str | None:
    """Give the embedder that the memories of a data folder were made by, as they tell themselves; None without any.

    A store that cannot be read is left to the first turn, which names its fault and goes on.
    """
    from ninefold.adapters.memory.collection import current_collections
    from ninefold.adapters.memory.connection import Connection

    if not (folder / MEMORIES).exists():
        return None
    connection = Connection(folder / MEMORIES, timeout=10)
    try:
        return next(iter(current_collections(connection.client()[0]).values()), None)
    except Exception:  # noqa: BLE001 - Chroma raises what it likes, and the first turn names it
        return None
    finally:
        connection.close()


def keep_embedder(folder: Path, name: str) -> None:
    """Note the embedder that the folder's memories belong to now, where one is noted.

    Raises:
        StorageError: the note cannot be written.
    """
    noted = _read(folder / FILE)
    if noted:
        write_note(folder, {**noted, "embedder": name})


def write_note(folder: Path, noted: Mapping[str, Any]) -> None:
    """Write what a data folder was begun with, whole or not at all: another process may read it meanwhile.

    Raises:
        StorageError: it cannot be written.
    """
    file, beside = folder / FILE, folder / f".{FILE}.{os.getpid()}"
    try:
        beside.write_text(json.dumps(noted, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(beside, file)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StorageError(f"{file} cannot be written: {error.strerror}.", "Make the data folder writable.") from error


def _read(file: Path) -> dict[str, Any]:
    """Give what a first start has noted; a file that it cannot read names its fault itself."""
    try:
        noted = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast("dict[str, Any]", noted) if isinstance(noted, dict) else {}
