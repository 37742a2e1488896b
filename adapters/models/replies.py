"""A model's reply as it arrives, and the message or the named error it becomes."""

from __future__ import annotations

from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.utils import message_chunk_to_message

from ninefold.state import ModelCutOff, ModelUnavailable

from .errors import Server, bad_call, cut_off, empty, model_error
from .thinking import strip_thinking

_THOUGHTS = ("reasoning_content", "thinking", "reasoning")


class Arriving:
    """Gathers one reply, so that what had come is not lost when its stream breaks."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._gathered: AIMessageChunk | None = None
        self._whole: AIMessage | None = None
        self._cause: Exception | None = None

    def add(self, piece: BaseMessage) -> None:
        """Take the next chunk, or the whole message of a model that does not stream."""
        if not isinstance(piece, AIMessageChunk):
            self._whole = cast(AIMessage, piece)
        else:
            self._gathered = piece if self._gathered is None else self._gathered + piece

    def broke(self, cause: Exception) -> None:
        """Take what ended the stream."""
        self._cause = cause

    def settle(self) -> AIMessage:
        """Give the reply.

        Raises:
            ModelUnavailable: there is none; its `attempts` say whether the same call may be made again.
        """
        message = self._message()
        error = self._fault(message)
        if error is None and message is not None:
            return message
        raise error or empty(self._server) from self._cause

    def _fault(self, message: AIMessage | None) -> ModelUnavailable | None:
        """Give what is wrong with the reply, or None."""
        if self._cause is not None:
            named = model_error(self._cause, self._server)
            return self._cut(message, named) if _says(message) else named
        if message is None:
            return empty(self._server)
        if self._server.ollama and not message.response_metadata.get("done_reason"):
            return self._cut(message, None)
        if message.invalid_tool_calls:
            call = message.invalid_tool_calls[0]
            return bad_call(self._server, call["name"] or "", call["args"] or "")
        if not _says(message) and not message.tool_calls:
            return empty(self._server)
        return None

    def _cut(self, message: AIMessage | None, why: ModelUnavailable | None) -> ModelCutOff:
        error = why if isinstance(why, ModelCutOff) else cut_off(self._server, why.cause if why else "")
        if message is not None and _says(message):
            # Its text was shown already: asked again it would be shown twice.
            error.attempts = 1
            error.partial = message.model_copy(update={"tool_calls": [], "invalid_tool_calls": []})
        return error

    def _message(self) -> AIMessage | None:
        """Give what has come as a message with text for content and no thoughts, under the id it streamed under."""
        whole = self._whole
        if self._gathered is not None:
            whole = cast(AIMessage, message_chunk_to_message(self._gathered))
        if whole is None:
            return None
        extra: dict[str, Any] = {k: v for k, v in whole.additional_kwargs.items() if k not in _THOUGHTS}
        return AIMessage(
            content=strip_thinking(str(whole.text)),
            tool_calls=whole.tool_calls,
            invalid_tool_calls=whole.invalid_tool_calls,
            additional_kwargs=extra,
            response_metadata=whole.response_metadata,
            usage_metadata=whole.usage_metadata,
            id=whole.id,
            name=whole.name,
        )


def _says(message: AIMessage | None) -> bool:
    return message is not None and bool(str(message.content).strip())
