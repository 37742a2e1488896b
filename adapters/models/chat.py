"""The port for the model that answers, over any LangChain chat model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool

from .asking import FOR_THE_REPLY, aask, ask
from .calls import Progress, Turnstile, limits_of, with_tools


class ModelChat:
    """Answers through a LangChain chat model: tools bound once, every call with its limits, tokens streamed.

    Args:
        model: any chat model; one that cannot call tools works without, see `degradations`.
        tools: what the model may call.
        num_ctx: tokens of prompt and reply together, sent with every call to Ollama; None leaves the model's own.
        concurrency: calls at a time to the model's server, over the whole process.
        on_progress: told how far the prompt has been read, by models that tell.
    """

    def __init__(
        self,
        model: BaseChatModel,
        *,
        tools: Sequence[BaseTool] = (),
        num_ctx: int | None = None,
        concurrency: int = 1,
        on_progress: Progress | None = None,
    ) -> None:
        self._on_progress = on_progress
        self._limits = limits_of(model)
        self._bound, self._schemas, no_tools = with_tools(model, tools)
        self._num_ctx = num_ctx
        self._turnstile = Turnstile(self._limits.server, concurrency)
        no_limit = None if self._limits.reply_limit else f"{self._limits.server.model} takes no limit for its replies."
        self.degradations: tuple[str, ...] = tuple(filter(None, (no_tools, no_limit)))
        """What this model cannot do, in words to be said once."""

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools that are bound, as the server is sent them."""
        return self._schemas

    def reply(self, prompt: Sequence[BaseMessage], *, num_predict: int) -> AIMessage:
        """Give the model's reply to a prompt; asked for again where nothing of it had come and a moment may help.

        Raises:
            ModelUnavailable: and only that family; `partial` holds what had arrived.
        """
        arguments = self._arguments(num_predict)
        return ask(self._bound, self._limits.server, self._turnstile, prompt, arguments, FOR_THE_REPLY)

    async def areply(self, prompt: Sequence[BaseMessage], *, num_predict: int) -> AIMessage:
        """Give the model's reply to a prompt as `reply` does, cancellable at once."""
        arguments = self._arguments(num_predict)
        return await aask(self._bound, self._limits.server, self._turnstile, prompt, arguments, FOR_THE_REPLY)

    def _arguments(self, num_predict: int) -> dict[str, Any]:
        return self._limits.arguments(num_predict=num_predict, num_ctx=self._num_ctx, on_progress=self._on_progress)
