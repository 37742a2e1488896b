"""Exact counts for Qwen 2.5 behind Ollama: what its server reports as `prompt_eval_count`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from langchain_core.messages import BaseMessage

from .clip import clip
from .encoding import SPECIAL_TOKENS, qwen_encoding
from .template import PRIMER, segment, segments, sent, system_segment
from .tool_block import PUBLISHED, Dialect, tools_block

_KEPT_COUNTS = 4096
_PROBE = "x"
_CONTROL = re.compile("|".join(map(re.escape, SPECIAL_TOKENS["qwen2"])))


class QwenCounter:
    """Counts a prompt as Ollama's qwen2.5 template and Qwen's tokenizer make it, without a server.

    Law: `prompt(ms, tools) == overhead(tools) + sum(message(m) for m in ms)` for prompts that begin with their only
    system message, end with a human or tool message and have no two neighbours of one role; `<=` for all others that
    begin with a system message. With tools, a system text that ends in punctuation or lines may save a token or two.

    Args:
        default_system: the model's own system text, which the server puts before prompts that bring none.
        dialects: how the server may write tools; more than one means that the dearest is counted.
    """

    def __init__(self, *, default_system: str = "", dialects: Sequence[Dialect] = (PUBLISHED,)) -> None:
        self.exact = len(dialects) == 1
        self.name = "qwen2.5 (exact)" if self.exact else "qwen2.5 (exact tokenizer, dearest tool form)"
        self._default_system = default_system
        self._dialects = tuple(dialects)
        self._kept = lru_cache(maxsize=_KEPT_COUNTS)(qwen_tokens)
        self._overheads: dict[str, int] = {}

    def text(self, text: str) -> int:
        """Tokens of a bare text, control tokens in it counted as the server would see them."""
        return self._kept(text)

    def message(self, message: BaseMessage) -> int:
        """What this message adds to the rendered prompt: header, content or tool calls, end."""
        return self.text(segment(sent(message)))

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, object]] = ()) -> int:
        """The exact count of the rendered prompt, tools and reply primer included."""
        return max(
            sum(map(self.text, segments(messages, tools, default_system=self._default_system, dialect=dialect)))
            for dialect in self._dialects
        )

    def overhead(self, tools: Sequence[Mapping[str, object]] = ()) -> int:
        """What a prompt costs beyond its messages: tool block and reply primer."""
        key = "".join(tools_block(tools, dialect) for dialect in self._dialects)
        if key not in self._overheads:
            bare = qwen_tokens(system_segment(_PROBE))
            blocks = [qwen_tokens(system_segment(_PROBE, tools, dialect)) - bare for dialect in self._dialects]
            self._overheads[key] = max(blocks) + qwen_tokens(PRIMER)
        return self._overheads[key]

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        """The longest head (or tail) of `text` of at most `limit` tokens; no character or control token is halved."""
        return clip(text, limit, qwen_tokens, whole=_CONTROL, tail=tail)


def qwen_tokens(text: str, /, family: str = "qwen2") -> int:
    """Qwen's tokens of a text, control tokens in it counted as such."""
    return len(qwen_encoding(family).encode(text, allowed_special="all"))
