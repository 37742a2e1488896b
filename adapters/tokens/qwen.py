"""Exact counts for Qwen 2.5 behind Ollama: what its server reports as `prompt_eval_count`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

from langchain_core.messages import BaseMessage

from .clip import clip
from .encoding import SPECIAL_TOKENS, qwen_encoding
from .go_json import go_json
from .template import Sent, segment, segments, sent, system_segment

_KEPT_COUNTS = 4096
_PROBE = "."


class QwenCounter:
    """Counts a prompt as Ollama's qwen2.5 template and Qwen's tokenizer make it, without a server.

    Law: `prompt(ms, tools) == overhead(tools) + sum(message(m) for m in ms)` for prompts that begin with a system
    message, hold one, end with a human or tool message and never have two neighbours of one role.
    """

    exact = True

    def __init__(self, *, family: str = "qwen2", default_system: str = "") -> None:
        self.name = "qwen2.5 (exact)"
        self._family = family
        self._default_system = default_system
        self._whole = re.compile("|".join(map(re.escape, SPECIAL_TOKENS[family])))
        self._kept = lru_cache(maxsize=_KEPT_COUNTS)(self._count)
        self._overheads: dict[str, int] = {}

    def text(self, text: str) -> int:
        """Tokens of a bare text, control tokens in it counted as the server would see them."""
        return self._kept(text)

    def message(self, message: BaseMessage) -> int:
        """What this message adds to the rendered prompt: header, content or tool calls, end."""
        wire = sent(message)
        return self.text(system_segment(wire.content) if wire.role == "system" else segment(wire))

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, object]] = ()) -> int:
        """The exact count of the rendered prompt, tools and reply primer included."""
        return sum(map(self.text, segments(messages, tools, default_system=self._default_system)))

    def overhead(self, tools: Sequence[Mapping[str, object]] = ()) -> int:
        """What a prompt costs beyond its messages: tool block and reply primer."""
        key = go_json(tools)
        if key not in self._overheads:
            bare = self._count(system_segment(_PROBE))
            self._overheads[key] = self._count(system_segment(_PROBE, tools)) - bare + self._count("<|im_start|>assistant\n")
        return self._overheads[key]

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        """The longest head (or tail) of `text` of at most `limit` tokens; no character or control token is cut in two."""
        return clip(text, limit, self._count, whole=self._whole, tail=tail)

    def _count(self, text: str) -> int:
        return len(qwen_encoding(self._family).encode(text, allowed_special="all"))
