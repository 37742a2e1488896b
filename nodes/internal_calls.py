"""A model behind internal calls that notes each call it makes: what it was asked for and what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import BaseMessage

from ninefold.state import ModelCalled, NinefoldError, Step
from ninefold.state.turn_state import Counters

from .ports import Assistant, Schema, TokenCounter

Asking = Literal[Step.CONSTRAINT_UPDATE, Step.COMPACTION, Step.FIDELITY_CHECK]
"""The steps that ask a model for something of their own."""


class Noted:
    """An assistant for one step of one turn; `calls` are the events of what it was asked, also of what failed.

    Args:
        assistant: who is asked.
        step: the step that asks.
        tokens: counts prompts and replies.
        tools: the chat's tools, which a call that shares the chat's prefix is rendered with.
    """

    def __init__(self, assistant: Assistant, step: Asking, tokens: TokenCounter, tools: Sequence[Schema] = ()) -> None:
        self._assistant = assistant
        self._step: Asking = step
        self._tokens = tokens
        self._tools = tools if assistant.shares_prefix else ()
        self.calls: list[ModelCalled] = []

    @property
    def shares_prefix(self) -> bool:
        """True when a call must be a tail of the chat's last prompt."""
        return self._assistant.shares_prefix

    @property
    def num_ctx(self) -> int:
        """The tokens of one call, prompt and reply together."""
        return self._assistant.num_ctx

    def complete(
        self, prompt: Sequence[BaseMessage], *, purpose: str, num_predict: int, schema: Mapping[str, Any] | None = None
    ) -> str:
        """Give the text of an internal completion.

        Raises:
            ModelUnavailable: as the assistant does; the call is noted with its cause.
        """
        sent = self._tokens.prompt(prompt, self._tools)
        try:
            reply = self._assistant.complete(prompt, purpose=purpose, num_predict=num_predict, schema=schema)
        except NinefoldError as error:
            self._note(purpose, sent, None, str(error)[:400])
            raise
        self._note(purpose, sent, self._tokens.text(reply), self._tokens.name)
        return reply

    def _note(self, purpose: str, sent: int, written: int | None, reason: str) -> None:
        event = ModelCalled(step=self._step, purpose=purpose, prompt_tokens=sent, reply_tokens=written, reason=reason)
        self.calls.append(event)


def counted(counters: Counters, noted: Noted | None) -> Counters:
    """Give the thread's counters with the noted calls in them."""
    if noted is None or not noted.calls:
        return counters
    taken = sum(call.prompt_tokens for call in noted.calls)
    calls = counters.internal_calls + len(noted.calls)
    return counters.model_copy(update={"internal_calls": calls, "internal_tokens": counters.internal_tokens + taken})
