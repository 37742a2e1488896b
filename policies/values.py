"""Exact values in what people write: the spans that a compaction may not change.

Law: `text[value.start:value.end] == value.text`, values never overlap, and two ways of writing one value have one
`canonical`: 三万, 3 万, ３００００ and 30,000 are all "30000".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from . import value_patterns as patterns
from . import value_signs as signs
from .numerals import MAGNITUDES, english_number, han_number, narrow, plain_number


class ExactValue(NamedTuple):
    """One exact value with its place in the text."""

    kind: str
    """number, date, identifier, path, url, version, quotation or name."""
    text: str
    start: int
    end: int
    canonical: str
    """Equal for every way of writing the same value; for numbers "value unit", or "value" without a unit."""


@lru_cache(maxsize=2048)
def exact_values(text: str) -> tuple[ExactValue, ...]:
    """Give the exact values of a text, in its order."""
    plain = narrow(text)
    taken = bytearray(len(text))
    found: list[ExactValue] = []
    for kind, sign, pattern, canonical in FINDERS:
        if not sign(plain):
            continue
        for match in pattern.finditer(plain):
            start, end = _bounds(kind, match)
            if start == end or any(taken[start:end]):
                continue
            value = canonical(match)
            if value is None:
                continue
            taken[start:end] = b"\x01" * (end - start)
            found.append(ExactValue(kind, text[start:end], start, end, value))
    found.extend(_quotations(text, taken))
    return tuple(sorted(found, key=lambda value: (value.start, -value.end)))


def _quotations(text: str, taken: bytearray) -> Iterator[ExactValue]:
    # A quotation may hold other values; it is given only where it holds none, so that values never overlap.
    for match in patterns.QUOTATION.finditer(text):
        inner = next(group for group in range(1, 7) if match[group] is not None)
        start, end = match.span(inner)
        if text[start:end].strip() and not any(taken[start:end]):
            words = re.sub(r"\s+", "", narrow(text[start:end])).casefold()
            yield ExactValue("quotation", text[start:end], start, end, "“" + words)


def _bounds(kind: str, match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span(match.lastgroup or 0) if kind == "name" else match.span()
    text = match.string[start:end]
    end -= len(text) - len(text.rstrip(" .,;:)" if kind in ("url", "path") else None))
    return (start + len(text) - len(text.lstrip()), end) if end > start else (start, start)


def _integer(numeral: str) -> int:
    return int(numeral) if numeral.isascii() and numeral.isdigit() else han_number(numeral)


def _date(match: re.Match[str]) -> str | None:
    if match["y3"]:
        return f"{_integer(match['y3']):04d}"
    year, month, day = match["y"], match["m"] or match["m2"], match["d"] or match["d2"]
    values = [_integer(part) for part in (month, day) if part]
    if not 1 <= values[0] <= 12 or (len(values) > 1 and not 1 <= values[1] <= 31):
        return None
    return "-".join([f"{_integer(year):04d}" if year else "-", *(f"{value:02d}" for value in values)])


def _date_en(match: re.Match[str]) -> str:
    month = next(match[name] for name in ("m", "m2", "m3") if match[name])
    day = match["d"] or match["d2"]
    year = match["y"] or match["y2"] or match["y3"]
    number = patterns.MONTHS.index(month[:3].lower()) + 1
    return "-".join([year or "-", f"{number:02d}", *([f"{int(day):02d}"] if day else [])])


def _weekday(match: re.Match[str]) -> str:
    if match["en"]:
        return patterns.DAYS[next(i for i, day in enumerate(patterns.DAYS) if match["en"].lower().startswith(day))]
    return patterns.DAYS["一二三四五六日".index(match["zh"].replace("天", "日"))]


def _clock(match: re.Match[str]) -> str | None:
    if match["h"]:
        minute = 30 if match["mid"] else {"一刻": 15, "三刻": 45}.get(match["quarter"] or "", 0)
        minute = _integer(match["m"]) if match["m"] else minute
        hour = _integer(match["h"])
        late = match["half"] in ("下午", "傍晚", "晚上", "今晚") and hour < 12
        if hour > 24 or minute > 59 or (match["half"] is None and match["h"] in ("一", "十") and minute == 0):
            return None
        return f"{hour + 12 * late:02d}:{minute:02d}"
    hour, minute = int(match["h2"] or match["h3"]), int(match["m2"] or 0)
    half = (match["ap2"] or match["ap3"] or "").lower()
    hour = hour % 12 + 12 * half.startswith("p") if half else hour
    return f"{hour:02d}:{minute:02d}" + (f":{match['s2']}" if match["s2"] else "")


def _identifier(match: re.Match[str]) -> str | None:
    # "30k", "5kg" and "3rd" are numbers with what belongs to them.
    if re.fullmatch(rf"\d+(?:{patterns.unit_words()}|k|K|w|M|B|st|nd|rd|th)", match[0]):
        return None
    return match[0].lstrip("#").casefold()


def _number(match: re.Match[str]) -> str | None:
    unit = patterns.units()[0].get(match["unit"] or "") or patterns.units()[1].get(match["sign"] or "") or ""
    if match["hundredths"]:
        unit = "%"
    if match["digits"]:
        value = Decimal(match["digits"].replace(",", "")) * MAGNITUDES.get(match["magnitude"] or "", 1)
    elif match["han"]:
        if not _telling_han(match, unit):
            return None
        value = Decimal(han_number(match["han"]))
        if match["point"]:
            value += Decimal("0." + "".join(str(han_number(char)) for char in match["point"]))
    else:
        words = match["english"].split()
        if len(words) == 1 and (words[0].lower() in ("one", "hundred", "thousand", "million", "billion") or not unit):
            return None
        value = Decimal(english_number(match["english"]))
    number = ("-" if match["minus"] else "") + plain_number(value)
    if match["upto"]:
        upto = match["upto"].replace(",", "")
        end = Decimal(upto) if upto[0].isdigit() and upto.isascii() else Decimal(han_number(upto))
        factor = MAGNITUDES.get(match["upto_magnitude"] or "", 1)
        # "3-5 万": the magnitude behind the range belongs to both ends.
        number = plain_number(value * (factor if match["magnitude"] is None else 1)) + ".." + plain_number(end * factor)
    return f"{number} {unit}".rstrip()


def _telling_han(match: re.Match[str], unit: str) -> bool:
    """Whether a Chinese numeral is a value: 一个, 一下 and 三心二意 are words, 三万 and 两天 are values."""
    numeral = match["han"]
    if match["hundredths"] or match["point"]:
        return True
    if len(numeral) == 1:
        return bool(unit) and not (numeral in "一壹" and unit in ("piece", "time", "point", "person", "degree"))
    following = match.string[match.end("han") : match.end("han") + 1]
    return (
        any(char in "十百千万亿拾佰仟萬億" for char in numeral) or bool(unit) or not ("\u4e00" <= following <= "\u9fff")
    )


_Found = Callable[[re.Match[str]], str | None]
_Sign = Callable[[str], object]
FINDERS: Final[tuple[tuple[str, _Sign, re.Pattern[str], _Found], ...]] = (
    ("url", signs.URL.search, patterns.URL, lambda m: m[0].rstrip(" .,;:)/").casefold()),
    ("identifier", signs.EMAIL.search, patterns.EMAIL, lambda m: m[0].casefold()),
    ("path", signs.PATH.search, patterns.PATH, lambda m: m[0].rstrip(" .,;:)")),
    ("date", signs.DATE.search, patterns.DATE, _date),
    ("date", signs.ENGLISH_DATE.search, patterns.ENGLISH_DATE, _date_en),
    ("version", signs.VERSION.search, patterns.VERSION, lambda m: m[0].lower().removeprefix("v")),
    ("date", signs.CLOCK.search, patterns.CLOCK, _clock),
    ("date", signs.WEEKDAY.search, patterns.WEEKDAY, _weekday),
    ("identifier", signs.IDENTIFIER.search, patterns.IDENTIFIER, _identifier),
    ("number", signs.number, patterns.number(), _number),
    ("name", signs.NAME.search, patterns.NAME, lambda m: "@" + (m["zh"] or m["en"]).casefold()),
)
"""Kinds in the order in which they claim their spans: the more telling form first."""
