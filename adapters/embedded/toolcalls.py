"""Tool calls that a small model writes as bare JSON, found in its text.

llama.cpp reads the calls of the model's own format (`<tool_call>…</tool_call>`). Qwen2.5-Coder 0.5B mostly leaves the
tags out and writes the JSON object alone: `{"name": "get_weather", "arguments": {"city": "北京"}}`, bare or fenced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk

_FENCE = re.compile(r"^```(?:json)?\s*\n(?P<body>.*?)\n?```$", re.DOTALL)
_TAGS = re.compile(r"^(?:<tool_call>|<tools>)\s*(?P<body>.*?)\s*(?:</tool_call>|</tools>)$", re.DOTALL)

_OPENINGS = tuple(
    f'{wrapping}{bracket}{{"{key}"'
    for wrapping in ("", "```json", "```", "<tool_call>", "<tools>")
    for bracket in ("", "[")
    for key in ("name", "arguments")
)
"""How a reply that is a call begins, without its blanks."""


def may_become_call(text: str) -> bool:
    """Whether the reply so far could still turn out to be nothing but a tool call, and must not be shown yet."""
    begun = re.sub(r"\s", "", text[:200])
    return any(begun.startswith(opening) or opening.startswith(begun) for opening in _OPENINGS)


def bare_calls(text: str, names: Sequence[str], *, call_id: str) -> list[ToolCallChunk]:
    """The calls in a reply that is nothing but calls of the offered tools; empty when it is anything else.

    The same call written twice is one call: small models repeat themselves.

    Args:
        text: the whole reply.
        names: the offered tools.
        call_id: stem of the calls' ids.
    """
    body = text.strip()
    for wrapping in (_FENCE, _TAGS):
        if match := wrapping.match(body):
            body = match["body"].strip()
    objects: list[Any] = []
    for value in _objects(body):
        if value not in objects:
            objects.append(value)
    if not objects or not all(_is_call(value, names) for value in objects):
        return []
    return [
        tool_call_chunk(
            name=value["name"],
            args=json.dumps(value["arguments"], ensure_ascii=False),
            id=f"{call_id}-{index}",
            index=index,
        )
        for index, value in enumerate(objects)
    ]


def _objects(body: str) -> list[Any]:
    decoder = json.JSONDecoder()
    found: list[Any] = []
    rest = body
    while rest:
        try:
            value, end = decoder.raw_decode(rest)
        except ValueError:
            return []
        found += value if isinstance(value, list) else [value]
        rest = rest[end:].strip()
    return found


def _is_call(value: Any, names: Sequence[str]) -> bool:
    return isinstance(value, dict) and value.get("name") in names and isinstance(value.get("arguments"), dict)
