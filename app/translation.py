"""What the code says in English, in Chinese: causes and next steps of errors, reasons of a trace, helps of options.

Below the app nobody knows the language of whoever reads: steps and adapters give one English sentence each, from a
finite set. `messages/told.zh.yaml` holds their Chinese, each with the same places for values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from ninefold.policies.notices import retold
from ninefold.state import Language

from .program import as_run

if TYPE_CHECKING:
    from ninefold.state.errors import NinefoldError

PLACE = re.compile(r"\{\d*\}")
"""A place for a value: in the order of the values, or numbered where Chinese needs another order."""
_JOINT = "; "
"""What the steps put between two reasons."""


def told(error: NinefoldError, language: Language) -> str:
    """Give an error's cause and next step in a language; what has no Chinese stays English."""
    if language is not Language.CHINESE:
        return f"{error.cause} {as_run(error.next_step)}".strip()
    cause = "\n".join(translated(line, language) for line in error.cause.split("\n"))
    step = as_run(translated(error.next_step, language))
    return f"{cause}{'' if cause.endswith('。') else ' '}{step}".strip()


def translated(text: str, language: Language) -> str:
    """Give a sentence of the code in a language, whole or reason by reason; what has no Chinese stays English.

    What a step told in its thread's language is told in the reader's.
    """
    if not text:
        return text
    if (notice := retold(text, language)) is not None:
        return notice
    if language is not Language.CHINESE:
        return text
    whole = _known(text)
    if whole is not None:
        return whole
    return _each(text) or _two(text) or text


def _each(text: str) -> str | None:
    """Give reasons that stand side by side, where each of them is known."""
    parts = [_known(part) for part in text.split(_JOINT)]
    return "；".join(filter(None, parts)) if len(parts) > 1 and None not in parts else None


def _known(text: str) -> str | None:
    exact = chinese().get(text)
    if exact is not None:
        return exact
    for pattern, template in _patterns():
        if found := pattern.fullmatch(text):
            return _filled(template, found.groups())
    return None


def _two(text: str) -> str | None:
    """Give a cause with its next step behind it, as an error's text joins them."""
    for joint in re.finditer(r"(?<=[.?!`)]) ", text):
        cause, step = _known(text[: joint.start()]), _known(text[joint.end() :])
        if cause is not None and step is not None:
            return f"{cause}{step}"
    return None


def _filled(template: str, values: tuple[str, ...]) -> str:
    given = iter(values)

    def value(place: re.Match[str]) -> str:
        number = place[0][1:-1]
        put = values[int(number)] if number else next(given)
        return (put and (_each(put) or _known(put))) or put

    return PLACE.sub(value, template)


@cache
def chinese() -> Mapping[str, str]:
    """Give the Chinese of each English sentence."""
    import yaml

    text = files("ninefold").joinpath("messages", "told.zh.yaml").read_text(encoding="utf-8")
    loaded: dict[str, str] = yaml.safe_load(text)
    return loaded


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Give the sentences with values, those with more words of their own first: they are the closer match."""
    made = [english for english in chinese() if PLACE.search(english)]
    made.sort(key=lambda english: -len(PLACE.sub("", english)))
    return tuple(
        (re.compile("(.*?)".join(re.escape(part) for part in PLACE.split(english)), re.DOTALL), chinese()[english])
        for english in made
    )
