"""The folder where an agent keeps its data."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ninefold.state import AgentSettings, StorageError

CHECKPOINTS = "checkpoints.sqlite"
ARCHIVE = "archive.sqlite"


def data_folder(settings: AgentSettings | None = None) -> Path:
    """Give the data folder, made if need be, readable by its owner only.

    It is `storage.folder` of the settings, else NINEFOLD_HOME, else the system's folder for a user's data.

    Raises:
        StorageError: it cannot be made or written.
    """
    folder = _chosen(settings)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise StorageError(
            f"The data folder {folder} cannot be written: {error.strerror or error}.",
            "Make it writable, or set NINEFOLD_HOME or `storage.folder` to a folder that is.",
        ) from error


def _chosen(settings: AgentSettings | None) -> Path:
    if settings is not None and settings.storage.folder is not None:
        return Path(settings.storage.folder).expanduser()
    if home := os.environ.get("NINEFOLD_HOME"):
        return Path(home).expanduser()
    from platformdirs import user_data_dir

    return Path(user_data_dir("ninefold", appauthor=False))
