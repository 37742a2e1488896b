"""Work from async code that runs to its end, whoever is cancelled meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def to_its_end(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Give what a blocking call gives, from a thread.

    Law: as that of `through`.
    """
    return await through(asyncio.to_thread(call, *args, **kwargs))


async def through(work: Coroutine[Any, Any, T]) -> T:
    """Give what the work gives.

    Law: when it returns or raises, the work has ended. A cancelled caller goes on to let its lock go: a write that went
    on behind it would fall into the next turn.
    """
    running = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([running])
        if not running.cancelled():
            # Asked for, so that asyncio does not report it as one that nobody saw.
            running.exception()
        raise
