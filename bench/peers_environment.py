"""The environment of their own in which the peers are measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PEERS = Path(__file__).parent / "peers"


def peers_python() -> Path | None:
    """Give the interpreter beside which the peers' current releases are installed; None, and why, where none can be."""
    python = PEERS / ".venv" / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", python.parent.parent], check=True)
        needs: list[str | Path] = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--upgrade",
            "-r",
            PEERS / "requirements.txt",
        ]
        subprocess.run(needs, check=True, timeout=900)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"The peers are not measured: their environment could not be made ({error}).")
        return None
    return python


def rows_of(python: Path, program: str, *arguments: str) -> Sequence[dict[str, Any]]:
    """Give the rows that one of the peers' programs writes.

    They run without the strict reading of checkpoints that `make` switches on for ninefold: langmem's state needs more.
    """
    environment = {name: value for name, value in os.environ.items() if name != "LANGGRAPH_STRICT_MSGPACK"}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.json"
        subprocess.run([python, PEERS / program, *arguments, "--json", file], check=True, env=environment)
        rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        return rows
