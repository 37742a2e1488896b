"""When something was said, where a question names it: "what did we say last week", 上周说的."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from .numerals import han_number

_SAYING = re.compile(
    r"说|聊|谈|讨论|提到|提过|讲|告诉|决定|商量|约定|记录|问"
    r"|\b(?:said|say|talk(?:ed)?|discuss(?:ed)?|mention(?:ed)?|t[eo]ll?d?|decided?|agreed?|asked?|noted?|spoke)\b",
    re.IGNORECASE,
)
_UNITS = {"天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7, "个星期": 7, "个月": 30, "day": 1, "week": 7, "month": 30}
_AGO = re.compile(
    r"(?P<n>\d+|[一二两三四五六七八九十]+)\s*(?P<unit>天|日|个?星期|周|礼拜|个月)(?:之?前|以前)"
    r"|\b(?P<en>\d+|an?|two|three|four|five|six)\s+(?P<en_unit>day|week|month)s?\s+ago\b",
    re.IGNORECASE,
)
_EN = {"a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_NAMED = (
    (re.compile(r"今天|今早|今晚|\btoday\b|\bthis (?:morning|afternoon|evening)\b", re.IGNORECASE), "day", 0),
    (re.compile(r"前天|\bday before yesterday\b", re.IGNORECASE), "day", 2),
    (re.compile(r"昨天|昨晚|昨日|\byesterday\b|\blast night\b", re.IGNORECASE), "day", 1),
    (re.compile(r"上上(?:个?星期|周|礼拜)|\bweek before last\b", re.IGNORECASE), "week", 2),
    (re.compile(r"上(?:个?星期|周|礼拜)|\blast week\b", re.IGNORECASE), "week", 1),
    (re.compile(r"[这本](?:个?星期|周|礼拜)|\bthis week\b", re.IGNORECASE), "week", 0),
    (re.compile(r"上个?月|\blast month\b", re.IGNORECASE), "month", 1),
    (re.compile(r"[这本]个?月|\bthis month\b", re.IGNORECASE), "month", 0),
    (re.compile(r"去年|\blast year\b", re.IGNORECASE), "year", 1),
)
_DATE = re.compile(r"(?:(?P<y>\d{4})[-年/.]\s*)?(?P<m>\d{1,2})[-月/.]\s*(?P<d>\d{1,2})(?:日|号|(?!\d))")


class Span(NamedTuple):
    """From a moment to the one before another."""

    start: float
    end: float
    """Seconds since 1970, in the person's own time."""


def said_when(question: str, now: str) -> Span | None:
    """Give when what is asked about was said, or None where the question does not tell.

    "Last week" tells it only beside a word for saying or deciding: where somebody stayed last year was perhaps told
    yesterday.

    Args:
        question: the person's words.
        now: the turn's time with its offset.
    """
    if not _SAYING.search(question):
        return None
    today = datetime.fromisoformat(now).replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    if found := _AGO.search(question):
        days = _UNITS[(found["unit"] or found["en_unit"]).lower()]
        middle = today - timedelta(days=_count(found) * days)
        around = timedelta(days=days // 2)
        return _span(middle - around, middle + around + day)
    if found := _DATE.search(question):
        return _of_date(found, today)
    for pattern, unit, back in _NAMED:
        if pattern.search(question):
            return _span(*_calendar(today, unit, back))
    return None


def _count(found: re.Match[str]) -> int:
    given = found["n"] or found["en"].lower()
    if given.isdigit():
        return min(int(given), 3660)
    return _EN.get(given) or int(han_number(given) or 1)


def _of_date(found: re.Match[str], today: datetime) -> Span | None:
    try:
        named = today.replace(year=int(found["y"] or today.year), month=int(found["m"]), day=int(found["d"]))
        if not found["y"] and named > today:
            named = named.replace(year=today.year - 1)
    except ValueError:
        return None
    return _span(named, named + timedelta(days=1))


def _calendar(today: datetime, unit: str, back: int) -> tuple[datetime, datetime]:
    """A calendar day, week from Monday, month or year, so many before the present one."""
    match unit:
        case "day":
            start = today - timedelta(days=back)
            return start, start + timedelta(days=1)
        case "week":
            start = today - timedelta(days=today.weekday() + 7 * back)
            return start, start + timedelta(days=7)
        case "month":
            start = today.replace(day=1)
            for _ in range(back):
                start = (start - timedelta(days=1)).replace(day=1)
            return start, (start + timedelta(days=32)).replace(day=1)
        case _:
            start = today.replace(month=1, day=1, year=today.year - back)
            return start, start.replace(year=start.year + 1)


def _span(start: datetime, end: datetime) -> Span:
    return Span(start.timestamp(), end.timestamp())
