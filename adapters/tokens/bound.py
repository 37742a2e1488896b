"""Counts for models whose template, or whose tokenizer too, is not known: never fewer tokens than the server's.

Why UTF-8 bytes: a byte-level BPE token and a sentencepiece token with byte fallback both stand for at least one byte of
the text, so no such tokenizer makes more tokens than the text has bytes, plus one for sentencepiece's leading blank.
Any smaller bound is a guess about a vocabulary: SmolLM2 makes 2.5 times Qwen's tokens of Chinese, so Qwen's count times
a factor is no bound at all. It is dear (four to five times an English count, about five times a Chinese one), which is
why a counter with the model's own tokenizer is always preferred, and why only the chat template is allowed for here:
16 tokens a message (ChatML takes 5, Llama 3 takes 5, Gemma 5, Mistral 4), 64 for the reply primer and a default system
text, 512 for the words around bound tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from langchain_core.messages import AIMessage, BaseMessage

from .clip import clip
from .template import text_of

_PER_MESSAGE = 16
_PER_CALL = 16
_PRIMER = 64
_TOOLS = 512
_KEPT_COUNTS = 4096
_CONTROL = re.compile(r"<\|[^|<>\s]*\|>")


def utf8_bound(text: str) -> int:
    """The text's UTF-8 bytes and one more; a lone surrogate counts three, as U+FFFD does."""
    return len(text.encode("utf-8", "surrogatepass")) + 1


class BoundCounter:
    """Counts that a server's own is never above, whatever its chat template.

    Law: `prompt(ms, tools) == overhead(tools) + sum(message(m) for m in ms)`, for every list of messages.

    Args:
        name: what a trace calls this counter.
        measure: a bound on the tokens of a bare text; the tokenizer itself where only the template is unknown.
    """

    exact = False

    def __init__(self, name: str = "upper bound (UTF-8 bytes)", measure: Callable[[str], int] = utf8_bound) -> None:
        self.name = name
        self._measure = measure
        self._kept = lru_cache(maxsize=_KEPT_COUNTS)(measure)

    def text(self, text: str) -> int:
        """At least the tokens of a bare text."""
        return self._kept(text)

    def message(self, message: BaseMessage) -> int:
        """At least what this message adds: its text, its calls with their ids, reasoning that a template may repeat."""
        total = _PER_MESSAGE + self.text(text_of(message))
        if isinstance(message, AIMessage):
            calls = [{"name": call["name"], "arguments": call["args"], "id": call["id"]} for call in message.tool_calls]
            total += sum(_PER_CALL + self._json(call) for call in calls)
            total += self.text(str(message.additional_kwargs.get("reasoning_content") or ""))
        return total

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, object]] = ()) -> int:
        """At least the count of the rendered prompt."""
        return self.overhead(tools) + sum(map(self.message, messages))

    def overhead(self, tools: Sequence[Mapping[str, object]] = ()) -> int:
        """At least what tools and reply primer cost."""
        return _PRIMER + (_TOOLS + sum(self._json(tool) for tool in tools) if tools else 0)

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        """The longest head (or tail) of `text` of at most `limit` tokens; no character or control token is halved."""
        return clip(text, limit, self._measure, whole=_CONTROL, tail=tail)

    def _json(self, value: object) -> int:
        """The dearest of the ways templates write JSON: indented (Llama 3.1), or with non-ASCII text escaped."""
        written = (json.dumps(value, indent=4, ensure_ascii=ascii_only, default=str) for ascii_only in (False, True))
        return max(map(self.text, written))
