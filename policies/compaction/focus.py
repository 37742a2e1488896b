"""What the person asks about, as terms that a row, a field or a line can be matched with."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from ..numerals import narrow
from ..values import exact_values

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'’]+|[\u3400-\u4dbf\u4e00-\u9fff]+|\d+(?:[.,:/-]\d+)*")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-\s./]+")
_COMMON: Final = frozenset(
    term
    for line in (
        "the and for you your with that this from are was were have has had can could would will please want need",
        "what which when where who how all any not but its his her their there here into than then them they she him",
        "our out about some get give tell show find let just also more most much many like make sure know help using",
        "use one",
        "的了 我们 你们 请问 可以 帮我 一下 一个 什么 怎么 这个 那个 哪个 多少 有没 没有 还有 需要 想要 告诉 给我 看看",
    )
    for term in line.split()
)
"""Words that a question has whatever it is about."""


@lru_cache(maxsize=4096)
def terms(text: str) -> frozenset[str]:
    """Give the terms of a text: exact values, English words without their endings, pairs of Chinese letters."""
    found = {value.canonical.partition(" ")[0] for value in exact_values(text) if value.kind != "quotation"}
    for word in _WORD.findall(narrow(text)):
        if word[0] >= "\u3400":
            found.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            found.add(stem(word))
    return frozenset(term for term in found if term and term not in _COMMON and (len(term) > 1 or term.isdigit()))


def key_terms(key: str) -> frozenset[str]:
    """Give the terms of a field's name: `payment_methods` and `paymentMethod` are both payment and method."""
    return frozenset(term for part in _CAMEL.split(key) if part for term in terms(part))


def stem(word: str) -> str:
    """Give an English word without the endings that a question and a field's name differ in."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    for ending in ("ies", "es", "s", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


def weights(focus: frozenset[str], texts: Sequence[str]) -> list[float]:
    """Give for each text how much of the focus it holds; a term that most texts hold weighs little."""
    held = [focus & terms(text) for text in texts]
    spread = Counter(term for found in held for term in found)
    total = len(texts)
    return [sum(math.log(1 + total / spread[term]) for term in sorted(found)) for found in held]
