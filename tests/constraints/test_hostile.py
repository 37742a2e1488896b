"""Hostile text costs no more than other text: no cue, form or key may be read in a growing number of ways."""

import importlib
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from ninefold.policies.constraints import extract
from ninefold.policies.constraints.hearing import HEARD_CHARS

parser: Any = importlib.import_module("re._parser")
cues: Any = importlib.import_module("ninefold.policies.constraints.cues")
keys: Any = importlib.import_module("ninefold.policies.constraints.keys")
OTHER = {"zh": "字", "en": "x"}
Try = Callable[[str], re.Match[str] | None]
DATA = Path(__file__).parents[2] / "policies" / "data"
PLAIN = {"anchors", "notices", "units", "conflict_answers"}
"""The data files that hold words and no regular expressions."""
CPU_SECONDS = 30.0
"""All hostile texts together take 3 seconds; one pattern that can be read in two ways takes longer alone."""


def patterns(language: str) -> Iterator[tuple[re.Pattern[str], int]]:
    """Each pattern with the longest text it is tried on: a form on short clauses, a cue and a key on any clause."""
    for name in ("constraint_grammar", *cues._ANYWHERE):
        longest = cues._SHORT[language] if name == "constraint_grammar" else HEARD_CHARS
        for group in cues._patterns(name).values():
            yield from ((pattern, longest) for pattern in group.get(language, ()))
    yield from ((pattern, HEARD_CHARS) for key in keys._keys().values() for pattern in key.say)


def other_patterns() -> Iterator[tuple[re.Pattern[str], Try]]:
    """Each regular expression of every other data file alone, as it is tried; one line may hold both languages."""
    read = {"constraint_grammar", "constraint_keys", *cues._ANYWHERE}
    for path in sorted(DATA.glob("*.yaml")):
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
        for section, held in loaded.items() if path.stem not in read | PLAIN else ():
            for pattern in (re.compile(line, re.IGNORECASE | re.MULTILINE) for line in lines(held)):
                whole = (path.stem, section) == ("intent", "small_talk")
                yield (
                    pattern,
                    pattern.fullmatch if whole else pattern.match if path.stem == "subjects" else pattern.search,
                )
    for key in keys._keys().values():
        yield from ((pattern, pattern.search) for pattern in (key.topic, *key.values.values()) if pattern is not None)


def lines(loaded: object) -> Iterator[str]:
    """Every text in what a data file holds, however deep."""
    match loaded:
        case str():
            yield loaded
        case list():
            yield from (text for each in loaded for text in lines(each))
        case dict():
            yield from (text for each in loaded.values() for text in lines(each))


class Loops:
    """The repeated parts of a pattern: what stands before each, and what each alternative of it may be."""

    def __init__(self, pattern: re.Pattern[str], language: str) -> None:
        self.other = OTHER[language]
        self.found: list[tuple[str, list[str]]] = []
        self._texts(parser.parse(pattern.pattern, pattern.flags))

    def _texts(self, items: Any) -> list[str]:
        whole = [""]
        for kind, value in items:
            parts = self._part(str(kind), value, whole[0])
            whole = list(dict.fromkeys([whole[0] + part for part in parts] + [each + parts[0] for each in whole[1:]]))
        return whole[:300]

    def _part(self, kind: str, value: Any, before: str) -> list[str]:
        match kind:
            case "LITERAL":
                return [chr(value)]
            case "IN":
                return self._letters(value)
            case "BRANCH":
                return [text for branch in value[1] for text in self._texts(branch)[:3]]
            case "SUBPATTERN":
                return self._texts(value[3])
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, inside = value
                body = self._texts(inside)
                if most >= 4:
                    self.found.append((before, body))
                return [text * least for text in body] if least else ["", *body]
            case "ANY" | "NOT_LITERAL":
                return [self.other]
            case _:
                return [""]

    def _letters(self, items: Any) -> list[str]:
        spaces = "CATEGORY_SPACE"
        kinds = [(str(kind), value) for kind, value in items]
        if kinds[0][0] == "NEGATE":
            return [self.other]
        return [
            chr(value)
            if kind == "LITERAL"
            else chr(value[0])
            if kind == "RANGE"
            else " "
            if str(value) == spaces
            else "1"
            if str(value) == "CATEGORY_DIGIT"
            else self.other
            for kind, value in kinds[:8]
        ]


def hostile(pattern: re.Pattern[str], language: str, longest: int) -> Iterator[str]:
    """Each alternative of each repeated part, said over and over, and then something else."""
    for before, body in Loops(pattern, language).found:
        pairs = [first + second for first in body[:12] for second in body[:12]] if len(body) < 40 else []
        for text in filter(None, [*body, *pairs]):
            for said in (text, text + " "):
                yield (before + said * longest)[: longest - 2] + OTHER[language] + "\x01"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_pattern_can_read_a_repetition_in_two_ways(language: str) -> None:
    texts = 0
    began = time.process_time()
    for pattern, longest in patterns(language):
        for text in dict.fromkeys(hostile(pattern, language, longest)):
            pattern.search(text)
            texts += 1
            assert time.process_time() - began < CPU_SECONDS, (pattern.pattern[:80], text[:60])
    assert texts > 5000


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_pattern_of_any_data_file_can_read_a_repetition_in_two_ways(language: str) -> None:
    texts = 0
    began = time.process_time()
    for pattern, tried in other_patterns():
        for text in dict.fromkeys(hostile(pattern, language, HEARD_CHARS)):
            tried(text)
            texts += 1
            assert time.process_time() - began < CPU_SECONDS, (pattern.pattern[:80], text[:60])
    assert texts > 2000


def members(language: str) -> list[str]:
    path = DATA / "constraint_grammar.yaml"
    words = cast(dict[str, dict[str, str]], yaml.safe_load(path.read_text(encoding="utf-8"))["words"])[language]
    plain = [re.split(r"[|()?:]+", text) for text in words.values()]
    return [word for each in plain for word in each if re.fullmatch(r"[\w ]+", word)]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_message_of_one_word_over_and_over_is_heard_at_once(language: str) -> None:
    began = time.process_time()
    start, space = {"zh": ("我", ""), "en": ("I ", " ")}[language]
    for word in members(language)[::3]:
        said = word + space
        extract(start + said * (150 // len(said)) + OTHER[language])
        assert time.process_time() - began < CPU_SECONDS, word


@pytest.mark.parametrize(
    "text",
    [
        "I " + "really " * 16 + "zzz it.",
        "I " + "only " * 28 + "zzz it.",
        "I'm " + "mostly " * 20 + "zzz",
        "回复" + "须要" * 28 + "字",
        "请你" * 100 + "字",
        "麻烦你好" * 60,
        "一定做" * 90,
        "我" + "对于字" * 18,
        "把字" * 150,
        "really " * 20_000,
        "需要" * 20_000,
        "I " + "(only " * 5_000,
        "use red and never " * 1_200,
        "不要用红色，" * 1_000,
    ],
)
def test_what_once_took_seconds_is_heard_at_once(text: str) -> None:
    began = time.process_time()
    extract(text)
    assert time.process_time() - began < 5
