"""When something was said, where a question names it: "what did we say last week", 上周说的."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import yaml

from .numerals import han_number

_DATA = Path(__file__).parent / "data" / "said_when.yaml"


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
    words = _words()
    if not any(pattern.search(question) for pattern in words.saying):
        return None
    today = datetime.fromisoformat(now).replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    if found := next((match for pattern in words.ago if (match := pattern.search(question))), None):
        days = words.days[found["unit"].lower()]
        middle = today - timedelta(days=_count(found["n"].lower(), words) * days)
        around = timedelta(days=days // 2)
        return _span(middle - around, middle + around + day)
    if found := words.date.search(question) or words.date_in_words.search(question):
        return _of_date(found, today, words)
    for pattern, unit, back in words.named:
        if pattern.search(question):
            return _span(*_calendar(today, unit, back))
    return None


class _Words(NamedTuple):
    """The words of both languages as patterns."""

    saying: tuple[re.Pattern[str], ...]
    ago: tuple[re.Pattern[str], ...]
    days: dict[str, int]
    counts: dict[str, int]
    date: re.Pattern[str]
    date_in_words: re.Pattern[str]
    months: tuple[re.Pattern[str], ...]
    month_days: tuple[re.Pattern[str], ...]
    named: tuple[tuple[re.Pattern[str], str, int], ...]


@cache
def _words() -> _Words:
    loaded = cast(dict[str, Any], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    months, days = ("|".join(loaded[names]) for names in ("months", "month_days"))
    in_words = loaded["date_in_words"].replace("{month}", months).replace("{day}", days)
    return _Words(
        tuple(_compiled(each) for each in loaded["saying"].values()),
        tuple(_compiled(each) for each in loaded["ago"].values()),
        loaded["days"],
        loaded["counts"],
        _compiled(loaded["date"].replace("{han_month}", loaded["han_month"]).replace("{han_day}", loaded["han_day"])),
        _compiled(in_words),
        tuple(_compiled(each) for each in loaded["months"]),
        tuple(_compiled(each) for each in loaded["month_days"]),
        tuple((_compiled(f"{each['zh']}|{each['en']}"), each["unit"], each["back"]) for each in loaded["named"]),
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _count(given: str, words: _Words) -> int:
    if given.isdigit():
        return min(int(given), 3660)
    return words.counts.get(given) or int(han_number(given) or 1)


def _of_date(found: re.Match[str], today: datetime, words: _Words) -> Span | None:
    month = _number(found["m"] or found["month"], words.months)
    day = _number(found["d"] or found["day"], words.month_days)
    try:
        named = today.replace(year=_number(found["y"], ()) if found["y"] else today.year, month=month, day=day)
        if not found["y"] and named > today:
            named = named.replace(year=today.year - 1)
    except ValueError:
        return None
    return _span(named, named + timedelta(days=1))


def _number(said: str, names: Sequence[re.Pattern[str]]) -> int:
    """Give the number that digits, Chinese letters or one of the names say, which count from 1."""
    by_name = (number for number, name in enumerate(names, 1) if name.fullmatch(said))
    return next(by_name, 0) or (int(said) if said.isdigit() else han_number(said))


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
