"""What the wire's server can be told to answer, one value per kind of reply or failure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any


@dataclass(frozen=True)
class Say:
    """Text, streamed in pieces."""

    text: str
    done_reason: str = "stop"
    pieces: int = 3
    pause: float = 0.0
    """Seconds before each piece."""
    read: int | None = None
    """prompt_eval_count, where the server cut the prompt; None counts all of it."""
    released: Event | None = None
    """The pieces after the first come once this is set."""


@dataclass(frozen=True)
class Call:
    """One or more tool calls, with text before them if given."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    more: tuple[tuple[str, Mapping[str, Any]], ...] = ()


@dataclass(frozen=True)
class Fail:
    """An HTTP error with Ollama's body; 404 without words is a model that was not pulled."""

    status: int = 500
    error: str = ""


@dataclass(frozen=True)
class Hang:
    """Nothing at all for this many seconds, after some text if given."""

    seconds: float = 30.0
    text: str = ""


@dataclass(frozen=True)
class Cut:
    """A stream that ends without `done`; `abruptly` breaks the connection as well."""

    text: str
    abruptly: bool = False


@dataclass(frozen=True)
class ErrorMidway:
    """Some text, then an error line in the stream."""

    text: str
    error: str = "an error was encountered while running the model"


@dataclass(frozen=True)
class Noise:
    """HTTP 200 with a body that is no NDJSON."""

    body: str = "<html>It works!</html>"


@dataclass(frozen=True)
class Load:
    """The server loaded the model and wrote nothing."""


@dataclass(frozen=True)
class Drop:
    """The connection breaks before the first byte, as when the server dies."""


@dataclass(frozen=True)
class Vectors:
    """What an embedding call is given, in place of a vector for each text."""

    vectors: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Real:
    """What a real server answers to the same request; with `ending`, its first words, then that trouble."""

    host: str
    ending: Say | Hang | Cut | ErrorMidway | None = None
    at_most: int | None = None
    """Tokens of its reply, where fewer are wanted than were asked for."""


EMPTY = Say("")
Reply = Say | Call | Fail | Hang | Cut | ErrorMidway | Noise | Load | Drop | Real
EmbedReply = Fail | Hang | Cut | Noise | Drop | Vectors | Real
"""What an embedding call can be answered instead of its vectors."""
