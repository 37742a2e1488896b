"""What is done for a conversation while the person types: the next cut's summary is made."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

from ninefold.state import NinefoldError

if TYPE_CHECKING:
    from .conversation import Conversation


@contextmanager
def preparing(opening: Future[Conversation]) -> Iterator[None]:
    """Prepare while the block runs; before it ends the model's work is stopped, so that no turn waits for it.

    A conversation that is still being opened has nothing to prepare. A fault is left to the turn that cuts: it makes
    its summary itself and names what fails then.
    """
    if not opening.done() or opening.exception() is not None:
        yield
        return
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]] = Future()

    async def prepare() -> None:
        task = asyncio.current_task()
        assert task is not None
        started.set_result((asyncio.get_running_loop(), task))
        with suppress(NinefoldError, asyncio.CancelledError):
            await opening.result().prepare()

    thread = Thread(target=asyncio.run, args=(prepare(),), name="preparing", daemon=True)
    thread.start()
    try:
        yield
    finally:
        loop, task = started.result()
        with suppress(RuntimeError):  # the loop is closed: there was nothing left to do
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
