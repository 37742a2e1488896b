"""Text cut at its own joints: sentences and clauses of Chinese and English as spans of the source.

Law: `source[span.start:span.end] == span.text` for every span, and spans never overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple, cast

from langchain_core.messages import BaseMessage

from ninefold.state import Language


class Span(NamedTuple):
    """A part of a text with its place in it."""

    text: str
    start: int
    end: int


HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""The Chinese letters, for use inside a character class."""

_HAN = re.compile(f"[{HAN}]")
_LATIN_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")

_CLOSING = r"[\"'”’」』》）)\]】]*"
_ABBREVIATIONS = (
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bNo)(?<!\bapprox)"
)
# A full stop ends a sentence before white space or the end, or behind a Chinese letter; in "4.5", "a.b", "1. item" not.
_STOP = (
    rf"{_ABBREVIATIONS}(?:(?<=[{HAN}])\.|(?<![\s\d])\.(?=[\"'”’)\]]*(?:\s|$))"
    rf"|(?<=\d)\.(?=\s+[A-Z{HAN}\"“]|\s*$)(?<!^\d\.)(?<!\n\d\.)(?<!\s\d\.))"
)
_ASKED = r"(?:(?<![A-Za-z0-9])[!?]|[!?](?![A-Za-z0-9=]))"
_SENTENCE_END = re.compile(rf"(?:(?:[。！？…]|{_ASKED}|{_STOP})+{_CLOSING})|[\r\n\u2028\u2029]+", re.MULTILINE)
_CLAUSE_END = re.compile(
    rf"(?:[。！？…，；]|{_ASKED}|{_STOP})+{_CLOSING}"
    r"|[\r\n\u2028\u2029]+|(?<!\d),|,(?!\d)|;|：|:(?=\s)|(?<=\s)[-–](?=\s)(?!\s*\d)|[—]+",
    re.MULTILINE,
)

_FENCE = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_QUOTED = re.compile(
    r"`[^`\n]+`"
    r"|“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|‘[^’\n]*’(?![A-Za-z])"
    r"|\"[^\"]*\""
    r"|(?<![A-Za-z0-9])'[^'\n]+'(?![A-Za-z0-9])"
    r"|^[ \t]*>[^\n]*",
    re.MULTILINE,
)
_SEEN = re.compile(r"[^\s]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@lru_cache(maxsize=1024)
def sentences(text: str) -> tuple[Span, ...]:
    """Give the sentences, each with the marks that end it."""
    return tuple(_between(text, _SENTENCE_END, keep=True))


@lru_cache(maxsize=1024)
def clauses(text: str) -> tuple[Span, ...]:
    """Give the clauses without the marks between them; numbers, addresses and versions stay whole."""
    return tuple(_between(text, _CLAUSE_END, keep=False))


def only_asks(sentence: str) -> bool:
    """Whether a sentence ends as a question: it holds the words of its answer without telling it."""
    return sentence.rstrip().endswith(("?", "？"))


def detect_language(text: str) -> Language:
    """Give the language that most of the text is in: a Chinese letter weighs as much as an English word."""
    han = len(_HAN.findall(text))
    latin = len(_LATIN_WORD.findall(text))
    return Language.CHINESE if han and han >= latin else Language.ENGLISH


def strip_quoted(text: str) -> str:
    """Give the text with quoted speech, quoted lines and code turned into spaces, at the same length."""
    return _QUOTED.sub(_blank, _FENCE.sub(_blank, text))


def plain_text(message: BaseMessage) -> str:
    """Give the text of a message: its string, or the text of its content blocks, one a line."""
    content = message.content
    if isinstance(content, str):
        return content
    parts: list[str] = []
    for block in content:
        if isinstance(block, str):
            parts.append(block)
        elif block.get("type") in ("text", None) and isinstance(block.get("text"), str):
            parts.append(block["text"])
    return "\n".join(parts)


def storable(content: Any) -> Any:
    """Give a text, or every text in data, with U+FFFD for what no database or wire keeps: NUL, lone surrogates."""
    match content:
        case str():
            return _UNSTORABLE.sub("\ufffd", content)
        case dict():
            return {storable(name): storable(value) for name, value in cast("dict[str, Any]", content).items()}
        case list():
            return [storable(each) for each in content]
        case _:
            return content


def trimmed(source: str, start: int, end: int) -> Span:
    """Give the span without white space at its ends."""
    while start < end and source[start].isspace():
        start += 1
    while end > start and source[end - 1].isspace():
        end -= 1
    return Span(source[start:end], start, end)


def _between(text: str, delimiter: re.Pattern[str], *, keep: bool) -> Iterator[Span]:
    start = 0
    for found in delimiter.finditer(text):
        span = trimmed(text, start, found.end() if keep else found.start())
        if span.text:
            yield span
        start = found.end()
    span = trimmed(text, start, len(text))
    if span.text:
        yield span


def _blank(found: re.Match[str]) -> str:
    return _SEEN.sub(" ", found[0])
