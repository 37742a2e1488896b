"""How exact values are written, as patterns over text whose full-width characters are narrowed first."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final, cast

import yaml

from .numerals import ENGLISH_NUMERAL, HAN_NUMERAL, MAGNITUDES

QUOTATION: Final = re.compile(
    r"“([^”\n]{1,120})”|「([^」\n]{1,120})」|『([^』\n]{1,120})』|《([^》\n]{1,120})》|`([^`\n]{1,120})`|\"([^\"\n]{1,120})\""
)
URL: Final = re.compile(
    r"(?:https?|ftp|wss?)://[^\s\u3000-\u303f\u4e00-\u9fff，。；！？）】”\"'<>]+"
    r"|\bwww\.[\w.-]+\.[a-z]{2,}[^\s\u4e00-\u9fff，。；）]*",
    re.IGNORECASE,
)
EMAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_SUFFIXES: Final = (
    "py|js|ts|tsx|jsx|json|ya?ml|toml|csv|tsv|xlsx?|docx?|pptx?|pdf|md|txt|html?|css|sql|sh|log|zip|gz|png|jpe?g|svg"
    "|ipynb|java|go|rs|c|cpp|h|xml|ini|cfg|db|sqlite|env|conf|parquet"
)
PATH: Final = re.compile(
    r"(?<![\w/.])(?:~|\.{1,2})?/(?:[\w.@+-]+/)*[\w.@+-]+/?"
    r"|(?<!\w)[A-Za-z]:\\(?:[^\s\\，。；]+\\)*[^\s\\，。；]+"
    rf"|(?<![\w/.-])(?:[\w@+-][\w.@+-]*/)*[\w@+-][\w.@+-]*\.(?:{_SUFFIXES})(?![\w])",
    re.ASCII,
)
VERSION: Final = re.compile(
    r"\b[vV]\d+(?:\.\d+)*(?:[-+][\w.]+)?\b"
    r"|(?<![\w.])\d+\.\d+\.\d+(?:\.\d+)*(?:[-+]?(?:rc|a|b|alpha|beta|dev|post)[\w.]*)?(?![\w.]*\d)",
    re.ASCII,
)

_YEAR: Final = r"(?:(?:19|20)\d\d|[一二][〇零一二三四五六七八九]{3})"
_MONTH: Final = rf"(?:1[0-2]|0?[1-9]|{HAN_NUMERAL})"
_DAY: Final = rf"(?:3[01]|[12]\d|0?[1-9]|{HAN_NUMERAL})"
DATE: Final = re.compile(
    rf"""
    (?P<y>{_YEAR}) (?:\s*年\s*|[-/.]) (?P<m>{_MONTH}) (?:\s*月\s*(?:份)?|[-/.]) (?:(?P<d>{_DAY}) (?:\s*[日号]|(?!\d)))?
    | (?P<m2>{_MONTH}) \s*月\s* (?P<d2>{_DAY}) \s*[日号]
    | (?P<y3>{_YEAR}) \s*年(?!级)
    """,
    re.VERBOSE,
)
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAME: Final = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    "|Nov(?:ember)?|Dec(?:ember)?)"
)
_DAY_OF_MONTH: Final = r"(?:3[01]|[12]\d|0?[1-9])"
ENGLISH_DATE: Final = re.compile(
    rf"""
    \b (?P<m>{_MONTH_NAME}) \.?\s+ (?P<d>{_DAY_OF_MONTH}) (?:st|nd|rd|th)?\b (?: ,?\s+ (?P<y>(?:19|20)\d\d)\b )?
    | \b (?P<d2>{_DAY_OF_MONTH}) (?:st|nd|rd|th)? \s+ (?:of\s+)? (?P<m2>{_MONTH_NAME}) \b\.?
      (?: ,?\s+ (?P<y2>(?:19|20)\d\d)\b )?
    | \b (?P<m3>{_MONTH_NAME}) \.?,?\s+ (?P<y3>(?:19|20)\d\d)\b
    """,
    re.VERBOSE,
)
DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAY: Final = re.compile(
    r"(?:下下?个?|上个?|这个?|每个?|本)?(?:周|星期|礼拜)(?P<zh>[一二三四五六日天])(?![\u4e00-\u9fff]?[百千万])"
    r"|\b(?:(?:next|last|this|every|on)\s+)?(?P<en>Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)s?\b"
)
CLOCK: Final = re.compile(
    rf"""
    (?P<half>凌晨|早上|上午|中午|下午|傍晚|晚上|今晚|明早)? \s* (?P<h>[01]?\d|2[0-4]|{HAN_NUMERAL}) \s*
      (?:点钟?|时(?!间|候|期|代|不|常)) \s*
      (?: (?P<m>[0-5]?\d|{HAN_NUMERAL}) \s*分? | (?P<mid>半) | (?P<quarter>一刻|三刻) )? (?!\d)
    | (?<![\d:]) (?P<h2>[01]?\d|2[0-4]) : (?P<m2>[0-5]\d) (?: :(?P<s2>[0-5]\d) )? \s* (?P<ap2>[ap]\.?m\.?)? (?![\d:])
    | (?<![\w.]) (?P<h3>1[0-2]|0?[1-9]) \s* (?P<ap3>[ap]\.?m\b\.?)
    """,
    re.IGNORECASE | re.VERBOSE,
)
IDENTIFIER: Final = re.compile(
    r"""
    (?<!\w) (?:
      (?=[\w#-]*\d)(?=[\w#-]*[A-Za-z]) [A-Za-z0-9]+(?:[-_\#][A-Za-z0-9]+)+  # GPT-4o, A2024-0017
      | \#[A-Za-z]*\d[\w-]*                                                 # #1234
      | (?=[A-Za-z]*\d) [A-Za-z]+\d[A-Za-z0-9]*                             # O001, HAT139
      | (?=\d+[A-Za-z])(?=[\dA-Za-z]*\d[A-Za-z]+\d|[0-9a-f]{8,}\b) [0-9A-Za-z]+  # 9f86d081, 3M5X7
      | [A-Za-z]\w*_\w+                                                     # user_id
      | \d{3,4}-\d{3,4}-\d{4} | \d{3,4}-\d{7,8} | \d{11,}                   # telephone, card
    ) (?!\w)
    """,
    re.ASCII | re.VERBOSE,
)
NAME: Final = re.compile(
    r"""
    (?: 名字(?:叫|是|为) | (?:我|他|她|它|项目|公司|产品|团队|猫|狗|女儿|儿子|老板|客户)叫(?:做)?
      | 命名为 | 取名(?:叫|为)?
      | 称为 | (?:项目|代号|昵称|品牌)名?(?:是|为|叫) ) \s*
      (?P<zh> [\u4e00-\u9fff]{1,6}? (?=[，。；、,.;!！?？\s）)]|$|的|是|吧|了) | [A-Za-z][\w.-]*(?:\s[A-Z][\w.-]*)* )
    | (?i: \b(?:named|called|name\s+is|name\s+it|call\s+it|name's|codenamed?)\s+ )
      (?P<en> [A-Z][\w'.-]* (?:\s+[A-Z][\w'.-]*){0,3} )
    """,
    re.VERBOSE,
)


@cache
def units() -> tuple[dict[str, str], dict[str, str]]:
    """Give the canonical unit of each spelling, and of each sign that stands before a number."""
    path = Path(__file__).parent / "data" / "units.yaml"
    loaded = cast(dict[str, dict[str, list[str]]], yaml.safe_load(path.read_text(encoding="utf-8")))
    spelled, signs = (
        {spelling: unit for unit, spellings in loaded[part].items() for spelling in spellings}
        for part in ("units", "signs")
    )
    return spelled, signs


@cache
def unit_words() -> str:
    """Give a pattern for every spelling of a unit, the longest first."""
    return _alternatives(units()[0])


@cache
def number() -> re.Pattern[str]:
    """Give the pattern of numbers with sign, magnitude, range and unit."""
    digits = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?"
    magnitude = _alternatives(MAGNITUDES)
    signs = "|".join(re.escape(sign) for sign in sorted(units()[1], key=len, reverse=True))
    return re.compile(
        rf"(?:(?P<hundredths>百分之)|(?P<sign>{signs})\s*)?"
        r"(?P<minus>(?<![\w\u4e00-\u9fff.])-(?=\d)|负)?"
        r"(?:(?<![\w.])|(?<=[\u4e00-\u9fff_]))"
        rf"(?:(?P<digits>{digits})(?:\s*(?P<magnitude>{magnitude}))?"
        rf"|(?P<han>{HAN_NUMERAL})(?:点(?P<point>[零〇一二三四五六七八九]+))?"
        rf"|(?P<english>(?i:{ENGLISH_NUMERAL})))"
        rf"(?:\s*(?:-|~|–|—|到|至|to)\s*(?P<upto>{digits}|{HAN_NUMERAL})(?:\s*(?P<upto_magnitude>{magnitude}))?)?"
        rf"(?:\s*(?P<unit>{unit_words()}))?(?![A-Za-z0-9]*\d)"
    )


def _alternatives(words: dict[str, str] | dict[str, int]) -> str:
    """Give a pattern for any of the words, the longest first; a Latin one ends where its letters end."""
    return "|".join(
        re.escape(word) + (r"(?![A-Za-z])" if word.isascii() and word[-1].isalpha() else "")
        for word in sorted(words, key=len, reverse=True)
    )
