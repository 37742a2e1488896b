"""What went wrong with a model, whoever made it, as one of our named errors."""

from __future__ import annotations

import json
import re
from typing import NamedTuple, TypeVar

from ninefold.state import (
    ModelContextExceeded,
    ModelCutOff,
    ModelDown,
    ModelEmpty,
    ModelMissing,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)

from ..weights.catalogue import DEFAULT_MODEL

_KEPT = "Your message is kept: take the turn again (`/retry` in a chat)."
_TOO_LONG = re.compile(
    r"context (?:size|length|window)|context_length|maximum context|prompt is too long|exceeds? the available context",
    re.IGNORECASE,
)
_NOTHING = re.compile("No data received|No generation chunks were returned")
_SAID = 300
"""Characters of a server's own words that an error repeats."""


class Server(NamedTuple):
    """Where a model is served, in the words of an error."""

    model: str
    url: str | None = None
    """None for a model that is not known to have an address."""
    ollama: bool = False

    @property
    def place(self) -> str:
        """The server with its address, where it has one."""
        name = "Ollama" if self.ollama else "the model's server"
        return f"{name} at {self.url}" if self.url else name


_BUSY = frozenset({429, 502, 503, 504})
"""The statuses of a server that may answer the same call a moment later."""


def model_error(error: Exception, server: Server) -> ModelUnavailable:
    """Give the named error for what a model's library raised; one of ours is given back as it is.

    Nothing is left out: what no rule knows is a ModelRefused that names the class and its words.
    """
    import httpx
    from langchain_core import exceptions as core

    match error:
        case ModelUnavailable():
            return error
        case httpx.ConnectTimeout() | httpx.ConnectError() | core.ModelConnectionError():
            return _down(server)
        case httpx.TimeoutException() | core.ModelTimeoutError() | TimeoutError():
            return ModelTimeout(
                f"Model {server.model} did not answer within the set time ({server.place}).",
                f"{_KEPT} If the machine is slow, raise `timeout` under `model:` in agent.yaml.",
            )
        case httpx.TransportError() | httpx.StreamError():
            return cut_off(server)
        case ConnectionError():
            return _down(server)
        case core.ContextOverflowError():
            return _too_long(server, str(error))
        case core.ModelNotFoundError():
            return _missing(server)
        case json.JSONDecodeError():
            return _unreadable(server, error)
    return _by_status(error, server)


def cut_off(server: Server, why: str = "") -> ModelCutOff:
    """Give the error of a reply whose stream ended before the model said that it was done."""
    said = f" The server said: {_short(why)}" if why else ""
    return _again(ModelCutOff(f"The reply of {server.model} was cut off ({server.place}).{said}", _KEPT), 3)


def empty(server: Server) -> ModelEmpty:
    """Give the error of a model that answered with nothing each time it was asked."""
    error = ModelEmpty(
        f"Model {server.model} answered with nothing, also when asked again ({server.place}).",
        "Send the message again in other words, or choose another model.",
    )
    return _again(error, 2)


def bad_call(server: Server, name: str, arguments: str) -> ModelRefused:
    """Give the error of a tool call whose arguments stay unreadable when the model is asked again."""
    error = ModelRefused(
        f"Model {server.model} called the tool {name!r} with arguments that are not JSON: {_short(arguments)}",
        "Send the message again, or choose a model that is better at tools.",
    )
    return _again(error, 2)


def _by_status(error: Exception, server: Server) -> ModelUnavailable:
    """Give the error for a server's own answer: Ollama's and OpenAI's clients alike carry its status."""
    from pydantic import ValidationError

    status = getattr(error, "status_code", None)
    words = str(getattr(error, "error", "") or error)
    if isinstance(error, ValueError) and _NOTHING.search(words):
        return empty(server)
    # Ollama's client trips over a reply that is JSON of another shape.
    if isinstance(error, ValidationError) or (server.ollama and isinstance(error, AttributeError)):
        return _unreadable(server, error)
    if _TOO_LONG.search(words):
        return _too_long(server, words)
    if status == 404 and (not server.ollama or "model" in words):
        return _missing(server)
    if status == 404:
        return ModelRefused(
            f"What answers at {server.url} is not Ollama: it knows no /api/chat.", "Set base_url to Ollama's address."
        )
    if isinstance(status, int) and status > 0:
        refused = ModelRefused(f"{server.place} answered with status {status}: {_short(words)}", _KEPT)
        return _again(refused, 3 if status in _BUSY else 1)
    return ModelRefused(f"Model {server.model} failed: {type(error).__name__}: {_short(words)}", _KEPT)


def _down(server: Server) -> ModelDown:
    step = (
        f"{_KEPT} Start it with `ollama serve` or set OLLAMA_HOST; or do without it: `ninefold models pull`,"
        f" then `--model embedded:{DEFAULT_MODEL}`."
        if server.ollama
        else _KEPT
    )
    return _again(
        ModelDown(f"Nothing answers at {server.url or server.place}, where {server.model} is served.", step), 3
    )


Named = TypeVar("Named", bound=ModelUnavailable)


def _again(error: Named, attempts: int) -> Named:
    """Give the error as one whose call may be made so often in all."""
    error.attempts = attempts
    return error


def _missing(server: Server) -> ModelMissing:
    if server.ollama:
        return ModelMissing(
            f"{server.place} does not hold the model {server.model}.", f"Run `ollama pull {server.model}`."
        )
    return ModelMissing(f"There is no model {server.model} ({server.place}).", "Choose another model.")


def _too_long(server: Server, words: str) -> ModelContextExceeded:
    return ModelContextExceeded(
        f"The prompt is longer than the context of {server.model}: {_short(words)}",
        "Set num_ctx to what the server allows, so that the prompt is made to fit.",
    )


def _unreadable(server: Server, error: Exception) -> ModelRefused:
    return ModelRefused(
        f"{server.place} sent something that is not a model's reply: {_short(str(error))}",
        "Check base_url: another program may answer there.",
    )


def _short(words: str) -> str:
    flat = " ".join(words.split())
    return flat if len(flat) <= _SAID else flat[: _SAID - 1] + "…"
