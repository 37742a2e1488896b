"""A model's veto on a compaction: its no rolls back, its yes proves nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from ninefold.state import InternalModelError, Language
from ninefold.state.turn_state import TurnState

from .json_reply import parse_json
from .neutralise import neutralise
from .prompt_files import prompt
from .render import sent_text
from .summary_layer import render_summary

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"supported": {"type": "boolean"}, "missing": {"type": "string"}},
    "required": ["supported", "missing"],
}
REPLY: Final = 96
"""Tokens of a veto's reply."""
_SPARE: Final = 0.9
"""Share of the model's window that is used: its tokens are counted with the chat model's tokenizer."""


class Model(Protocol):
    """The model that may veto."""

    @property
    def shares_prefix(self) -> bool:
        """True when a call must be a tail of the chat's last prompt."""
        ...

    @property
    def num_ctx(self) -> int:
        """The tokens of one call, prompt and reply together."""
        ...

    def complete(
        self, prompt: Sequence[BaseMessage], *, purpose: str, num_predict: int, schema: Mapping[str, Any] | None = None
    ) -> str:
        """Give the text of an internal completion."""
        ...


class Counter(Protocol):
    """The part of a token counter that the veto needs."""

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]] = ()) -> int:
        """Give the tokens of a whole rendered prompt."""
        ...

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        """Give the longest head, or tail, of at most `limit` tokens."""
        ...


def vetoed(
    window: TurnState,
    sent: Sequence[BaseMessage],
    *,
    tokens: Counter,
    model: Model,
    tools: Sequence[Mapping[str, Any]] = (),
) -> str | None:
    """Give what a model misses in a compacted window, or None when it objects to nothing.

    Args:
        window: the window with the compaction in it.
        sent: the prompt about to be sent; a model that shares the chat's server is asked in a tail of it.
        tokens: counts.
        model: who may object.
        tools: the chat's tools, which stand in such a tail too.

    Raises:
        NinefoldError: the model gave no usable answer; then nobody objected.
    """
    reply = model.complete(_call(window, sent, tokens, model, tools), purpose="veto", num_predict=REPLY, schema=SCHEMA)
    found = parse_json(reply)
    if not isinstance(found, dict) or not isinstance(found.get("supported"), bool):
        raise InternalModelError(
            "The model's reply for the veto is not the object asked for.", "The proof by code stands."
        )
    if found["supported"]:
        return None
    missing = found.get("missing")
    return missing if isinstance(missing, str) and missing else "?"


def _call(
    window: TurnState,
    sent: Sequence[BaseMessage],
    tokens: Counter,
    model: Model,
    tools: Sequence[Mapping[str, Any]],
) -> list[BaseMessage]:
    language = window.language or Language.ENGLISH
    instruction = prompt("veto", language)
    if model.shares_prefix:
        call = [*sent, HumanMessage(instruction)]
        if tokens.prompt(call, tools) + REPLY > model.num_ctx:
            raise InternalModelError("The veto has no room behind the chat's prompt.", "The proof by code stands.")
        return call
    head = SystemMessage(instruction)
    room = int(model.num_ctx * _SPARE) - REPLY - tokens.prompt([head, HumanMessage("")]) - 8
    return [head, HumanMessage(tokens.clip(_material(window, language), max(room, 64), tail=True))]


def _material(window: TurnState, language: Language) -> str:
    task = neutralise(window.task.words) if window.task else ""
    lines = [f"task: {task}", *(f"constraint: {neutralise(c.words)}" for c in window.constraints)]
    lines.append(f"summary: {render_summary(window.summary, language)}")
    lines += [f"{message.type}: {sent_text(message, None, language)}" for message in window.messages]
    return "\n".join(lines)
