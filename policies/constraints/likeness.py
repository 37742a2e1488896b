"""How much two short texts speak of the same thing, by their content alone."""

from __future__ import annotations

import re
import unicodedata

from ..text import HAN

_HAN_RUN = re.compile(f"[{HAN}]+")
_WORD = re.compile(r"[a-z0-9][a-z0-9+#.-]*")
_EMPTY = re.compile(
    "不要|不用|不能|不可以?|不得|不准|不许|禁止|避免|请|务必|必须|一律|以后|今后|这次|最好|尽量|只要|只用|只|都|也|就|用|使用|有|要"
    "|别|再|可以|能|了|的|吧|呢|吗|我|你|把|和|与|或|在|是|为|成|改成|改为|换成|取消|限制|要求|规定|现在|又|回答|输出|一[个篇份封下家张]"
)
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "to",
        "of",
        "in",
        "on",
        "at",
        "for",
        "with",
        "and",
        "or",
        "but",
        "not",
        "no",
        "do",
        "don",
        "dont",
        "does",
        "is",
        "are",
        "be",
        "it",
        "this",
        "that",
        "you",
        "your",
        "i",
        "my",
        "me",
        "we",
        "us",
        "please",
        "can",
        "could",
        "would",
        "will",
        "should",
        "must",
        "always",
        "never",
        "only",
        "just",
        "use",
        "using",
        "used",
        "any",
        "all",
        "every",
        "each",
        "avoid",
        "from",
        "now",
        "as",
        "if",
        "so",
        "drop",
        "forget",
        "remove",
        "cancel",
        "lift",
        "rule",
        "limit",
        "restriction",
        "requirement",
        "constraint",
        "about",
        "again",
        "more",
        "anymore",
        "s",
        "t",
        "make",
        "write",
        "create",
        "give",
        "have",
        "has",
        "again",
        "instead",
        "longer",
        "stop",
        "need",
        "keep",
    ]
)


def contents(text: str) -> frozenset[str]:
    """Give what a text is about: pairs of Chinese letters and English words without the small ones."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    units: set[str] = {stem(word) for word in _WORD.findall(plain) if word not in _STOP}
    for run in _HAN_RUN.findall(plain):
        for part in _EMPTY.split(run):
            units |= {part} if len(part) == 1 else {part[i : i + 2] for i in range(len(part) - 1)}
    return frozenset(unit for unit in units if unit)


def likeness(one: str, other: str) -> float:
    """Give the share of the smaller text's content that the other holds, from 0 to 1."""
    first, second = contents(one), contents(other)
    if not first or not second:
        return 0.0
    return len(first & second) / min(len(first), len(second))


def stem(word: str) -> str:
    """Give an English word without its plural or participle ending."""
    for ending in ("ing", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
