"""A conversation in a terminal: Markdown as it is written, line editing and history, a stop key that works at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import Future
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console

from ninefold.adapters.models.thinking import strip_thinking
from ninefold.state import ConflictAnswer, NinefoldError, ThreadBusy

from ..translation import told
from ..wording import Wording
from .happenings import Asked, Ended, Happening, Told, Written
from .idle import preparing
from .notes import notes, progress, rules
from .slash import CHANGES, REPORTS, Slash, known, message_of, slash
from .stream import TICK, MarkdownStream

if TYPE_CHECKING:
    from .conversation import Conversation


class Read(Protocol):
    """Reads one line of the person's; raises EOFError at the end and KeyboardInterrupt for Ctrl-C."""

    def __call__(self, prompt: str, /, *, default: str = "") -> str:
        """Give the line that is typed after a prompt, where the default stands to be changed."""
        ...


_YES = ("y", "yes", "是", "好", "确定")
_CHOICES = {"1": ConflictAnswer.REPLACE, "2": ConflictAnswer.KEEP, "3": ConflictAnswer.THIS_TURN}


class Terminal:
    """Talks with a person until they leave.

    Args:
        opening: the conversation as it is being made: the libraries behind it take longer to load than a person needs
            to begin to type.
        wording: what is said around the replies.
        read: reads the person's lines.
        console: the terminal.
    """

    def __init__(
        self,
        opening: Future[Conversation],
        wording: Wording,
        read: Read,
        console: Console,
    ) -> None:
        self._opening = opening
        self._wording = wording
        self._read = read
        self._console = console
        self._said = self._unsaid = ""

    @property
    def _conversation(self) -> Conversation:
        """The conversation, waited for."""
        if not self._opening.done():
            with self._console.status(self._wording.say("chat.opening")):
                return self._opening.result()
        return self._opening.result()

    def converse(self, *, known_thread: bool) -> None:
        """Read, answer, and so on; a named error in a turn is shown and the chat goes on.

        Args:
            known_thread: the thread may be an older one, whose open ends are taken up first.

        Raises:
            NinefoldError: the conversation cannot be opened.
        """
        with asyncio.Runner() as runner:
            if known_thread:
                self._take_up(runner)
            while True:
                try:
                    with preparing(self._opening):
                        line = self._read("› ", default=self._unsaid)
                    self._unsaid = ""
                except KeyboardInterrupt:
                    continue
                except EOFError:
                    break
                if not self._answer(runner, line):
                    break

    def _take_up(self, runner: asyncio.Runner) -> None:
        """Say how far the session is, ask again what an earlier chat left open, and name a turn it did not finish."""
        turn = self._conversation.state().get("turn")
        if turn is not None:
            self._note(self._wording.say("chat.resumed", turns=turn.number))
        asked = self._conversation.pending()
        if asked is not None:
            self._play(runner, self._decided(asked))
        elif self._conversation.unfinished():
            self._note(self._wording.say("chat.unfinished"))

    def _answer(self, runner: asyncio.Runner, line: str) -> bool:
        """Act on a line; tell whether the chat goes on."""
        command = slash(line)
        if command is None:
            if text := message_of(line):
                self._play(runner, self._say(text))
        elif command.name == "quit":
            return False
        elif command.name == "retry":
            if self._conversation.unfinished():
                self._said = ""
                self._play(runner, self._conversation.retry())
            else:
                self._note(self._wording.say("chat.nothing_to_retry"))
        elif command.name in CHANGES:
            self._change(command)
        elif known(command):
            report = REPORTS[command.name](self._conversation, self._wording)
            self._console.print(report, markup=False, highlight=False)
        else:
            self._note(self._wording.say("chat.unknown_command", name=command.name))
        return True

    def _say(self, text: str) -> AsyncGenerator[Happening, None]:
        self._said = text
        return self._conversation.say(text)

    def _change(self, command: Slash) -> None:
        """Change the session and say what that did; forgetting cannot be taken back, so it asks first."""
        say = self._wording.say
        if command.name == "forget" and command.rest and not self._agreed(say("forget.ask", words=command.rest)):
            self._note(say("forget.kept"))
            return
        try:
            with self._console.status(say("chat.working")):
                done = CHANGES[command.name](self._conversation, command.rest, self._wording)
        except KeyboardInterrupt:
            self._note(say("chat.unchanged"))
            return
        except NinefoldError as error:
            self._refused(error)
            return
        self._console.print(done, markup=False, highlight=False)

    def _agreed(self, question: str) -> bool:
        try:
            return message_of(self._read(question)).lower() in _YES
        except (EOFError, KeyboardInterrupt):
            return False

    def _refused(self, error: NinefoldError) -> None:
        self._console.print(told(error, self._wording.language), style="red", markup=False, highlight=False)

    def _play(self, runner: asyncio.Runner, happenings: AsyncGenerator[Happening, None] | None) -> None:
        """Show a turn to its end, through every question; Ctrl-C stops it and keeps the chat."""
        while happenings is not None:
            try:
                asked = runner.run(self._show(happenings))
            except KeyboardInterrupt:
                self._note(self._wording.say("chat.stopped"))
                return
            except ThreadBusy as error:
                self._refused(error)
                self._unsaid = self._said
                if self._unsaid:
                    self._note(self._wording.say("chat.back_in_line"))
                return
            except NinefoldError as error:
                self._refused(error)
                return
            happenings = self._decided(asked) if asked else None

    async def _show(self, happenings: AsyncGenerator[Happening, None]) -> Asked | None:
        """Show what happens, and give the question that the turn ended with."""
        written: dict[str, str] = {}
        ended = Ended(None, None)
        heard: list[str] = []
        async with _drawn(MarkdownStream(self._console)) as stream:
            stream.wait(self._wording.say("chat.reading"))
            async with aclosing(happenings):
                async for happening in happenings:
                    match happening:
                        case Written(message, text):
                            if message not in written:
                                stream.restart()
                            written[message] = written.get(message, "") + text
                            shown = strip_thinking(written[message])
                            if shown:
                                stream.show(shown)
                            else:
                                stream.wait(self._wording.say("chat.thinking"))
                        case Told(event):
                            heard += rules(event, self._wording)
                            if words := progress(event, self._wording):
                                stream.wait(words)
                        case Ended(reply, _):
                            if reply is not None:
                                stream.show(str(reply.text))
                            ended = happening
                        case Asked():
                            for note in heard:
                                self._note(note)
                            return happening
        for note in [*heard, *notes(ended, self._wording)]:
            self._note(note)
        return None

    def _decided(self, asked: Asked) -> AsyncGenerator[Happening, None] | None:
        """Give the turn that goes on with the person's answers; None when they would not say now."""
        answers: dict[str, str] = {}
        say = self._wording.say
        for conflict in asked.conflicts:
            lines = [
                say("conflict.title"),
                *(say(f"conflict.{key}", words=_words(conflict[key])) for key in ("old", "new")),
            ]
            lines += [f"  {number}. {say(f'conflict.{answer.value}')}" for number, answer in _CHOICES.items()]
            self._console.print("\n".join(lines), markup=False, highlight=False)
            try:
                said = self._choice()
            except (EOFError, KeyboardInterrupt):
                return None
            if said not in _CHOICES:
                return self._say(said)
            answers[str(conflict["id"])] = _CHOICES[said].value
        self._said = ""
        return self._conversation.decide(answers)

    def _choice(self) -> str:
        """Give the number that the person chose, or the message that they wrote instead."""
        while True:
            said = message_of(self._read(self._wording.say("conflict.ask")))
            if said in _CHOICES or len(said) > 1:
                return said
            self._note(self._wording.say("conflict.again"))

    def _note(self, text: str) -> None:
        self._console.print(text, style="dim", markup=False, highlight=False)


@asynccontextmanager
async def _drawn(stream: MarkdownStream) -> AsyncGenerator[MarkdownStream, None]:
    """Redraw the stream while its turn runs."""

    async def redraw() -> None:
        while True:
            await asyncio.sleep(TICK)
            stream.tick()

    with stream:
        drawing = asyncio.create_task(redraw())
        try:
            yield stream
        finally:
            drawing.cancel()


def _words(wish: Any) -> str:
    return str(wish["words"] if isinstance(wish, Mapping) else wish)
