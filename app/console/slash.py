"""The commands that a person types into a chat, in English or Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..wording import Wording
from . import changes, reports

if TYPE_CHECKING:
    from .conversation import Conversation

_NAMED = re.compile(r"[/／](\w++)(?![/.\\\-=*@])(.*)\Z", re.DOTALL)
"""A slash and a word; more slashes, or what joins the parts of a file's name, make it a path, which is a message."""
_BEFORE_REST = " \t\n\u3000:：,，"


class Slash(NamedTuple):
    """A line that names a command."""

    name: str
    """The command's English name where it is known, else the word as it was typed."""
    rest: str


REPORTS: Mapping[str, Callable[[Conversation, Wording], str]] = {
    "help": lambda _, wording: reports.commands(wording, CHINESE),
    "constraints": reports.constraints,
    "context": reports.context,
    "why": reports.why,
}
"""Commands that only tell something."""

CHANGES: Mapping[str, Callable[[Conversation, str, Wording], str]] = {
    "pin": changes.pin,
    "end": changes.end,
    "undo": changes.undo,
    "compact": changes.compact,
    "forget": changes.forget,
}
"""Commands that change the session between two turns, and tell what they did."""

CHINESE: Mapping[str, tuple[str, ...]] = {
    "help": ("帮助",),
    "constraints": ("约束",),
    "context": ("上下文",),
    "why": ("为什么", "原因"),
    "pin": ("固定", "钉住"),
    "end": ("结束", "解除"),
    "undo": ("撤销", "撤消"),
    "compact": ("压缩",),
    "forget": ("忘掉", "忘记"),
    "retry": ("重试",),
    "quit": ("退出",),
}
"""Every command with its Chinese names, the first of which is shown; `retry` and `quit` the chat itself carries out."""

_ENGLISH = {chinese: name for name, names in CHINESE.items() for chinese in names}


def slash(line: str) -> Slash | None:
    """Give the command that a line names, or None when it is a message; `//` begins a message with a slash.

    A word that no command is called by is one too: it is asked about, and never sent to a model.
    """
    found = _NAMED.match(line.strip())
    if not found:
        return None
    word, behind = found[1], found[2]
    rest = behind.strip().lstrip(_BEFORE_REST)
    name = _ENGLISH.get(word, word.lower())
    if name in CHINESE:
        return Slash(name, rest)
    return _joined(word, behind) or Slash(word, rest)


def message_of(line: str) -> str:
    """Give the message of a line that is no command."""
    stripped = line.strip()
    return stripped[1:] if stripped.startswith(("//", "／／")) else stripped


def known(command: Slash) -> bool:
    """Tell whether there is such a command."""
    return command.name in CHINESE


def _joined(word: str, behind: str) -> Slash | None:
    """Give a command whose Chinese name stands without a blank before what it is about: /忘掉我的电话."""
    for chinese, name in _ENGLISH.items():
        if name in CHANGES and name != "undo" and word.startswith(chinese):
            return Slash(name, f"{word.removeprefix(chinese)}{behind}".strip())
    return None
