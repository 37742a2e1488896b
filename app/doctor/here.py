"""This machine and the data folder."""

from __future__ import annotations

import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

from ninefold.state import AgentSettings, EmbedderMismatch, ModelMissing, NinefoldError

from ..home import ARCHIVE, CHECKPOINTS
from .finding import Finding, Level

_LITTLE = 1 << 30
"""Bytes of free disk below which a session may soon not be kept."""
_PATIENCE = 2.0
"""Seconds for a database that another process writes to."""
_FEW, _MANY = 15, 30
"""Messages of the window: with fewer the agent was seen to lose the thread, with more to slow down."""


def disk(folder: Path) -> Iterator[Finding]:
    """Look at the room for sessions."""
    free = shutil.disk_usage(folder).free
    values = {"folder": folder, "free": f"{free / (1 << 30):.1f}"}
    if free < _LITTLE:
        yield Finding(Level.WARNING, "doctor.disk_little", values, "ninefold sessions list")
    else:
        yield Finding(Level.GOOD, "doctor.disk", values)


def databases(folder: Path) -> Iterator[Finding]:
    """Look whether the databases of the sessions can be opened; what is in them is read by the turn that needs it."""
    for file in (folder / name for name in (CHECKPOINTS, ARCHIVE)):
        if not file.is_file():
            continue
        try:
            with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=_PATIENCE)) as connection:
                connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                yield Finding(Level.FAULT, "doctor.damaged", {"file": file, "why": error}, _set_aside(file))
            else:
                yield Finding(Level.WARNING, "doctor.not_looked_at", {"file": file, "why": error}, "ninefold doctor")


def _set_aside(file: Path) -> str:
    """Give the command that moves a database away with what belongs to it: the newest turns may be beside it."""
    parts = [file, *(beside for end in ("-wal", "-shm") if (beside := file.with_name(file.name + end)).exists())]
    damaged = file.with_name(f"{file.name}.damaged")
    moved = (f"{shlex.quote(str(part))} {shlex.quote(str(damaged) + part.name[len(file.name) :])}" for part in parts)
    return " && ".join(f"mv {each}" for each in moved)


def locks(folder: Path) -> Iterator[Finding]:
    """Look for turns that hold their thread now."""
    from filelock import FileLock, Timeout

    held = 0
    for file in (folder / "locks").glob("*.lock"):
        try:
            with FileLock(file, timeout=0):
                pass
        except Timeout:
            held += 1
    yield Finding(Level.GOOD, "doctor.locks", {"count": held})


def window(settings: AgentSettings) -> Iterator[Finding]:
    """Look at the size of the window."""
    keep = settings.context_policy.recent_keep
    if not _FEW < keep < _MANY:
        values = {"keep": keep, "few": _FEW, "many": _MANY}
        yield Finding(Level.WARNING, "doctor.recent_keep", values, "context_policy: {recent_keep: 20}")


def embedded(settings: AgentSettings, folder: Path) -> Iterator[Finding]:
    """Look at the runtime and the weights of the embedded model."""
    from ninefold.adapters.weights.pull import model_file

    name = settings.model.model_name
    if find_spec("xllamacpp") is None:
        yield Finding(Level.FAULT, "doctor.no_runtime", {}, 'pip install "ninefold[embedded]"')
    try:
        file = model_file(name, folder)
    except ModelMissing as error:
        yield Finding(Level.FAULT, "doctor.error", {"cause": error.cause}, f"ninefold models pull {name}")
    else:
        yield Finding(Level.GOOD, "doctor.weights", {"model": name, "file": file})


def memories(settings: AgentSettings, folder: Path) -> Iterator[Finding]:
    """Look whether the memories belong to the embedder."""
    if settings.memory == "off":
        yield Finding(Level.GOOD, "doctor.memory_off")
        return
    if settings.memory.store == "chroma" and not (folder / "memory").exists():
        yield Finding(Level.GOOD, "doctor.memory_none")
        return
    from ..memories import memory_of

    try:
        store = memory_of(settings, folder)
        assert store is not None
        store.check()
        yield Finding(Level.GOOD, "doctor.memory", {"embedder": store.embedder})
    except EmbedderMismatch as error:
        yield Finding(Level.FAULT, "doctor.error", {"cause": error.cause}, "ninefold memory reembed")
    except NinefoldError as error:
        yield Finding(Level.FAULT, "doctor.error", {"cause": error.cause}, error.next_step)
