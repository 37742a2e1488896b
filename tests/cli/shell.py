"""The real command line in a process of its own, with a data folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

MAIN = "from ninefold.cli import main; main()"


class Shell:
    """Runs `ninefold` as a person's shell would.

    Args:
        home: the data folder.
        host: where Ollama is.
    """

    def __init__(self, home: Path, host: str) -> None:
        self.environment = {
            **{name: value for name, value in os.environ.items() if name not in ("LANG", "LC_ALL", "NO_COLOR")},
            "NINEFOLD_HOME": str(home),
            "OLLAMA_HOST": host,
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm",
        }

    def command(self, *arguments: str) -> list[str]:
        """Give the command as a list of words."""
        return [sys.executable, "-c", MAIN, *arguments]

    def run(self, *arguments: str, lines: Sequence[str] | bytes = ()) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; `lines` go to its standard input."""
        given = lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode()
        ended = subprocess.run(
            self.command(*arguments), input=given, capture_output=True, check=False, env=self.environment, timeout=120
        )
        return subprocess.CompletedProcess(ended.args, ended.returncode, ended.stdout.decode(), ended.stderr.decode())
