"""The JSON in a model's reply, whatever stands around it.

Small models fence it, explain it, think before it, quote it singly or break off in the middle. What can be read without
guessing a value is read; the rest is None, which the caller counts as a failed call.
"""

from __future__ import annotations

import ast
import json
import re

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_LONE_CLOSE = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_OPEN = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_TRAILING_COMMA = re.compile(r",\s*([}\]])")
_LONGEST = 16_384
_MOST_UNCLOSED = 16
"""Openers without an end that are looked behind: each costs a walk to the end of the reply."""
_CLOSES = {"{": "}", "[": "]"}


def parse_json(text: str) -> object | None:
    """Give the last object or list of the answer part of a reply, or None when there is none.

    Thinking is no answer: what stands in think tags, before a lone closing tag, or after an opening one that is never
    closed, is not read. A list or object that breaks off keeps its whole items.
    """
    answer = _answer_part(text[:_LONGEST])
    found: object | None = None
    position = unclosed = 0
    while position < len(answer) and unclosed < _MOST_UNCLOSED:
        if answer[position] not in _CLOSES:
            position += 1
            continue
        end = _balanced(answer, position)
        unclosed += end is None
        value = _read(answer[position:end]) if end else _read_half(answer[position:]) if unclosed <= 2 else None
        found = found if value is None else value
        if value is not None and end is None:
            break
        position = end if end else position + 1
    return found


def _answer_part(text: str) -> str:
    text = _THOUGHT.sub(" ", text)
    closes = list(_LONE_CLOSE.finditer(text))
    if closes:
        text = text[closes[-1].end() :]
    opened = _OPEN.search(text)
    return text[: opened.start()] if opened else text


def _balanced(text: str, start: int) -> int | None:
    """Give the end of the object or list that opens here, strings in it skipped, or None when it is never closed."""
    stack: list[str] = []
    quoted = escaped = False
    for position in range(start, len(text)):
        char = text[position]
        if escaped:
            escaped = False
        elif quoted:
            escaped = char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char in _CLOSES:
            stack.append(_CLOSES[char])
        elif char in "}]":
            if not stack or stack.pop() != char:
                return None
            if not stack:
                return position + 1
    return None


def _read(piece: str) -> object | None:
    for candidate in (piece, _TRAILING_COMMA.sub(r"\1", piece)):
        try:
            value: object = json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict | list) else None
    try:
        value = ast.literal_eval(piece)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return value if isinstance(value, dict | list) and _plain(value) else None


def _plain(value: object) -> bool:
    """Whether a value could have come from JSON."""
    match value:
        case dict():
            return all(isinstance(name, str) and _plain(each) for name, each in value.items())
        case list():
            return all(_plain(each) for each in value)
        case _:
            return value is None or isinstance(value, str | int | float | bool)


def _read_half(half: str) -> object | None:
    """Read what breaks off: cut behind the last whole item and close what is open."""
    ends = [position + 1 for position, char in enumerate(half) if char in "}]"]
    for end in reversed(ends[-16:]):
        value = _read(half[:end] + _closers(half[:end]))
        if value is not None:
            return value
    return None


def _closers(text: str) -> str:
    stack: list[str] = []
    quoted = escaped = False
    for char in text:
        if escaped:
            escaped = False
        elif quoted:
            escaped = char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char in _CLOSES:
            stack.append(_CLOSES[char])
        elif char in "}]" and stack:
            stack.pop()
    return "".join(reversed(stack))
