"""Long text behind a short marker: its reference id, the marker that stands for it, and its bounded parts."""

from __future__ import annotations

import re

from ninefold.state import Language

from .neutralise import anchors

_MARKER = {
    Language.CHINESE: '{anchor} {reference}：此处省略，原文共 {size} 字；需要时调用 expand_reference("{reference}")',
    Language.ENGLISH: (
        "{anchor} {reference}: left out here, {size} characters in full; "
        'call expand_reference("{reference}") when needed'
    ),
}
_REFERENCE = re.compile(r"\br[0-9a-f]{12}\b")


def reference_marker(reference: str, size: int, language: Language) -> str:
    """Give the visible line that stands for a left-out text of `size` characters and says how to read it."""
    return _MARKER[language].format(anchor=anchors(language).reference, reference=reference, size=size)


def references_in(text: str) -> tuple[str, ...]:
    """Give the reference ids that a text names, in its order, each once."""
    return tuple(dict.fromkeys(_REFERENCE.findall(text)))


def parts(text: str, size_chars: int) -> tuple[str, ...]:
    """Give the text in parts of at most `size_chars` characters, cut at a line's end where one is near.

    Law: `"".join(parts(text, n)) == text`; at least one part, and none empty unless the text is.
    """
    cut: list[str] = []
    start = 0
    while len(text) - start > size_chars:
        newline = text.rfind("\n", start + size_chars // 2, start + size_chars)
        end = newline + 1 if newline >= 0 else start + size_chars
        cut.append(text[start:end])
        start = end
    return (*cut, text[start:])
