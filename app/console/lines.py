"""The person's lines in a terminal: line editing, and a history that outlives the chat."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .terminal import Read

if TYPE_CHECKING:
    from prompt_toolkit.history import FileHistory

HISTORY = "chat_history"
"""The file of the data folder that keeps the lines."""


def line_reader(history: Path) -> Read:
    """Give a reader with line editing and a history that outlives the chat; readable by its owner only."""
    from prompt_toolkit import PromptSession

    history.touch(mode=0o600)
    session: PromptSession[str] = PromptSession(history=kept_lines(history))
    return session.prompt


def kept_lines(history: Path) -> FileHistory:
    """Give the lines of a file, read anew for each prompt: what was forgotten meanwhile is not brought up again."""
    from prompt_toolkit.history import FileHistory

    class KeptLines(FileHistory):
        async def load(self) -> AsyncGenerator[str, None]:
            for line in self.load_history_strings():
                yield line

    return KeptLines(str(history))


def scrub(history: Path, texts: Sequence[str]) -> None:
    """Take every kept line that holds a text which was forgotten out of the history.

    Its form is prompt_toolkit's: entries apart by an empty line, a comment with the time, each line behind a "+".
    """
    from ninefold.policies.forget_texts import any_of

    holds = any_of(texts)
    if not history.exists():
        return
    entries = history.read_text(encoding="utf-8", errors="replace").split("\n\n")
    kept = [entry for entry in entries if not holds(_words(entry))]
    if len(kept) < len(entries):
        history.write_text("\n\n".join(kept).rstrip("\n") + "\n", encoding="utf-8")


def _words(entry: str) -> str:
    return "\n".join(line[1:] for line in entry.splitlines() if line.startswith("+"))
