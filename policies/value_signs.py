"""Quick looks that tell whether a text can hold an exact value of a kind: most text holds none of most kinds.

Law: a text in which a pattern of `value_patterns` finds something has the pattern's sign.
"""

from __future__ import annotations

import re
from typing import Final

from .numerals import ENGLISH_WORDS, HAN_DIGIT
from .value_patterns import MONTHS

URL: Final = re.compile(r"://|www\.", re.IGNORECASE)
EMAIL: Final = re.compile("@")
PATH: Final = re.compile(r"[/\\]|\.\w")
DATE: Final = re.compile(rf"[年月]|(?:\d|{HAN_DIGIT})[-/.]")
ENGLISH_DATE: Final = re.compile("|".join(month.title() for month in MONTHS))
VERSION: Final = re.compile(r"[vV]\d|\d\.\d+\.\d")
CLOCK: Final = re.compile(r"[点时]|\d(?::\d|\s*[ap]\.?m)", re.IGNORECASE)
WEEKDAY: Final = re.compile(r"周|星期|礼拜|day")
IDENTIFIER: Final = re.compile(r"[\d_]")
NAME: Final = re.compile(r"[叫名称号牌是为]|call|name", re.IGNORECASE)
_NUMERAL: Final = re.compile(rf"\d|{HAN_DIGIT}|[十拾]")


_WORD: Final = re.compile(rf"\b(?:{'|'.join(ENGLISH_WORDS)})\b", re.IGNORECASE)


def number(text: str) -> bool:
    """Whether there is a digit or a word that is a number."""
    if _NUMERAL.search(text):
        return True
    small = text.lower()
    return any(word in small for word in ENGLISH_WORDS) and _WORD.search(small) is not None
