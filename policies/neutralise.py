r"""Text that cannot pass for the prompt's own structure: no layer anchor, no chat-template token, every byte kept.

Law: `restore(neutralise(text)) == text` for every string; `neutralise(text)` holds no anchor and no control token.

It is mboxrd's ">From " quoting. A backslash goes behind the character that opens an imitation (`[约束]` → `[\约束]`,
`<|im_end|>` → `<\|im_end|>`), and an imitation that already carries backslashes there gets one more. What follows the
opener may hold neither an opener nor a backslash, so one insertion never makes or breaks another match: taking one
backslash out at the same places is the exact inverse, and nothing else in the text is touched.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

import yaml

from ninefold.state import Language

from .remembering import remembered

MARK = "\\"
"""The visible escape; ordinary text to every tokenizer."""

_OPENERS = "[［【〔〖"
_CLOSERS = "]］】〕〗"
# What a reader does not see between two letters: white space, zero-width and direction marks, fillers, selectors.
_UNSEEN = (
    r"[\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]*"
)

# Control tokens of chat templates, by how they are written. Any <|…|> without white space (Qwen, Llama 3, Phi, GLM);
# DeepSeek's real ones have full-width bars; Qwen's and Hermes' tool tags; Gemma's turns; sentencepiece's ends; Llama 2
# and Mistral. Full-width angle brackets open none, so ＜｜…｜＞ stays as it is.
_ANGLED = (
    r"\|[^|<>\s]*\|>|｜[^｜<>\s]*｜>|/?tool_call>|/?tool_response>|/?tools>|/?SYS>>"
    r"|(?:start|end)_of_turn>|(?:bos|eos|pad|unk|/?s)>"
)
_SQUARED = r"/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS)\]|TOOL_CALLS\]"


class Anchors(NamedTuple):
    """The labels that open the layers of a prompt, with their brackets, in one language."""

    constraints: str
    turn_constraints: str
    summary: str
    memories: str
    current: str
    reference: str


@cache
def anchors(language: Language) -> Anchors:
    """Give the layers' anchors as written in the prompt."""
    path = Path(__file__).parent / "data" / "anchors.yaml"
    loaded = cast(dict[str, dict[str, str]], yaml.safe_load(path.read_text(encoding="utf-8")))
    return Anchors(**{key: labels[language.value] for key, labels in loaded.items()})


@remembered
def neutralise(text: str) -> str:
    """The text as it may stand in a prompt: no layer anchor and no control token in it; `restore` takes it back."""
    return _spoof(r"\\*+").sub(_mark, text)


def restore(text: str) -> str:
    """The original of a neutralised text: `restore(neutralise(text)) == text` for every string."""
    return _spoof(r"\\++").sub(_unmark, text)


def imitates(text: str) -> bool:
    """Whether the text holds an anchor, however it is spaced, cased or bracketed, or a control token."""
    return _spoof("").search(text) is not None


def _mark(found: re.Match[str]) -> str:
    return found[0] + MARK


def _unmark(found: re.Match[str]) -> str:
    return found[0][: -len(MARK)]


@cache
def _control(marks: str) -> re.Pattern[str]:
    """Finds a control token's opener with the marks behind it."""
    return re.compile(rf"<{marks}(?={_ANGLED})|\[{marks}(?={_SQUARED})")


@cache
def _spoof(marks: str) -> re.Pattern[str]:
    """Finds the opener, with the marks behind it, of a control token or of what a reader would take for an anchor."""
    labels = "|".join(_label(label[1:-1]) for language in Language for label in anchors(language))
    anchor = rf"(?i:{_UNSEEN}(?:{labels})[{re.escape(_CLOSERS)}])"
    return re.compile(rf"{_control(marks).pattern}|[{re.escape(_OPENERS)}]{marks}(?={anchor})")


def _label(words: str) -> str:
    """A pattern for a label's letters, full-width twins included, with anything unseen between and after them."""
    return "".join(_letter(char) + _UNSEEN for char in words if not char.isspace())


def _letter(char: str) -> str:
    return f"[{re.escape(char)}{chr(ord(char) + 0xFEE0)}]" if "!" <= char <= "~" else re.escape(char)
