"""What of a request a server of Ollama's kind reads: the prompt by qwen2.5's template, cut to its window.

Ollama drops the oldest messages but keeps every system message and the last message; where that is still too long, its
runner keeps the first four tokens and the newest that fit. A prompt may fill the whole window: that the reply then
shifts out what stands at its start is not counted against anyone.
"""

from __future__ import annotations

from functools import lru_cache

from ninefold.adapters.tokens.encoding import qwen_encoding
from ninefold.adapters.tokens.template import segments
from tests.turn.agents import Body, from_wire

_KEPT_AT_THE_START = 4


def read_by_server(body: Body, num_ctx: int | None) -> str:
    """Give the text of the prompt that the model is given; None is a window without end."""
    head, *turns = segments([from_wire(message) for message in body["messages"]], body.get("tools") or ())
    if num_ctx is None:
        return "".join((head, *turns))
    primer = turns.pop()
    left = num_ctx - len(encoded(head)) - len(encoded(primer))
    kept: list[str] = []
    for piece in reversed(turns):
        left -= len(encoded(piece))
        if left < 0 and kept:
            break
        kept.append(piece)
    text = "".join((head, *reversed(kept), primer))
    tokens = encoded(text)
    if len(tokens) <= num_ctx:
        return text
    whole = [*tokens[:_KEPT_AT_THE_START], *tokens[_KEPT_AT_THE_START - num_ctx :]]
    return qwen_encoding("qwen2").decode(whole)


@lru_cache(maxsize=4096)
def encoded(text: str) -> tuple[int, ...]:
    """Give a text's tokens."""
    return tuple(qwen_encoding("qwen2").encode(text, allowed_special="all"))
