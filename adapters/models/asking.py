"""Asks a model, and asks again where that doubles nothing and may help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable
from tenacity import AsyncRetrying, RetryCallState, Retrying, retry_if_exception_type, wait_exponential

from ninefold.state import ModelUnavailable

from .calls import Turnstile
from .errors import Server
from .replies import Arriving

Model = Runnable[LanguageModelInput, AIMessage]


class Patience(NamedTuple):
    """How long a caller asks again; what the trouble itself is worth (`ModelUnavailable.attempts`) bounds it too."""

    attempts: int
    pause: float
    """Seconds before the second attempt; twice as long before each further one."""

    def options(self) -> dict[str, Any]:
        """Give tenacity's options."""
        return {
            "retry": retry_if_exception_type(ModelUnavailable),
            "stop": self._is_over,
            "wait": wait_exponential(multiplier=self.pause, max=4),
            "reraise": True,
        }

    def _is_over(self, so_far: RetryCallState) -> bool:
        error = so_far.outcome.exception() if so_far.outcome else None
        worth = error.attempts if isinstance(error, ModelUnavailable) else 1
        return so_far.attempt_number >= min(worth, self.attempts)


FOR_THE_REPLY = Patience(attempts=3, pause=0.25)
"""Without the reply there is no turn: a server that restarts or is busy gets a moment."""
FOR_AN_INTERNAL_CALL = Patience(attempts=2, pause=0.0)
"""Without an internal call the rules decide: nobody waits for it."""


def ask(
    model: Model,
    server: Server,
    turnstile: Turnstile,
    prompt: Sequence[BaseMessage],
    arguments: Mapping[str, Any],
    patience: Patience,
) -> AIMessage:
    """Give the reply; its chunks reach whoever streams the graph.

    Law: a call whose text has begun to arrive is never made again.

    Raises:
        ModelUnavailable: and only that family; `partial` holds what had arrived.
    """

    def once() -> AIMessage:
        arriving = Arriving(server)
        try:
            with turnstile.passed():
                for piece in model.stream(list(prompt), **arguments):
                    arriving.add(piece)
        except Exception as error:  # noqa: BLE001 - every library has its own errors; the port promises one family
            arriving.broke(error)
        return arriving.settle()

    return Retrying(**patience.options())(once)


async def aask(
    model: Model,
    server: Server,
    turnstile: Turnstile,
    prompt: Sequence[BaseMessage],
    arguments: Mapping[str, Any],
    patience: Patience,
) -> AIMessage:
    """Give the reply as `ask` does; cancelling the task closes the connection, which ends the server's work."""

    async def once() -> AIMessage:
        arriving = Arriving(server)
        try:
            async with turnstile.apassed():
                async for piece in model.astream(list(prompt), **arguments):
                    arriving.add(piece)
        except Exception as error:  # noqa: BLE001 - every library has its own errors; the port promises one family
            arriving.broke(error)
        return arriving.settle()

    return await AsyncRetrying(**patience.options())(once)
