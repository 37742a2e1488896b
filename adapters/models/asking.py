"""Asks a model and asks once more when its reply is empty or unreadable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable

from .calls import Turnstile
from .errors import Server, empty
from .replies import Arriving

ATTEMPTS = 2

Model = Runnable[LanguageModelInput, AIMessage]


def ask(
    model: Model, server: Server, turnstile: Turnstile, prompt: Sequence[BaseMessage], arguments: Mapping[str, Any]
) -> AIMessage:
    """Give the reply; its chunks reach whoever streams the graph.

    Raises:
        ModelUnavailable: and only that family; `partial` holds what had arrived.
    """
    for attempt in range(ATTEMPTS):
        arriving = Arriving(server)
        try:
            with turnstile.passed():
                for piece in model.stream(list(prompt), **arguments):
                    arriving.add(piece)
        except Exception as error:  # noqa: BLE001 - every library has its own errors; the port promises one family
            arriving.broke(error)
        if (message := arriving.settle(last=attempt + 1 == ATTEMPTS)) is not None:
            return message
    raise empty(server)


async def aask(
    model: Model, server: Server, turnstile: Turnstile, prompt: Sequence[BaseMessage], arguments: Mapping[str, Any]
) -> AIMessage:
    """Give the reply as `ask` does; cancelling the task closes the connection, which ends the server's work."""
    for attempt in range(ATTEMPTS):
        arriving = Arriving(server)
        try:
            async with turnstile.apassed():
                async for piece in model.astream(list(prompt), **arguments):
                    arriving.add(piece)
        except Exception as error:  # noqa: BLE001 - every library has its own errors; the port promises one family
            arriving.broke(error)
        if (message := arriving.settle(last=attempt + 1 == ATTEMPTS)) is not None:
            return message
    raise empty(server)
