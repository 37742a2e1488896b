"""The port for the internal calls, over any LangChain chat model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool

from ninefold.state import InternalModelError

from .asking import FOR_AN_INTERNAL_CALL, Model, aask, ask
from .calls import Turnstile, limits_of, with_tools

_JSON_MODELS = frozenset({"chat-ollama", "ninefold-embedded"})
"""The kinds of models that take a JSON schema as `format`."""


class ModelAssistant:
    """Completes internal prompts; nothing of it is streamed to the caller.

    Args:
        model: the chat model itself, or a light one.
        num_ctx: tokens of one call, prompt and reply together.
        shares_prefix: True when it is the chat model: calls are then tails of the chat's prompt.
        tools: the chat's tools when it shares the prefix, because they stand in the rendered prompt.
        concurrency: calls at a time to the model's server, over the whole process.
    """

    def __init__(
        self,
        model: BaseChatModel,
        *,
        num_ctx: int,
        shares_prefix: bool = False,
        tools: Sequence[BaseTool] = (),
        concurrency: int = 1,
    ) -> None:
        self._model = model
        self._limits = limits_of(model)
        self._bound, _, _ = with_tools(model, tools if shares_prefix else ())
        self._num_ctx = num_ctx
        self._shares_prefix = shares_prefix
        self._turnstile = Turnstile(self._limits.server, concurrency)
        no_json = f"{self._limits.server.model} takes no JSON schema: its answers are read as they are."
        self.degradations: tuple[str, ...] = () if model._llm_type in _JSON_MODELS else (no_json,)
        """What this model cannot do, in words to be said once."""

    @property
    def shares_prefix(self) -> bool:
        """True when a call must be a tail of the chat's last prompt."""
        return self._shares_prefix

    @property
    def num_ctx(self) -> int:
        """The tokens of one call, prompt and reply together."""
        return self._num_ctx

    def complete(
        self,
        prompt: Sequence[BaseMessage],
        *,
        purpose: str,
        num_predict: int,
        schema: Mapping[str, Any] | None = None,
    ) -> str:
        """Give the text of an internal completion, thoughts stripped.

        Raises:
            InternalModelError: the model called a tool instead of writing, or was cut by num_predict.
            ModelUnavailable: any other of that family.
        """
        call = self._quiet(purpose), self._limits.server, self._turnstile, prompt, self._arguments(num_predict, schema)
        return self._text(ask(*call, FOR_AN_INTERNAL_CALL), purpose, num_predict)

    async def acomplete(
        self,
        prompt: Sequence[BaseMessage],
        *,
        purpose: str,
        num_predict: int,
        schema: Mapping[str, Any] | None = None,
    ) -> str:
        """Complete as `complete` does; cancelling the task ends the server's work.

        Raises:
            InternalModelError: the model called a tool instead of writing, or was cut by num_predict.
            ModelUnavailable: any other of that family.
        """
        call = self._quiet(purpose), self._limits.server, self._turnstile, prompt, self._arguments(num_predict, schema)
        return self._text(await aask(*call, FOR_AN_INTERNAL_CALL), purpose, num_predict)

    def _quiet(self, purpose: str) -> Model:
        return self._bound.with_config(tags=["nostream"], metadata={"purpose": purpose})

    def _arguments(self, num_predict: int, schema: Mapping[str, Any] | None) -> dict[str, Any]:
        arguments = self._limits.arguments(num_predict=num_predict, num_ctx=self._num_ctx, temperature=0.0)
        if schema is not None and self._model._llm_type in _JSON_MODELS:
            arguments["format"] = dict(schema)
        return arguments

    def _text(self, message: AIMessage, purpose: str, num_predict: int) -> str:
        if not message.content:
            raise InternalModelError(
                f"Asked for {purpose}, {self._limits.server.model} called a tool.", "The step goes on without it."
            )
        if message.response_metadata.get("done_reason") == "length":
            raise InternalModelError(
                f"The {purpose} of {self._limits.server.model} is longer than {num_predict} tokens.",
                "The step goes on without it.",
            )
        return str(message.content)
