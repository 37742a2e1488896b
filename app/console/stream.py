"""A reply as it is written, as Markdown: finished blocks stay, the last one is drawn anew."""

from __future__ import annotations

import re
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown
from rich.spinner import Spinner

_FENCE = re.compile(r"^\s{0,3}(```|~~~)", re.MULTILINE)
TICK = 0.1
"""Seconds between two redraws."""


class MarkdownStream:
    """Shows a growing text in a terminal.

    Only the last block is redrawn, so that a reply longer than the screen scrolls away instead of flickering.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._settled = 0
        self._text = ""
        self._drawn = 0.0
        # Drawn by this thread alone: rich's own thread and a print beside it can lose count of the lines to erase.
        self._live = Live(console=console, auto_refresh=False, transient=True, vertical_overflow="ellipsis")

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave what has been written on the screen, also when the reply was stopped."""
        self.restart()
        self._live.stop()

    def wait(self, words: str) -> None:
        """Show that something is going on, until text comes."""
        if not self._text[self._settled :].strip():
            self._live.update(Spinner("dots", text=words), refresh=True)

    def show(self, text: str) -> None:
        """Show the whole text so far; what was shown before is expected at its beginning."""
        if not text.startswith(self._text[: self._settled]):
            self._settled = 0
        self._text = text
        cut = _last_block(text)
        if cut > self._settled:
            self._live.update("", refresh=True)
            self._console.print(Markdown(text[self._settled : cut]))
            self._console.print()
            self._settled = cut
        self._live.update(Markdown(text[self._settled :]))
        if time.monotonic() - self._drawn > TICK:
            self.tick()

    def tick(self) -> None:
        """Redraw; call it every TICK seconds, so that whatever moves does."""
        self._drawn = time.monotonic()
        self._live.refresh()

    def restart(self) -> None:
        """Leave what is there and begin a new text below it."""
        rest = self._text[self._settled :]
        self._live.update("", refresh=True)
        if rest.strip():
            self._console.print(Markdown(rest))
        self._text, self._settled = "", 0


def _last_block(text: str) -> int:
    """Give where the last block begins: behind the last empty line that is not inside of a code fence."""
    at = text.rfind("\n\n")
    while at > 0 and len(_FENCE.findall(text[:at])) % 2:
        at = text.rfind("\n\n", 0, at)
    return at + 2 if at > 0 else 0
