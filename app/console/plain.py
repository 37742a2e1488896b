"""A conversation through a pipe: lines in, replies out, and nothing else on stdout."""

from __future__ import annotations

import asyncio
import locale
import os
import sys
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from typing import BinaryIO

from ninefold.state import ConflictAnswer, InputError

from ..translation import told
from ..wording import Wording
from .conversation import Conversation
from .happenings import Asked, Ended, Happening
from .notes import failed, notes
from .slash import CHANGES, REPORTS, Slash, known, message_of, slash


def converse(conversation: Conversation, lines: Iterable[str], wording: Wording) -> int:
    """Answer each line in turn and give the exit status: 1 when a turn ended without a reply.

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
                    status |= runner.run(_print(conversation, conversation.say(text), wording))
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


def _retry(runner: asyncio.Runner, conversation: Conversation, wording: Wording) -> int:
    if conversation.unfinished():
        return runner.run(_print(conversation, conversation.retry(), wording))
    print(wording.say("chat.nothing_to_retry"), file=sys.stderr)
    return 1


async def _print(conversation: Conversation, happenings: AsyncGenerator[Happening, None], wording: Wording) -> int:
    """Print the reply of a turn; a question that an earlier chat left open is decided for the newer wish."""
    async with aclosing(happenings):
        async for happening in happenings:
            match happening:
                case Ended(reply, _):
                    if reply is not None:
                        print(str(reply.text).rstrip("\n"), flush=True)
                    for note in notes(happening, wording):
                        print(note, file=sys.stderr)
                    return int(failed(happening))
                case Asked(conflicts):
                    newest = {str(conflict["id"]): ConflictAnswer.REPLACE.value for conflict in conflicts}
                    return await _print(conversation, conversation.decide(newest), wording)
                case _:
                    pass
    return 1
