"""The commands that a person types into a chat."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..wording import Wording
from . import reports

if TYPE_CHECKING:
    from .conversation import Conversation

_NAMED = re.compile(r"/([a-z]+)(?:\s+(.*))?\Z", re.DOTALL)


class Slash(NamedTuple):
    """A line that names a command."""

    name: str
    rest: str


ACTIONS: tuple[str, ...] = ("retry", "quit")
"""Commands that the chat itself carries out."""

REPORTS: Mapping[str, Callable[[Conversation, Wording], str]] = {
    "help": lambda _, wording: reports.commands(wording, tuple(REPORTS), ACTIONS),
    "constraints": reports.constraints,
    "context": reports.context,
    "why": reports.why,
}
"""Commands that only tell something."""


def slash(line: str) -> Slash | None:
    """Give the command that a line names, or None when it is a message; `//` begins a message with a slash."""
    found = _NAMED.match(line.strip())
    return Slash(found[1], (found[2] or "").strip()) if found else None


def message_of(line: str) -> str:
    """Give the message of a line that is no command."""
    stripped = line.strip()
    return stripped[1:] if stripped.startswith("//") else stripped


def known(command: Slash) -> bool:
    """Tell whether there is such a command."""
    return command.name in REPORTS or command.name in ACTIONS
