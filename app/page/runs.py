"""The turns that run now: each goes on when its tab is closed, can be watched by many, and stops at once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any

from ninefold.adapters.models.thinking import strip_thinking
from ninefold.graph.locks import busy
from ninefold.policies.forget_texts import any_of
from ninefold.policies.forgetting import Holds
from ninefold.state import NinefoldError

from ..console.happenings import Asked, Ended, Happening, Told, Written
from ..console.notes import notes, progress
from ..translation import told
from ..wording import Wording

_log = logging.getLogger(__name__)

Event = dict[str, Any]
"""Something that happened in a turn, as the page reads it: its `kind`, and what belongs to that kind."""

_STOP_SECONDS = 5.0
"""A write under way is waited for; a stopped turn is shown as stopped before that."""


@dataclass
class Run:
    """One turn under way, or the last one of its thread."""

    thread: str
    said: str
    """The person's message; empty when an older turn goes on."""
    wording: Wording
    events: list[Event] = field(default_factory=list[Event])
    """Everything that happened so far; whoever comes late reads it from the beginning."""
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """How long each step took."""
    turn: int | None = None
    """The turn's number, once it began."""
    over: bool = False
    end: str = ""
    """How it ended: ended, asked, stopped or failed."""
    forgets: tuple[str, ...] = ()
    """What was forgotten with it."""
    task: asyncio.Task[None] | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _written: dict[str, str] = field(default_factory=dict[str, str])
    _shown: dict[str, str] = field(default_factory=dict[str, str])

    async def watch(self) -> AsyncIterator[Event]:
        """Give what happened and what happens, to the end of the turn."""
        # Whoever watches reads this list to its end, also when the turn is cleaned meanwhile.
        at, events = 0, self.events
        while True:
            news = self._news
            while at < len(events):
                yield events[at]
                at += 1
            if self.over:
                return
            await news.wait()

    def clean(self, holds: Holds) -> None:
        """Leave no words in a turn that is over and holds what was forgotten; how it ended stays."""
        texts = (self.said, *self._written.values(), *(str(event) for event in self.events))
        if self.over and any(holds(text) for text in texts):
            self.said = ""
            self._written.clear()
            self._shown.clear()
            self.events = [_wordless(event) for event in self.events if event["kind"] not in ("status", "text")]

    async def play(self, happenings: AsyncGenerator[Happening, None]) -> None:
        """Take the turn to its end; what fails is told as an event."""
        begun = time.monotonic()
        try:
            async with aclosing(happenings):
                async for happening in happenings:
                    if isinstance(happening, Told) and "step" in happening.event:
                        moment = time.monotonic()
                        step = str(happening.event["step"])
                        self.seconds[step] = self.seconds.get(step, 0.0) + moment - begun
                        begun = moment
                    self._take(happening)
        except asyncio.CancelledError:
            self._tell({"kind": "stopped", "words": self.wording.say("page.stopped")})
        except NinefoldError as error:
            self._tell(failed(error, self.wording))
        except Exception as error:  # noqa: BLE001 - logged whole; the page is told its name, and goes on
            _log.exception("a turn of the thread %r failed", self.thread)
            words = self.wording.say("page.failed", error=type(error).__name__)
            self._tell({"kind": "failed", "error": type(error).__name__, "words": words})
        finally:
            self.end = self.events[-1]["kind"] if self.events else ""
            self.over = True
            self._tell({"kind": "over"})

    def _take(self, happening: Happening) -> None:
        match happening:
            case Written(message, text):
                self._written[message] = self._written.get(message, "") + text
                self._show(message)
            case Told(event):
                if event.get("kind") == "turn_started":
                    self.turn = int(event["number"])
                    self._tell({"kind": "turn", "number": self.turn})
                elif words := _status(event, self.wording):
                    self._tell({"kind": "status", "step": event.get("step"), "words": words})
            case Asked(conflicts):
                self._tell({"kind": "asked", "conflicts": [conflict_of(each) for each in conflicts]})
            case Ended(reply, outcome, forgotten):
                self.forgets = forgotten
                final = None if reply is None else str(reply.text)
                status = outcome.status.value if outcome else None
                told_so = notes(happening, self.wording)
                self._tell({"kind": "ended", "text": final, "status": status, "notes": told_so})

    def _show(self, message: str) -> None:
        """Tell the text that is new; what turned out to be a thought is taken back."""
        shown, before = strip_thinking(self._written[message]), self._shown.get(message, "")
        if not shown and not before:
            self._tell_once({"kind": "status", "step": "model_call", "words": self.wording.say("chat.thinking")})
        elif not shown.startswith(before):
            self._tell({"kind": "text", "message": message, "set": shown})
        elif shown != before:
            self._tell({"kind": "text", "message": message, "add": shown[len(before) :]})
        self._shown[message] = shown

    def _tell_once(self, event: Event) -> None:
        if not self.events or self.events[-1] != event:
            self._tell(event)

    def _tell(self, event: Event) -> None:
        self.events.append(event)
        news, self._news = self._news, asyncio.Event()
        news.set()


class Runs:
    """The last turn of each thread that was taken at the page.

    Args:
        patience: seconds that a turn is given to stop.
    """

    def __init__(self, patience: float = _STOP_SECONDS) -> None:
        self._patience = patience
        self._runs: dict[str, Run] = {}
        self._seconds: dict[str, dict[int, dict[str, float]]] = {}
        self._idle: asyncio.Task[None] | None = None

    def begin(
        self,
        thread: str,
        said: str,
        happenings: AsyncGenerator[Happening, None],
        wording: Wording,
        then: Callable[[], Coroutine[Any, Any, object]],
    ) -> Run:
        """Give a turn that runs from now on, whoever watches.

        Args:
            thread: the thread.
            said: the person's message; empty when an older turn goes on.
            happenings: the turn.
            wording: the language of what is told about it.
            then: what is done afterwards, while nobody waits; the next turn of any thread ends it.

        Raises:
            ThreadBusy: another turn of the thread runs here.
        """
        if self.running(thread):
            raise busy(thread, wording.say("page.at_the_page"))
        run = Run(thread, said, wording)
        self._runs[thread] = run
        run.task = asyncio.create_task(run.play(happenings))
        run.task.add_done_callback(lambda _: self._ended(run, then))
        if self._idle is not None:
            self._idle.cancel()
        return run

    def of(self, thread: str) -> Run | None:
        """Give the thread's turn under way, or its last one."""
        return self._runs.get(thread)

    def running(self, thread: str) -> bool:
        """Tell whether a turn of the thread is under way."""
        run = self._runs.get(thread)
        return run is not None and not run.over

    def seconds(self, thread: str) -> Mapping[int, Mapping[str, float]]:
        """Give how long each step took, by turn, of those turns that were taken since the page was opened."""
        return self._seconds.get(thread, {})

    def leave(self, thread: str) -> None:
        """Drop what is known of a thread that was deleted or got another name."""
        self._runs.pop(thread, None)
        self._seconds.pop(thread, None)

    def clean(self, holds: Holds) -> None:
        """Leave what was forgotten in no turn that is over."""
        for run in [*self._runs.values()]:
            run.clean(holds)

    async def stop(self, thread: str) -> bool:
        """Stop the thread's turn; tell whether one was stopped: a step that cannot be broken off is not."""
        run = self._runs.get(thread)
        if run is None or run.over or run.task is None:
            return False
        run.task.cancel()
        await asyncio.wait([run.task], timeout=self._patience)
        return run.over

    async def stop_all(self) -> None:
        """Stop every turn: the page closes."""
        for thread in [*self._runs]:
            await self.stop(thread)
        await self.rest()

    async def rest(self) -> None:
        """End what is done while nobody waits."""
        if self._idle is not None:
            self._idle.cancel()
            await asyncio.wait([self._idle], timeout=_STOP_SECONDS)

    def _ended(self, run: Run, then: Callable[[], Coroutine[Any, Any, object]]) -> None:
        if run.turn is not None:
            self._seconds.setdefault(run.thread, {})[run.turn] = dict(run.seconds)
        if run.end == "ended" and run.forgets:
            self.clean(any_of(run.forgets))
        if run.end == "ended" and not any(self.running(thread) for thread in self._runs):
            self._idle = asyncio.create_task(_beside(then))


def _wordless(event: Event) -> Event:
    bare = {"text": "", "notes": [], "words": "", "conflicts": []}
    return {name: value if value is None else bare.get(name, value) for name, value in event.items()}


async def _beside(work: Callable[[], Coroutine[Any, Any, object]]) -> None:
    """Do what nobody waits for; what fails in it, the next turn does itself, and names."""
    with suppress(NinefoldError):
        await work()


def failed(error: NinefoldError, wording: Wording) -> Event:
    """Give an error as the page shows it, in a language."""
    return {"kind": "failed", "error": type(error).__name__, "words": told(error, wording.language)}


def conflict_of(conflict: Mapping[str, Any]) -> dict[str, str]:
    """Give a question as the page asks it: the earlier words and the newer ones."""
    return {"id": str(conflict["id"]), "old": _words(conflict["old"]), "new": _words(conflict["new"])}


def _words(wish: Any) -> str:
    return str(wish["words"] if isinstance(wish, Mapping) else wish)


def _status(event: Mapping[str, Any], wording: Wording) -> str:
    match event.get("kind"):
        case "prompt_read":
            return wording.say("page.read", done=event["done"], total=event["total"])
        case "compacted":
            return wording.say("page.compacting", strategy=event["strategy"])
        case _:
            return progress(event, wording) or ""
