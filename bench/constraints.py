"""T2: what the rules find without a model, and whether what they found still stands after other talk.

python -m bench.constraints [--data FOLDER] [--json FILE] [--misses]

Caught: the turn that states a wish gives a constraint that holds the wish's words. Kept: it is still in the layer, read
back, after a conversation of other people's was taken between, unless that talk asked for another value itself. False:
constraints from sixty texts without a wish, from small talk, and the share of real people's turns that gives any.
Without the folder of public conversations the project's own texts are measured alone.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import yaml

from ninefold.policies.constraint_layer import read_constraints, render_constraints
from ninefold.policies.constraints import Candidate, Source, extract, merge
from ninefold.policies.negation import negations
from ninefold.state import ConflictRule, Constraint, Scope

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data" / "dev"
OWN = HERE.parent / "tests" / "constraints"
HELD_OUT = tuple(f"held_out_{name}" for name in ("first", "second", "third", "fourth", "fifth", "sixth"))
"""Sets that were each measured before anything was changed for them: see their first lines."""
EVERYDAY = ("everyday_seen", "everyday_held_out", "everyday_second", "everyday_third", "everyday_after")
"""Everyday wishes by register: what the forms were widened for, and what was set aside; see their first lines."""


class Row(NamedTuple):
    """One line of the table; `misses` is for people who want to read them."""

    name: str
    cases: int
    share: float
    goal: str
    met: bool
    misses: tuple[str, ...]


class Case(NamedTuple):
    """A turn that states a wish, the words that must be found, and talk of others to put behind it."""

    text: str
    words: str | None
    filler: tuple[str, ...]


@cache
def found(text: str) -> tuple[Candidate, ...]:
    """Give the wishes of a message."""
    return extract(text).wishes


def caught(case: Case) -> tuple[Candidate, ...]:
    """Give the wishes of a turn that hold the words, or any where the words are not in the turn."""
    wishes = found(case.text)
    if case.words is None or case.words not in case.text:
        return wishes
    start = case.text.index(case.words)
    end = start + len(case.words)
    within = [wish for wish in wishes if wish.start < end and start < wish.end]
    if any(case.words in wish.words for wish in within):
        return tuple(within)
    covered = sum(any(wish.start <= place < wish.end for wish in within) for place in range(start, end))
    return tuple(within) if 2 * covered >= end - start else ()


def kept(case: Case) -> bool | None:
    """Whether what was caught is in the layer after the filler; None where the filler asked for another value."""
    wishes = caught(case)
    held: tuple[Constraint, ...] = ()
    gone: set[str] = set()
    stated: frozenset[str] = frozenset()
    for number, text in enumerate((case.text, *case.filler)):
        source = Source(turn=f"t{number}", message=f"m{number}", at="2026-01-01T00:00:00+00:00", task=None)
        merged = merge(held, found(text), source, ConflictRule.NEWEST)
        if number:
            gone |= {each.words for each in held} - {each.words for each in merged.constraints}
        held = merged.constraints
        stated = stated if number else frozenset(read_constraints(render_constraints(held), held))
    read = read_constraints(render_constraints(held), held)
    lost = [wish.words for wish in wishes if wish.words in stated and wish.words not in read]
    if not lost:
        return True
    return None if set(lost) <= gone else False


def verbatim(case: Case) -> bool:
    """Whether every clause of the stated wish that says no stands in what was caught, letter for letter."""
    return all(any(span.text in wish.words for wish in caught(case)) for span in negations(case.words or ""))


def rows(data: Path) -> Iterator[Row]:
    """Give the table."""
    if data.exists():
        for name, goal, cases in (
            ("multichallenge", 0.92, list(multichallenge(data))),
            ("beam", 0.92, list(beam(data))),
            ("prefeval", 0.85, list(prefeval(data))),
            ("crosswoz slots", 0.78, list(crosswoz(data))),
        ):
            yield _row(f"{name}: caught", cases, lambda case: bool(caught(case)), goal)
            heard = [case for case in cases if caught(case)]
            still = [case for case in heard if kept(case) is not None]
            yield _row(f"{name}: kept after other talk", still, lambda case: bool(kept(case)), 1.0)
            stated = [case for case in heard if case.words is not None and case.words in case.text]
            yield _row(f"{name}: negations verbatim", stated, verbatim, 1.0)
        yield _false("wildchat: turns that give any", list(wildchat(data)), 0.05)
    wishes = [(side, text) for side, texts in _own("wishes").items() for text in texts]
    right = [(s, t) for s, t in wishes if [w.polarity for w in found(t)] == [s]]
    missed = tuple(text for side, text in wishes if (side, text) not in right)
    yield Row("own wishes, right side", len(wishes), len(right) / len(wishes), "1.00", not missed, missed)
    yield _false("sixty texts without a wish", [t for texts in _own("no_wish").values() for t in texts], 0.0)
    yield from _held_out()
    for language, turns in _own("small_talk").items():
        yield _false(f"small talk {language}", turns, 0.01)


def _held_out() -> Iterator[Row]:
    """Measure the texts that were written before the rules: those looked at since, and those never looked at."""
    wishes = cast(dict[str, dict[str, list[str]]], _own("held_out_wishes"))
    others = cast(dict[str, dict[str, list[str]]], _own("held_out_no_wish"))
    for half, name in enumerate(("looked at", "never looked at")):
        for language, groups in wishes.items():
            cases = [Case(*_marked(text), filler=()) for texts in groups.values() for text in texts[half::2]]
            yield _row(f"{name}, {language}: heard", cases, _heard, 0.90)
            yield _false(
                f"{name}, {language}: false", [t for ts in others[language].values() for t in ts[half::2]], 0.05
            )
    for name in HELD_OUT:
        for language, texts in cast(dict[str, dict[str, list[str]]], _own(name)).items():
            yield _row(f"{name}, {language}: heard", [Case(t, t, ()) for t in texts["wishes"]], _heard, 0.90)
            yield _false(f"{name}, {language}: false", texts["none"], 0.05, _outlasts)
    for name in EVERYDAY:
        for language, kinds in cast(dict[str, dict[str, dict[str, list[str]]]], _own(name)).items():
            said = [Case(*_marked(text), filler=()) for each in kinds["wishes"].values() for text in each]
            idle = [text for each in kinds["none"].values() for text in each]
            yield _row(f"{name}, {language}: heard", said, _heard_to_last, 0.90)
            yield _false(f"{name}, {language}: false", idle, 0.05, _outlasts)


def _heard(case: Case, gives: Callable[[str], tuple[Candidate, ...]] = found) -> bool:
    start = case.text.index(case.words or case.text)
    end = start + len(case.words or case.text)
    return any(wish.start < end and start < wish.end for wish in gives(case.text))


def _heard_to_last(case: Case) -> bool:
    return _heard(case, _outlasts)


def _marked(text: str) -> tuple[str, str]:
    """Give a text without its marks, and the part between them; the whole text where it has none."""
    before, mark, rest = text.partition("【")
    inside, _, behind = rest.partition("】")
    return (before + inside + behind, inside) if mark else (text, text)


def multichallenge(data: Path) -> Iterator[Case]:
    """Give the instruction turns of MultiChallenge."""
    fillers = _fillers(data, "en")
    for number, item in enumerate(_lines(data / "constraints" / "multichallenge_ir_en.jsonl")):
        for constraint in item["constraints"]:
            yield Case(_turn(item, constraint["stated_at"]), constraint["text"], fillers[number % len(fillers)])


def beam(data: Path) -> Iterator[Case]:
    """Give the turns of BEAM that state an instruction or a preference."""
    fillers = _fillers(data, "en")
    for number, item in enumerate(_lines(data / "constraints" / "beam_en.jsonl")):
        for constraint in item["constraints"]:
            words = constraint["text"] if constraint.get("verbatim_in_turn") else None
            yield Case(_turn(item, constraint["stated_at"]), words, fillers[number % len(fillers)])


def prefeval(data: Path) -> Iterator[Case]:
    """Give PrefEval's preferences, each as a turn."""
    fillers = _fillers(data, "en")
    for number, item in enumerate(_lines(data / "constraints" / "prefeval_en.jsonl")):
        for constraint in item["constraints"]:
            yield Case(constraint["text"], constraint["text"].rstrip("."), fillers[number % len(fillers)])


def crosswoz(data: Path) -> Iterator[Case]:
    """Give the slots of CrossWOZ whose value stands in the turn as it is."""
    fillers = _fillers(data, "zh")
    for number, item in enumerate(_lines(data / "constraints" / "crosswoz_zh.jsonl")):
        for constraint in item["constraints"]:
            if constraint["value_verbatim_in_turn"]:
                text = _turn(item, constraint["stated_at"])
                yield Case(text, constraint["value"], fillers[number % len(fillers)])


def wildchat(data: Path) -> Iterator[str]:
    """Give the turns of real people."""
    for item in _lines(data / "trigger" / "wildchat_user_turns_en.jsonl"):
        yield from item["turns"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, write JSON where asked, and exit with status 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--misses", action="store_true")
    chosen = parser.parse_args(arguments)
    table = list(rows(chosen.data))
    print(f"T2 constraints without a model ({platform.platform()}, Python {platform.python_version()})")
    for row in table:
        print(f"{row.name:40} {row.cases:5} cases  {row.share:6.3f}  goal {row.goal:7} {'' if row.met else 'MISSED'}")
        for text in row.misses if chosen.misses else ():
            print("        ", " ".join(text.split())[:160])
    if chosen.json:
        plain = [row._asdict() | {"misses": len(row.misses)} for row in table]
        chosen.json.write_text(json.dumps(plain, ensure_ascii=False, indent=1), encoding="utf-8")
    sys.exit(0 if all(row.met for row in table) else 1)


def _row(name: str, cases: Sequence[Case], holds: Callable[[Case], bool], goal: float) -> Row:
    misses = tuple(f"{case.words or ''} | {case.text}" for case in cases if not holds(case))
    share = 1 - len(misses) / len(cases) if cases else 0.0
    return Row(name, len(cases), share, f">= {goal}", share >= goal, misses)


def _outlasts(text: str) -> tuple[Candidate, ...]:
    """Give the wishes of a message that hold beyond its turn."""
    return tuple(wish for wish in found(text) if wish.scope is not Scope.TURN)


def _false(name: str, texts: Sequence[str], most: float, gives: Callable[[str], tuple[Candidate, ...]] = found) -> Row:
    fired = tuple(text for text in texts if gives(text))
    share = len(fired) / len(texts)
    return Row(name, len(texts), share, f"<= {most}", share <= most, fired)


def _own(name: str) -> dict[str, Any]:
    return cast(dict[str, Any], yaml.safe_load((OWN / f"{name}.yaml").read_text(encoding="utf-8")))


def _fillers(data: Path, language: str) -> list[tuple[str, ...]]:
    talks = _lines(data / "constraints" / f"fillers_{language}.jsonl")
    return [tuple(turn["text"] for turn in talk["turns"] if turn["role"] == "user") for talk in talks]


def _turn(item: dict[str, Any], name: str) -> str:
    return next(str(turn["text"]) for turn in item["turns"] if turn["id"] == name)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
