"""A person at a terminal: a pseudo terminal that keys are typed into and whose output is waited for."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from types import TracebackType
from typing import Self

from tests.cli.shell import Shell

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b[=>()][0-9A-Z]?")


def _own_terminal() -> None:
    """Make the terminal the process's own, so that Ctrl-C typed there reaches it as a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Screen:
    """Runs `ninefold` in a terminal of a given width."""

    def __init__(self, shell: Shell, *arguments: str, columns: int = 80, **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        # A pseudo terminal without an emulator behind it does not answer where its cursor is.
        settings = {**shell.environment, "PROMPT_TOOLKIT_NO_CPR": "1", **environment}
        self.process = subprocess.Popen(
            shell.command(*arguments),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=settings,
            start_new_session=True,
            preexec_fn=_own_terminal,
        )
        os.close(theirs)
        self._output = select.poll()
        self._output.register(self._ours, select.POLLIN)
        self._seen = b""
        self._read_to = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._ours, keys.encode())

    def wait_for(self, words: str, seconds: float = 60) -> str:
        """Give what was shown since the last wait, up to these words, without control sequences."""
        end = time.monotonic() + seconds
        while words not in (shown := self._shown()):
            assert time.monotonic() < end, f"{words!r} did not appear in: {shown!r}"
            # Not select(): it takes no descriptor over 1,023, and a long run of tests has many open.
            if self._output.poll(100):
                try:
                    self._seen += os.read(self._ours, 65536)
                except OSError:
                    assert words in self._shown(), f"it ended without {words!r}: {self._shown()!r}"
        at = shown.index(words) + len(words)
        self._read_to += at
        return shown[:at]

    @property
    def seen(self) -> bytes:
        """Everything that was shown so far, control sequences and all."""
        return self._seen

    def _shown(self) -> str:
        text = _ESCAPES.sub("", self._seen.decode("utf-8", "ignore")).replace("\r", "")
        return text[self._read_to :]
