"""A model's thinking aloud, taken out of its reply."""

from __future__ import annotations

import re

_TAG = r"think(?:ing)?"
# An opened thought counts at the start of a line only, a lone end anywhere outside of code: elsewhere the reply speaks
# of the tag.
_OPENED = re.compile(rf"^[ \t]*<({_TAG})>.*?(?:</\1>|\Z)[ \t]*\n?", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_ENDED = re.compile(rf"</{_TAG}>", re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


def strip_thinking(text: str) -> str:
    """Give a model's reply without its thoughts: closed ones, one never closed, and what stands before a lone end.

    Law: a text without a think tag is given back as it is. Meant for replies of models only: what a person writes about
    `<think>` is theirs.
    """
    if "<" not in text:
        return text
    answer = _without_opened(text)
    code = [found.span() for found in _CODE.finditer(answer)]
    ends = (end for end in _ENDED.finditer(answer) if not any(first <= end.start() < last for first, last in code))
    if lone := next(ends, None):
        answer = answer[lone.end() :]
    return text if answer == text else answer.strip()


def _without_opened(text: str) -> str:
    """Give the text without its opened thoughts; a tag inside of a code block opens none."""
    kept, at = [], 0
    while found := _OPENED.search(text, at):
        fence = next((code for code in _CODE.finditer(text, at) if code.start() < found.start() < code.end()), None)
        stop = fence.end() if fence else found.start()
        kept.append(text[at:stop])
        at = fence.end() if fence else found.end()
    kept.append(text[at:])
    return "".join(kept)
