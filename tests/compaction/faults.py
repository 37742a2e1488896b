"""Ways in which a summary goes wrong, made by hand: nothing here knows how the project reads values or negations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ninefold.state import Item, StepStatus, Summary

Fault = Callable[[str], str | None]
"""Gives a spoilt statement, or None where the fault does not apply."""

_NEGATIONS = (
    ("不要", "要"),
    ("不能", "可以"),
    ("没有", "有"),
    ("别", "请"),
    ("从不", "总是"),
    ("不吃", "吃"),
    ("不", ""),
    ("never", "always"),
    ("do not", "do"),
    ("don't", "do"),
    ("did not", "did"),
    ("cannot", "can"),
    (" no ", " a "),
    (" not ", " "),
    ("without", "with"),
)
_UNITS = (
    ("公里", "米"),
    ("小时", "分钟"),
    ("万元", "千元"),
    ("公斤", "克"),
    ("GB", "MB"),
    ("元", "美元"),
    ("天", "周"),
    (" hours", " minutes"),
    (" days", " weeks"),
    (" km", " miles"),
    (" kg", " g"),
    (" dollars", " euros"),
    ("%", " people"),
)
_HAN = "零一二三四五六七八九"
_HAN_NUMBER = re.compile(r"[一二三四五六七八九十百千万亿两]{2,}")
_ENGLISH = {"three": "eight", "four": "seven", "five": "nine", "twelve": "twenty", "thirty": "sixty"}


def negation_turned(text: str) -> str | None:
    """Say the opposite."""
    for negated, plain in _NEGATIONS:
        if negated in text:
            return text.replace(negated, plain, 1)
    return None


def digit_swapped(text: str) -> str | None:
    """Change one digit."""
    found = re.search(r"\d", text)
    return None if found is None else text[: found.start()] + str((int(found[0]) + 3) % 10) + text[found.end() :]


def digits_transposed(text: str) -> str | None:
    """Exchange two neighbouring digits that differ."""
    found = re.search(r"(\d)(?!\1)(\d)", text)
    return None if found is None else text[: found.start()] + found[2] + found[1] + text[found.end() :]


def wide_digit_changed(text: str) -> str | None:
    """Write the digits at full width, one of them changed."""
    changed = digit_swapped(text)
    return None if changed is None else changed.translate({ord(d): ord(d) + 0xFEE0 for d in "0123456789"})


def han_number_changed(text: str) -> str | None:
    """Change one Chinese numeral."""
    found = _HAN_NUMBER.search(text)
    if found is None:
        return None
    for place, char in enumerate(found[0]):
        if char in _HAN[1:]:
            other = _HAN[_HAN.index(char) % 9 + 1]
            return text[: found.start() + place] + other + text[found.start() + place + 1 :]
    return None


def magnitude_changed(text: str) -> str | None:
    """Make it ten times as much."""
    for small, large in (("万", "十万"), ("千", "万"), ("百", "千"), ("thousand", "million")):
        if small in text:
            return text.replace(small, large, 1)
    found = re.search(r"(?<![\d.])\d+(?![\d.:/-])", text)
    return None if found is None else f"{text[: found.end()]}0{text[found.end() :]}"


def english_number_changed(text: str) -> str | None:
    """Change a number that is written as a word."""
    for word, other in _ENGLISH.items():
        if re.search(rf"\b{word}\b", text):
            return re.sub(rf"\b{word}\b", other, text, count=1)
    return None


def unit_changed(text: str) -> str | None:
    """Change the unit behind a number."""
    for unit, other in _UNITS:
        if re.search(rf"[\d一二三四五六七八九十百千万]\s*{re.escape(unit)}", text):
            return text.replace(unit, other, 1)
    return None


def number_vague(text: str) -> str | None:
    """Say "some" instead of how many."""
    found = re.search(r"\d[\d,.]*", text)
    return None if found is None else f"{text[: found.start()]}一些{text[found.end() :]}"


def value_dropped(text: str) -> str | None:
    """Leave the word out that holds digits."""
    found = re.search(r"\S*\d\S*", text)
    return None if found is None or len(found[0]) == len(text) else text.replace(found[0], "", 1)


FAULTS: tuple[Fault, ...] = (
    negation_turned,
    digit_swapped,
    digits_transposed,
    wide_digit_changed,
    han_number_changed,
    magnitude_changed,
    english_number_changed,
    unit_changed,
    number_vague,
    value_dropped,
)


class Spoilt(NamedTuple):
    """A spoilt summary and what was done to it."""

    fault: str
    summary: Summary


def spoilt(summary: Summary) -> Iterator[Spoilt]:
    """Give every way in which one statement of a summary goes wrong, and the ways in which the whole does."""
    for field in ("decisions", "next_steps", "other_facts"):
        items: tuple[Item, ...] = getattr(summary, field)
        for place, item in enumerate(items):
            for fault in FAULTS:
                text = fault(item.text)
                if text and text != item.text:
                    changed = item.model_copy(update={"text": text})
                    yield Spoilt(fault.__name__, _with(summary, field, items, place, (changed,)))
            yield Spoilt("dropped", _with(summary, field, items, place, ()))
            if item.status is StepStatus.DONE:
                reopened = item.model_copy(update={"status": StepStatus.PENDING})
                yield Spoilt("reopened", _with(summary, field, items, place, (reopened,)))
    for name, facts in _WHOLE.items():
        yield Spoilt(name, summary.model_copy(update={"decisions": (), "next_steps": (), "other_facts": facts}))


_WHOLE: dict[str, tuple[Item, ...]] = {
    "empty": (),
    "refused_zh": (Item(text="抱歉，我无法提供这段对话的摘要。", sources=("turn0-1-u",)),),
    "refused_en": (Item(text="I'm sorry, but I can't summarise this conversation.", sources=("turn0-1-u",)),),
    "other_language": (Item(text="Der Kunde hat über Preise und Termine gesprochen.", sources=("turn0-1-u",)),),
    "vague": (Item(text="配色和圆角待定，预算待定。", sources=("turn0-1-u",)),),
}


def _with(summary: Summary, field: str, items: tuple[Item, ...], place: int, new: tuple[Item, ...]) -> Summary:
    return summary.model_copy(update={field: (*items[:place], *new, *items[place + 1 :])})


def harmless(summary: Summary) -> Iterator[Spoilt]:
    """Give summaries that say the same in another way of writing; none of them is a fault."""
    for name, change in _HARMLESS.items():
        items = {
            field: tuple(item.model_copy(update={"text": change(item.text)}) for item in getattr(summary, field))
            for field in ("decisions", "next_steps", "other_facts")
        }
        if any(items[field] != getattr(summary, field) for field in items):
            yield Spoilt(name, summary.model_copy(update=items))


_HARMLESS: dict[str, Callable[[str], str]] = {
    "wide digits": lambda text: re.sub(
        r"(?<![\w./:-])\d+(?![\w./:-])", lambda m: m[0].translate({ord(d): ord(d) + 0xFEE0 for d in "0123456789"}), text
    ),
    "thousands separated": lambda text: re.sub(r"(?<![\w./:,-])(\d{1,3})(\d{3})(?=[元天]|\s)", r"\1,\2", text),
    "三万 for 30,000": lambda text: text.replace("30,000", "三万").replace("30000", "三万"),
    "no full stop": lambda text: text.rstrip("。."),
    "spaced": lambda text: text.replace("，", "， ").replace(", ", ",  "),
}
