"""What any chat model is told with one call, and what may call at the same time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, ClassVar, NamedTuple

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from .errors import Server

_LIMIT_NAMES = ("num_predict", "max_tokens", "max_output_tokens", "max_tokens_to_sample", "max_new_tokens")
_POLL_SECONDS = 0.02


Progress = Callable[[int, int], None]
"""Called with the prompt's tokens that have been read, and all of them."""


class Limits(NamedTuple):
    """How one model takes the limits of a call."""

    server: Server
    options: Mapping[str, Any] | None
    """Ollama's options as the model has them: a call's own options replace all of them, so each call repeats them."""
    reply_limit: str | None
    """The name of the argument that bounds a reply; None when the model takes none."""
    embedded: bool = False
    """True for the model that runs inside of this program: it also tells how far it has read."""

    def arguments(
        self,
        *,
        num_predict: int,
        num_ctx: int | None,
        temperature: float | None = None,
        on_progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Give the keyword arguments of one call."""
        sent: dict[str, Any]
        if self.options is None:
            sent = {self.reply_limit: num_predict} if self.reply_limit else {}
            if self.embedded and temperature is not None:
                sent["temperature"] = temperature
            if self.embedded and on_progress is not None:
                sent["on_progress"] = lambda read: on_progress(read.done, read.total)
            return sent
        sent = {**self.options, "num_predict": num_predict}
        if num_ctx is not None:
            sent["num_ctx"] = num_ctx
        if temperature is not None:
            sent["temperature"] = temperature
        return {"options": sent}


def limits_of(model: BaseChatModel) -> Limits:
    """Find out how a model takes its limits: Ollama's per-call options, or the field that bounds its replies."""
    fields = type(model).model_fields
    name = _first(model, "model", "model_name", "model_path") or model._llm_type
    url = _first(model, "base_url", "openai_api_base")
    if model._llm_type == "chat-ollama":
        from ollama import Options

        own = {option: getattr(model, option, None) for option in Options.model_fields}
        return Limits(Server(name, url, ollama=True), {k: v for k, v in own.items() if v is not None}, "num_predict")
    limit = next((limit for limit in _LIMIT_NAMES if limit in fields), None)
    return Limits(Server(name, url), None, limit, embedded=model._llm_type == "ninefold-embedded")


def _first(model: BaseChatModel, *names: str) -> str | None:
    return next((str(value) for name in names if (value := getattr(model, name, None))), None)


def with_tools(
    model: BaseChatModel, tools: Sequence[BaseTool]
) -> tuple[Runnable[LanguageModelInput, AIMessage], tuple[dict[str, Any], ...], str | None]:
    """Give the model with the tools bound, the schemas it is sent, and what is lacking when it takes no tools."""
    if not tools:
        return model, (), None
    try:
        bound = model.bind_tools(list(tools))
    except NotImplementedError:
        return model, (), f"{limits_of(model).server.model} cannot call tools: it works without them."
    return bound, tuple(convert_to_openai_tool(tool) for tool in tools), None


class _Calls:
    """How many calls to one server run now, over all models of this process."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.running = 0


class Turnstile:
    """Lets a call to a server begin while fewer than so many run there, whoever's they are.

    Args:
        server: where the calls go.
        places: calls at a time. Another agent's turnstile for the same server may let more through, or fewer: each
            keeps to its own number, and counts the calls of all.
    """

    _made: ClassVar[dict[str, _Calls]] = {}
    _making = threading.Lock()

    def __init__(self, server: Server, places: int) -> None:
        self._places = places
        with self._making:
            self._calls = self._made.setdefault(server.url or server.model, _Calls())

    @contextmanager
    def passed(self) -> Iterator[None]:
        """Hold one place, waiting for it."""
        with self._calls.changed:
            self._calls.changed.wait_for(self._entered)
        try:
            yield
        finally:
            self._left()

    @asynccontextmanager
    async def apassed(self) -> AsyncIterator[None]:
        """Hold one place, waiting for it without holding a thread: waiters that park threads can starve the holder."""
        while not self._try():
            await asyncio.sleep(_POLL_SECONDS)
        try:
            yield
        finally:
            self._left()

    def _try(self) -> bool:
        with self._calls.changed:
            return self._entered()

    def _entered(self) -> bool:
        free = self._calls.running < self._places
        self._calls.running += free
        return free

    def _left(self) -> None:
        with self._calls.changed:
            self._calls.running -= 1
            self._calls.changed.notify_all()
