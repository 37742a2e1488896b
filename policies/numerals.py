"""Numbers in both writing systems: 三万, 3 万, ３００００, 30,000, 30k and thirty thousand are one number."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_DIGITS: Final = {
    **{char: value for value, char in enumerate("零一二三四五六七八九")},
    **{char: value for value, char in enumerate("〇壹贰叁肆伍陆柒捌玖")},
    "两": 2,
    "俩": 2,
}
_SMALL: Final = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_LARGE: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}

HAN_DIGIT: Final = "[" + "".join(_DIGITS) + "]"
HAN_NUMERAL: Final = (
    rf"(?<![万千百])(?:{HAN_DIGIT}|[十拾](?!分(?!钟|之)))[{''.join(_DIGITS)}{''.join(_SMALL)}{''.join(_LARGE)}]*"
)
"""A run of numerals that begins with a digit or ten; 十分 (very), 千万 (be sure to) and 万一 (in case) are none."""

_WORDS: Final = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS: Final = {
    word: (value + 2) * 10
    for value, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
}
_SCALES: Final = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
ENGLISH_WORDS: Final = (*_WORDS, *_TENS, *_SCALES)
_ANY_WORD: Final = "|".join(sorted(ENGLISH_WORDS, key=len, reverse=True))
ENGLISH_NUMERAL: Final = rf"\b(?:{_ANY_WORD})(?:(?:[\s-]+(?:and\s+)?)(?:{_ANY_WORD}))*\b"

MAGNITUDES: Final = {
    "百": 10**2,
    "千": 10**3,
    "万": 10**4,
    "萬": 10**4,
    "百万": 10**6,
    "千万": 10**7,
    "亿": 10**8,
    "億": 10**8,
    "k": 10**3,
    "K": 10**3,
    "w": 10**4,
    "M": 10**6,
    "B": 10**9,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "hundred": 100,
}
"""What may stand behind digits and multiplies them."""

_WIDE = {ord("０") + i: ord("0") + i for i in range(10)}
_WIDE |= {ord("Ａ") + i: ord("A") + i for i in range(26)} | {ord("ａ") + i: ord("a") + i for i in range(26)}
_WIDE |= {ord(wide): ord(narrow) for wide, narrow in zip("．％－＋：／＃＄＿＠～　﹣−", ".%-+:/#$_@~ --", strict=True)}
_WIDE_GROUP = re.compile(r"(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")


def narrow(text: str) -> str:
    """Give the text with full-width digits, letters and signs as their plain twins, every place as before."""
    return _WIDE_GROUP.sub(",", text).translate(_WIDE)


def han_number(numeral: str) -> int:
    """Give the value of a Chinese numeral: 三万五 is 35,000, 二〇二四 is 2024."""
    if all(char in _DIGITS for char in numeral):
        return int("".join(str(_DIGITS[char]) for char in numeral))
    total = section = digit = 0
    last_unit = 1
    for char in numeral:
        if char in _DIGITS:
            digit = _DIGITS[char]
            if digit == 0:
                last_unit = 1
        elif char in _SMALL:
            section += (digit or 1) * _SMALL[char]
            digit, last_unit = 0, _SMALL[char]
        else:
            scale = _LARGE[char]
            total = (total + section + digit) * scale if scale == 10**8 else total + (section + digit) * scale
            section, digit, last_unit = 0, 0, scale
    # A digit alone at the end counts in the next smaller unit: 三万五 is 35,000; 三百零五 is 305, 十五 is 15.
    return total + section + digit * (last_unit // 10 if last_unit >= 100 else 1)


def english_number(words: str) -> int:
    """Give the value of an English number: "two hundred and five" is 205."""
    total = current = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in _SCALES:
            scale = _SCALES[word]
            current = (current or 1) * scale
            if scale >= 10**3:
                total, current = total + current, 0
        elif word != "and":
            current += _WORDS.get(word, 0) + _TENS.get(word, 0)
    return total + current


def plain_number(value: Decimal | int) -> str:
    """Give a number in one way of writing: no exponent, no zeros that say nothing."""
    text = f"{Decimal(value):f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"
