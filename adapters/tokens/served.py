"""A counter that asks the server once which template it renders, so that its counts are the server's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from langchain_core.messages import BaseMessage

from .choose import for_model
from .corrected import Counter

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class ServedCounter:
    """Counts as Ollama will; until the server has answered once, as the model's name alone tells.

    Nothing is asked before the first count, so building a graph needs no server.

    Args:
        base_url: the server's address.
        model_name: the model's tag.
        timeout: seconds without an answer to either of the two questions.
        ask_again: seconds until a server that did not answer is asked once more: a turn counts hundreds of times.
    """

    def __init__(self, base_url: str, model_name: str, *, timeout: float = 2, ask_again: float = 30) -> None:
        self._base_url = base_url
        self._model_name = model_name
        self._timeout = timeout
        self._ask_again = ask_again
        self._by_name = for_model("ollama", model_name)
        self._told: Counter | None = None
        self._asked_at: float | None = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        """What counts, in words for a trace."""
        return self._counter().name

    @property
    def exact(self) -> bool:
        """True when the count equals the server's."""
        return self._counter().exact

    def text(self, text: str) -> int:
        """Give the tokens of a bare text."""
        return self._counter().text(text)

    def message(self, message: BaseMessage) -> int:
        """Give what a message adds to a rendered prompt."""
        return self._counter().message(message)

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]] = ()) -> int:
        """Give the tokens of the whole rendered prompt."""
        return self._counter().prompt(messages, tools)

    def overhead(self, tools: Sequence[Mapping[str, Any]] = ()) -> int:
        """Give what the tools and the reply primer add."""
        return self._counter().overhead(tools)

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        """Give the longest head, or tail, of at most `limit` tokens."""
        return self._counter().clip(text, limit, tail=tail)

    def _counter(self) -> Counter:
        with self._lock:
            if self._told is None and (self._asked_at is None or monotonic() - self._asked_at >= self._ask_again):
                self._told = self._ask()
                # After the answer: a server that takes its whole time must not be asked again at once.
                self._asked_at = monotonic()
            return self._told or self._by_name

    def _ask(self) -> Counter | None:
        """Give the counter for what the server says of the model, or None while it does not answer.

        A server that is down is no fault here: the model's own call reports it.
        """
        import httpx

        try:
            local = urlsplit(self._base_url).hostname in _LOOPBACK
            with httpx.Client(base_url=self._base_url, timeout=self._timeout, trust_env=not local) as client:
                shown = client.post("/api/show", json={"model": self._model_name})
                version = client.get("/api/version")
                shown.raise_for_status()
                version.raise_for_status()
                model, server = shown.json(), version.json()
        except (httpx.HTTPError, ValueError):
            return None
        return for_model(
            "ollama",
            self._model_name,
            template=_text(model, "template"),
            system=_text(model, "system"),
            server_version=_text(server, "version") or "",
        )


def _text(answer: Any, key: str) -> str | None:
    value = answer.get(key) if isinstance(answer, Mapping) else None
    return value if isinstance(value, str) else None
