"""A conversation through a pipe: lines in; replies and what a command tells on stdout, everything else on stderr."""

from __future__ import annotations

import asyncio
import locale
import os
import re
import sys
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

from ninefold.adapters.models.thinking import strip_thinking
from ninefold.state import ConflictAnswer, InputError, ThreadBusy

from ..translation import told
from ..wording import Wording
from .conversation import Conversation
from .happenings import Asked, Ended, Happening, Told, Written
from .notes import failed, notes, progress, rules
from .slash import CHANGES, REPORTS, Slash, known, message_of, slash

if TYPE_CHECKING:
    from rich.status import Status

_HALF_A_TAG = re.compile(r"^[ \t]*<[a-z]*\Z", re.MULTILINE | re.IGNORECASE)
"""What may become a thought: held back until it shows what it is, for what was written is never taken back."""


def converse(conversation: Conversation, lines: Iterable[str], wording: Wording) -> int:
    """Answer each line in turn and give the exit status.

    It is 1 when a turn ended without a reply, or when a command is unknown or could not be done: that is named, and the
    lines behind it are read.

    Raises:
        NinefoldError: a turn failed; the lines behind it are not read.
    """
    status = 0
    with asyncio.Runner() as runner:
        for line in lines:
            command = slash(line)
            if command is None or not known(command):
                if command is not None:
                    print(wording.say("chat.unknown_command", name=command.name), file=sys.stderr)
                    status = 1
                elif text := message_of(line):
                    status |= _said(runner, conversation, text, wording)
            elif command.name == "quit":
                break
            elif command.name == "retry":
                status |= _retry(runner, conversation, wording)
            elif command.name in CHANGES:
                status |= _change(command, conversation, wording)
            else:
                print(REPORTS[command.name](conversation, wording), flush=True)
    return status


def lines_of(stream: BinaryIO, wording: Wording) -> Iterator[str]:
    """Give the lines of a stream: UTF-8, else what the locale says; what neither can read is replaced, and said."""
    said = False
    for data in stream:
        line = _decoded(data)
        if line is None:
            line = data.decode("utf-8", "replace")
            if not said:
                print(wording.say("chat.bad_input"), file=sys.stderr)
                said = True
        yield line.removeprefix("\ufeff")


def argument(text: str) -> str:
    """Give an argument of the command line as it was typed, where Python's locale could not read its bytes."""
    return _decoded(os.fsencode(text)) or text


def _decoded(data: bytes) -> str | None:
    for encoding in ("utf-8", locale.getpreferredencoding(do_setlocale=False)):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return None


def _change(command: Slash, conversation: Conversation, wording: Wording) -> int:
    """Change the session and say what that did; what cannot be done is named, and the lines behind it are read."""
    try:
        print(CHANGES[command.name](conversation, command.rest, wording), flush=True)
    except InputError as error:
        print(told(error, wording.language), file=sys.stderr)
        return 1
    return 0


def _said(runner: asyncio.Runner, conversation: Conversation, text: str, wording: Wording) -> int:
    """Take a turn with the person's message; one that a busy thread did not take is given back.

    A turn that a new message leaves unfinished is named: in a pipe nobody sees it otherwise.
    """
    if conversation.unfinished() and conversation.pending() is None:
        print(wording.say("chat.unfinished"), file=sys.stderr)
    try:
        return runner.run(_print(conversation, conversation.say(text), wording))
    except ThreadBusy:
        print(wording.say("chat.given_back", text=text), file=sys.stderr)
        raise


def _retry(runner: asyncio.Runner, conversation: Conversation, wording: Wording) -> int:
    if conversation.unfinished():
        return runner.run(_print(conversation, conversation.retry(), wording))
    print(wording.say("chat.nothing_to_retry"), file=sys.stderr)
    return 1


async def _print(conversation: Conversation, happenings: AsyncGenerator[Happening, None], wording: Wording) -> int:
    """Print the reply of a turn; a question that an earlier chat left open is decided for the newer wish."""
    told_of: list[str] = []
    async with aclosing(happenings):
        with _Printed(wording) as printed:
            async for happening in happenings:
                match happening:
                    case Written(message, text):
                        printed.add(message, text)
                    case Told(event):
                        told_of += rules(event, wording)
                        printed.wait(progress(event, wording))
                    case Ended(reply, _):
                        printed.end("" if reply is None else str(reply.text))
                        for note in [*told_of, *notes(happening, wording)]:
                            print(note, file=sys.stderr)
                        return int(failed(happening))
                    case Asked(conflicts):
                        printed.end("")
                        for note in told_of:
                            print(note, file=sys.stderr)
                        newest = {str(conflict["id"]): ConflictAnswer.REPLACE.value for conflict in conflicts}
                        return await _print(conversation, conversation.decide(newest), wording)
    return 1


class _Printed:
    """Writes a turn's text to stdout as it arrives, and to a terminal on stderr what it waits for."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._message = self._arrived = self._written = ""
        self._status: Status | None = None

    def __enter__(self) -> Self:
        self.wait(self._wording.say("chat.reading"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave a whole line, also when the turn was stopped."""
        self.end("")

    def wait(self, words: str | None) -> None:
        """Show that something is going on, until text comes."""
        if not words or self._written or not sys.stderr.isatty():
            return
        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True).status(words)
            self._status.start()
        self._status.update(words)

    def add(self, message: str, text: str) -> None:
        """Write more of a message; the thoughts of a model are left out."""
        if message != self._message:
            self.end("")
            self._message, self._arrived = message, ""
        self._arrived += text
        self._write(_HALF_A_TAG.sub("", strip_thinking(self._arrived)))

    def end(self, text: str) -> None:
        """End the message that is being written; the whole of it, where it is known, counts."""
        if text and not self._write(text) and text.strip():
            print(flush=True)
            self._written = ""
            self._write(text)
        if self._written:
            print(flush=True)
        self._stop()
        self._written = ""

    def _write(self, text: str) -> bool:
        """Write what a text has behind that which stands there; tell whether it begins like that."""
        shown = text.rstrip()
        if not shown.startswith(self._written):
            return False
        if len(shown) > len(self._written):
            self._stop()
            print(shown[len(self._written) :], end="", flush=True)
            self._written = shown
        return True

    def _stop(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None
