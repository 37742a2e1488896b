"""What goes to the model process and what comes back: LangChain's values as llama.cpp's JSON, and the way back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage, convert_to_openai_messages
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk

from ninefold.state.errors import InputError, ModelContextExceeded, ModelCutOff, ModelRefused, ModelUnavailable

from .toolcalls import bare_calls, may_become_call


@dataclass(frozen=True)
class PromptProgress:
    """How far the model has read: tokens in the prompt, of them reused, of them done, and milliseconds so far."""

    total: int
    cached: int
    done: int
    milliseconds: float


def openai_messages(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """The messages as llama.cpp's chat endpoint takes them.

    Raises:
        InputError: there is none; the server would answer an empty list with the template alone.
    """
    if not messages:
        raise InputError("A model call without messages was refused.", "Send at least one message.")
    converted = convert_to_openai_messages(list(messages), text_format="string")
    assert isinstance(converted, list)
    return converted


def response_format(format_: str | Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Ollama's `format` (`"json"` or a JSON schema) as llama.cpp's `response_format`."""
    match format_:
        case None | "":
            return None
        case "json":
            return {"type": "json_object"}
        case str():
            raise InputError(f"format {format_!r} is unknown.", 'Use "json" or a JSON schema.')
        case _:
            return {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(format_)}}


def refusal(body: Any, *, status: int) -> ModelUnavailable:
    """The named error for an answer with `error` in it."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return ModelRefused(f"The embedded model answered with status {status}: {error}.", "Send the message again.")
    if error.get("type") == "exceed_context_size_error":
        return ModelContextExceeded(
            f"The prompt has {error.get('n_prompt_tokens', '?')} tokens, the embedded model's context "
            f"{error.get('n_ctx', '?')}.",
            "Shorten the message, or raise num_ctx.",
        )
    return ModelRefused(
        f"The embedded model refused the call: {error.get('message', error)}.",
        "Change the call as the message says, or send it again.",
    )


@dataclass
class ReplyReader:
    """Reads one streamed reply line by line; each line gives the chunks that can be shown now.

    Args:
        model_name: written into the last chunk's metadata.
        tool_names: the offered tools. With any, a reply that begins like a bare call is held back until it is known
            to be none.
    """

    model_name: str
    tool_names: Sequence[str] = ()
    progress: PromptProgress | None = None
    """The newest progress report; None once the reply begins."""
    text: str = ""
    done: bool = False
    _held: bool = field(default=False, repr=False)
    _called: bool = field(default=False, repr=False)
    _finish_reason: str | None = None

    def __post_init__(self) -> None:
        """Hold text back from the start where a bare call is possible."""
        self._held = bool(self.tool_names)

    def feed(self, line: str) -> list[AIMessageChunk]:
        """The chunks in one line of the event stream.

        Raises:
            ModelUnavailable: the line carries an error.
        """
        self.progress = None
        name, _, data = line.partition(": ")
        if name not in ("data", "error") or not data:
            return []
        if data == "[DONE]":
            self.done = True
            return []
        event: dict[str, Any] = json.loads(data)
        if name == "error" or "error" in event:
            raise refusal(event, status=500)
        if reading := event.get("prompt_progress"):
            self.progress = PromptProgress(reading["total"], reading["cache"], reading["processed"], reading["time_ms"])
            return []
        chunks: list[AIMessageChunk] = []
        for choice in event.get("choices", ()):
            self._finish_reason = choice.get("finish_reason") or self._finish_reason
            chunks += self._delta(choice.get("delta") or {})
        if usage := event.get("usage"):
            chunks += [*self._release(str(event.get("id"))), self._last(usage, event.get("timings") or {})]
        return chunks

    def check_finished(self) -> None:
        """Refuse a stream that ended before the model did."""
        if not self.done:
            raise ModelCutOff(
                f"The reply broke off after {len(self.text)} characters: the embedded model's process went away.",
                "Send the message again: the model is loaded anew.",
            )

    def _delta(self, delta: Mapping[str, Any]) -> list[AIMessageChunk]:
        chunks: list[AIMessageChunk] = []
        if thought := delta.get("reasoning_content"):
            chunks.append(AIMessageChunk(content="", additional_kwargs={"reasoning_content": thought}))
        if piece := delta.get("content"):
            before = self.text
            self.text += piece
            if not self._held:
                chunks.append(AIMessageChunk(content=piece))
            elif not may_become_call(self.text):
                self._held = False
                chunks.append(AIMessageChunk(content=before + piece))
        if calls := delta.get("tool_calls"):
            self._called = True
            chunks.append(AIMessageChunk(content="", tool_call_chunks=[_call(call) for call in calls]))
        return chunks

    def _release(self, reply_id: str) -> list[AIMessageChunk]:
        if not self._held or not self.text:
            return []
        self._held = False
        calls = [] if self._called else bare_calls(self.text, self.tool_names, call_id=reply_id)
        if calls:
            return [AIMessageChunk(content="", tool_call_chunks=calls)]
        return [AIMessageChunk(content=self.text)]

    def _last(self, usage: Mapping[str, Any], timings: Mapping[str, Any]) -> AIMessageChunk:
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
        return AIMessageChunk(
            content="",
            chunk_position="last",
            usage_metadata=UsageMetadata(
                input_tokens=usage["prompt_tokens"],
                output_tokens=usage["completion_tokens"],
                total_tokens=usage["total_tokens"],
                input_token_details={"cache_read": cached},
            ),
            response_metadata={
                "model_name": self.model_name,
                "model_provider": "embedded",
                "done": True,
                "done_reason": "length" if self._finish_reason == "length" else "stop",
                "prompt_ms": timings.get("prompt_ms"),
                "predicted_ms": timings.get("predicted_ms"),
            },
        )


def _call(call: Mapping[str, Any]) -> ToolCallChunk:
    function = call.get("function") or {}
    return tool_call_chunk(
        name=function.get("name"), args=function.get("arguments"), id=call.get("id"), index=call.get("index")
    )
