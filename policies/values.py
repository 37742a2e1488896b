"""Exact values in what people write: the spans that a compaction may not change.

Law: `text[value.start:value.end] == value.text`, values never overlap, and two ways of writing one value have one
`canonical`: 三万, 3 万, ３００００ and 30,000 are all "30000".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

import yaml

from .numerals import ENGLISH_NUMERAL, HAN_NUMERAL, MAGNITUDES, english_number, han_number, narrow, plain_number


class ExactValue(NamedTuple):
    """One exact value with its place in the text."""

    kind: str
    """number, date, identifier, path, url, version, quotation or name."""
    text: str
    start: int
    end: int
    canonical: str
    """Equal for every way of writing the same value; for numbers "value unit", or "value" without a unit."""


_Found = Callable[[re.Match[str]], str | None]

_QUOTATION = re.compile(
    r"“([^”\n]{1,120})”|「([^」\n]{1,120})」|『([^』\n]{1,120})』|《([^》\n]{1,120})》|`([^`\n]{1,120})`|\"([^\"\n]{1,120})\""
)
_URL = re.compile(
    r"(?:https?|ftp|wss?)://[^\s\u3000-\u303f\u4e00-\u9fff，。；！？）】”\"'<>]+|\bwww\.[\w.-]+\.[a-z]{2,}[^\s\u4e00-\u9fff，。；）]*",
    re.I,
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_PATH = re.compile(
    r"(?<![\w/.])(?:~|\.{1,2})?/(?:[\w.@+-]+/)*[\w.@+-]+/?|(?<!\w)[A-Za-z]:\\(?:[^\s\\，。；]+\\)*[^\s\\，。；]+"
    r"|(?<![\w/.-])(?:[\w@+-][\w.@+-]*/)*[\w@+-][\w.@+-]*\.(?:py|js|ts|tsx|jsx|json|ya?ml|toml|csv|tsv|xlsx?|docx?|pptx?|pdf|md|txt|html?|css|sql|sh|log|zip|gz|png|jpe?g|svg|ipynb|java|go|rs|c|cpp|h|xml|ini|cfg|db|sqlite|env|conf|parquet)(?![\w])",
    re.ASCII,
)
_VERSION = re.compile(
    r"\b[vV]\d+(?:\.\d+)*(?:[-+][\w.]+)?\b|(?<![\w.])\d+\.\d+\.\d+(?:\.\d+)*(?:[-+]?(?:rc|a|b|alpha|beta|dev|post)[\w.]*)?(?![\w.]*\d)",
    re.ASCII,
)
_HAN_NUM = HAN_NUMERAL
_YEAR = r"(?:(?:19|20)\d\d|[一二][〇零一二三四五六七八九]{3})"
_DATE = re.compile(
    rf"(?P<y>{_YEAR})(?:\s*年\s*|[-/.])(?P<m>1[0-2]|0?[1-9]|{_HAN_NUM})(?:\s*月\s*(?:份)?|[-/.])(?:(?P<d>3[01]|[12]\d|0?[1-9]|{_HAN_NUM})(?:\s*[日号]|(?!\d)))?"
    rf"|(?P<m2>1[0-2]|0?[1-9]|{_HAN_NUM})\s*月\s*(?P<d2>3[01]|[12]\d|0?[1-9]|{_HAN_NUM})\s*[日号]"
    rf"|(?P<y3>{_YEAR})\s*年(?!级)"
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
_DATE_EN = re.compile(
    rf"\b(?P<m>{_MONTH})\.?\s+(?P<d>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?\b(?:,?\s+(?P<y>(?:19|20)\d\d)\b)?"
    rf"|\b(?P<d2>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{_MONTH})\b\.?(?:,?\s+(?P<y2>(?:19|20)\d\d)\b)?"
    rf"|\b(?P<m3>{_MONTH})\.?,?\s+(?P<y3>(?:19|20)\d\d)\b"
)
_WEEKDAY = re.compile(
    r"(?:下下?个?|上个?|这个?|每个?|本)?(?:周|星期|礼拜)(?P<zh>[一二三四五六日天])(?![\u4e00-\u9fff]?[百千万])"
    r"|\b(?:(?:next|last|this|every|on)\s+)?(?P<en>Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)s?\b"
)
_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_CLOCK = re.compile(
    rf"(?P<half>凌晨|早上|上午|中午|下午|傍晚|晚上|今晚|明早)?\s*(?P<h>[01]?\d|2[0-4]|{_HAN_NUM})\s*(?:点钟?|时(?!间|候|期|代|不|常))\s*(?:(?P<m>[0-5]?\d|{_HAN_NUM})\s*分?|(?P<mid>半)|(?P<quarter>一刻|三刻))?(?!\d)"
    r"|(?<![\d:])(?P<h2>[01]?\d|2[0-4]):(?P<m2>[0-5]\d)(?::(?P<s2>[0-5]\d))?\s*(?P<ap2>[ap]\.?m\.?)?(?![\d:])"
    r"|(?<![\w.])(?P<h3>1[0-2]|0?[1-9])\s*(?P<ap3>[ap]\.?m\b\.?)",
    re.I,
)
_IDENTIFIER = re.compile(
    r"(?<![\w])(?:(?=[\w#-]*\d)(?=[\w#-]*[A-Za-z])[A-Za-z0-9]+(?:[-_#][A-Za-z0-9]+)+|#[A-Za-z]*\d[\w-]*|(?=[A-Za-z]*\d)[A-Za-z]+\d[A-Za-z0-9]*|(?=\d+[A-Za-z])(?=[\dA-Za-z]*\d[A-Za-z]+\d|[0-9a-f]{8,}\b)[0-9A-Za-z]+|[A-Za-z]\w*_\w+|\d{3,4}-\d{3,4}-\d{4}|\d{3,4}-\d{7,8}|\d{11,})(?![\w])",
    re.ASCII,
)
_NAME = re.compile(
    r"(?:名字(?:叫|是|为)|(?:我|他|她|它|项目|公司|产品|团队|猫|狗|女儿|儿子|老板|客户)叫(?:做)?|命名为|取名(?:叫|为)?|称为|(?:项目|代号|昵称|品牌)名?(?:是|为|叫))\s*(?P<zh>[\u4e00-\u9fff]{1,6}?(?=[，。；、,.;!！?？\s）)]|$|的|是|吧|了)|[A-Za-z][\w.-]*(?:\s[A-Z][\w.-]*)*)"
    r"|(?i:\b(?:named|called|name\s+is|name\s+it|call\s+it|name's|codenamed?)\s+)(?P<en>[A-Z][\w'.-]*(?:\s+[A-Z][\w'.-]*){0,3})"
)


def exact_values(text: str) -> tuple[ExactValue, ...]:
    """Give the exact values of a text, in its order."""
    plain = narrow(text)
    taken = bytearray(len(text))
    found: list[ExactValue] = []
    for kind, pattern, canonical in _finders():
        for match in pattern.finditer(plain):
            start, end = _bounds(kind, match)
            if start == end or any(taken[start:end]):
                continue
            value = canonical(match)
            if value is None:
                continue
            taken[start:end] = b"\x01" * (end - start)
            found.append(ExactValue(kind, text[start:end], start, end, value))
    found.extend(_quotations(text, found))
    return tuple(sorted(found, key=lambda value: (value.start, -value.end)))


def lacking(values: Iterable[ExactValue], text: str) -> tuple[ExactValue, ...]:
    """Give the values that a text does not hold, in whichever way it writes them.

    A number without a unit is held by the same number with any unit, never the other way round.
    """
    held = exact_values(text)
    canonical = {value.canonical for value in held}
    canonical |= {value.canonical.partition(" ")[0] for value in held if value.kind == "number"}
    folded = _folded(text)
    return tuple(
        value
        for value in values
        if value.canonical not in canonical and not (value.kind in _WRITTEN and _folded(value.text) in folded)
    )


_WRITTEN = frozenset({"quotation", "name"})
"""Kinds that are held where their words stand, quoted or not."""


def _quotations(text: str, found: list[ExactValue]) -> Iterator[ExactValue]:
    # A quotation may hold other values; it is given only where it holds none, so that values never overlap.
    for match in _QUOTATION.finditer(text):
        inner = next(group for group in range(1, 7) if match[group] is not None)
        start, end = match.span(inner)
        if text[start:end].strip() and not any(value.start < end and start < value.end for value in found):
            yield ExactValue("quotation", text[start:end], start, end, "“" + _folded(text[start:end]))


def _folded(text: str) -> str:
    return re.sub(r"[\s“”\"'「」『』《》`]+", "", narrow(text)).casefold()


def _bounds(kind: str, match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span(match.lastgroup or 0) if kind == "name" else match.span()
    text = match.string[start:end]
    end -= len(text) - len(text.rstrip(" .,;:)" if kind in ("url", "path") else " "))
    start += len(text) - len(text.lstrip()) if end > start else 0
    return start, end


@cache
def _finders() -> tuple[tuple[str, re.Pattern[str], _Found], ...]:
    """Kinds in the order in which they claim their spans: the more telling form first."""
    return (
        ("url", _URL, lambda m: m[0].rstrip(" .,;:)/").casefold()),
        ("identifier", _EMAIL, lambda m: m[0].casefold()),
        ("path", _PATH, lambda m: m[0].rstrip(" .,;:)")),
        ("date", _DATE, _date),
        ("date", _DATE_EN, _date_en),
        ("version", _VERSION, lambda m: m[0].lower().removeprefix("v")),
        ("date", _CLOCK, _clock),
        ("date", _WEEKDAY, _weekday),
        ("identifier", re.compile(_IDENTIFIER.pattern, re.ASCII), _identifier),
        ("number", _number_pattern(), _number),
        ("name", _NAME, lambda m: "@" + (m["zh"] or m["en"]).casefold()),
    )


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
    number = _MONTHS.index(month[:3].lower()) + 1
    return "-".join([year or "-", f"{number:02d}", *([f"{int(day):02d}"] if day else [])])


def _weekday(match: re.Match[str]) -> str:
    if match["en"]:
        return _DAYS[next(i for i, day in enumerate(_DAYS) if match["en"].lower().startswith(day))]
    return _DAYS["一二三四五六日".index(match["zh"].replace("天", "日"))]


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
    if re.fullmatch(rf"\d+(?:{_unit_words()}|k|K|w|M|B|st|nd|rd|th)", match[0]):
        return None
    return match[0].lstrip("#").casefold()


@cache
def _units() -> tuple[dict[str, str], dict[str, str]]:
    path = Path(__file__).parent / "data" / "units.yaml"
    loaded = cast(dict[str, dict[str, list[str]]], yaml.safe_load(path.read_text(encoding="utf-8")))
    spelled, signs = (
        {spelling: unit for unit, spellings in loaded[part].items() for spelling in spellings}
        for part in ("units", "signs")
    )
    return spelled, signs


@cache
def _unit_words() -> str:
    spellings = sorted(_units()[0], key=len, reverse=True)
    return "|".join(
        re.escape(word) + (r"(?![A-Za-z])" if word.isascii() and word[-1].isalpha() else "") for word in spellings
    )


@cache
def _number_pattern() -> re.Pattern[str]:
    signs = "|".join(re.escape(sign) for sign in sorted(_units()[1], key=len, reverse=True))
    magnitude = "|".join(
        re.escape(word) + (r"(?![A-Za-z])" if word.isascii() else "")
        for word in sorted(MAGNITUDES, key=len, reverse=True)
    )
    digits = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?"
    ranged = rf"(?:\s*(?:-|~|–|—|到|至|to)\s*(?P<upto>{digits}|{HAN_NUMERAL})(?:\s*(?P<upto_magnitude>{magnitude}))?)?"
    return re.compile(
        rf"(?:(?P<hundredths>百分之)|(?P<sign>{signs})\s*)?(?P<minus>(?<![\w\u4e00-\u9fff.])-(?=\d)|负)?"
        rf"(?:(?<![\w.])|(?<=[\u4e00-\u9fff_]))"
        rf"(?:(?P<digits>{digits})(?:\s*(?P<magnitude>{magnitude}))?|(?P<han>{HAN_NUMERAL})(?:点(?P<point>[零〇一二三四五六七八九]+))?(?P<half>半)?|(?P<english>(?i:{ENGLISH_NUMERAL})))"
        rf"{ranged}(?:\s*(?P<unit>{_unit_words()}))?(?![A-Za-z0-9]*\d)"
    )


def _number(match: re.Match[str]) -> str | None:
    unit = _units()[0].get(match["unit"] or "") or _units()[1].get(match["sign"] or "") or ""
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
