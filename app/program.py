"""How the person can run the command line: `ninefold`, or where it lies in their environment."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path

_COMMAND = re.compile(
    r"(?<![\w/.-])ninefold(?= (?:chat|draw|doctor|explain|ledger|mcp|memory|models|serve|sessions)\b)"
)


def as_run(text: str) -> str:
    """Give a text with the commands in it as the person can run them."""
    return _COMMAND.sub(lambda _: program(), text)


@cache
def program() -> str:
    """Give the words that run `ninefold` from here: its name where the shell finds it, else the path of this one."""
    from shutil import which

    name = "ninefold"
    own = Path(sys.argv[0] or ".")
    if own.stem != name or which(name) or not own.is_file():
        return name
    path = own.absolute()
    shown = str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
    return name if re.search(r"[\s{}]", shown) else shown.replace(os.sep, "/")
