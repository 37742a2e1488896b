"""BENCHMARKS.md, its plots and the tables of README and docs/scale, from what the measurements left in bench/results.

Usage: python -m bench.report [--results FOLDER] [--to FILE] [--documents]

It tells every goal, what was reached, and where another does better. The plots go to docs/images. With `--documents`
the tables in README.md, docs/scale.md and their Chinese twins are written too, each between its two comments.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from bench import plots
from bench.agree import SPREADS
from bench.documents import DOCUMENTS, rewritten
from bench.figures import RESULTS
from bench.tables import TABLES, Results, marks_of, rules

HERE = Path(__file__).parent
ROOT = HERE.parent
TARGET = ROOT / "BENCHMARKS.md"
PICTURES = ROOT / "docs" / "images"
HEAD = """# Benchmarks

Written by `python -m bench.report` from the JSON that the measurements leave in `bench/results`; `make bench` runs them
all in about half an hour, `make bench-all` at full length. Each row names the command that measures it. Where the
public conversation sets are not at hand, the commands measure texts of this repository and say so. A script stands in
for the model wherever the words do not matter, so most figures are the same in every run with the same packages; times
depend on the machine and its load, and are read as ratios within one run.
"""
Row = Mapping[str, Any]
Goals = Mapping[str, Sequence[Mapping[str, Any]]]


def report(results: Results, rows: Mapping[str, Row]) -> str:
    """Give the document.

    Args:
        results: what the measurements left, by their names.
        rows: what stands about each row in rows.yaml.

    Raises:
        KeyError: a goal belongs to a row that rows.yaml does not know.
    """
    goals: dict[str, list[Mapping[str, Any]]] = {name: [] for name in rows}
    for result in results.values():
        for goal in result["goals"]:
            goals[goal["row"]].append(goal)
    shown = pictures(results)
    tables = {name: list(made(results)) for name, made in TABLES.items()}
    parts = [HEAD, *_overview(goals, rows, tables), *_short(goals, rows, tables), *_machines(results), *_spreads()]
    for name, about in rows.items():
        parts += [f"\n## {name} {about['about']}\n", f"`{about['command']}`. {about['method'].strip()}\n"]
        if limits := about.get("limits"):
            parts.append(f"Limits: {limits.strip()}\n")
        made = tables.get(name, [])
        parts += [*made, ""] if made else []
        parts += _table(goals[name]) if goals[name] else [] if made else ["Not measured in this run.\n"]
        if name in PLOTS and (picture := PLOTS[name][0]) in shown:
            parts.append(f"![{PLOTS[name][1]}](docs/images/{picture})\n")
    return "\n".join(parts)


def pictures(results: Results) -> dict[str, str]:
    """Give each plot whose figures were measured, by the name of its file."""
    drawn = {file: draw(results) for file, _, draw in PLOTS.values()}
    return {file: picture for file, picture in drawn.items() if picture}


def _rules(results: Results) -> str:
    return plots.rules(rules(results["keeps"])) if "keeps" in results else ""


def _fifty(results: Results) -> str:
    return plots.fifty(results["fifty"]) if "fifty" in results else ""


def _lengths(results: Results) -> str:
    marks = marks_of(results)
    return plots.lengths(marks) if marks else ""


def _searches(results: Results) -> str:
    rows = results["scale"]["memories"] if "scale" in results else ()
    return plots.searches(rows) if any(row["users"] == 1 for row in rows) else ""


PLOTS: Mapping[str, tuple[str, str, Callable[[Results], str]]] = {
    "M1": ("bench-rules.svg", "Prompts that hold every rule of turn 1, by system and summariser", _rules),
    "M3": ("bench-turns.svg", "Time and bytes of a turn by the length of its session", _lengths),
    "M5": ("bench-fifty.svg", "Tokens of the prompt by turn, beside full replay and the last 20 messages", _fifty),
    "scale": ("bench-search.svg", "Time of a search by the number of memories", _searches),
}
"""For a row the file, the words and the maker of its plot."""


def _overview(goals: Goals, rows: Mapping[str, Row], tables: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield "| | | goals met |\n|---|---|---|"
    for name, about in rows.items():
        each = goals[name]
        met = f"{sum(goal['met'] for goal in each)} of {len(each)}" if each else "no goal" if tables.get(name) else "–"
        yield f"| [{name}](#{_anchor(name, about['about'])}) | {about['about']} | {met} |"


def _anchor(name: str, about: str) -> str:
    kept = "".join(letter for letter in f"{name} {about}".lower() if letter.isalnum() or letter in " -")
    return kept.replace(" ", "-")


def _short(goals: Goals, rows: Mapping[str, Row], tables: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Give every goal that is missed, by how much and why, and every figure that another betters."""
    yield "\n## Where it falls short\n"
    told = [line for name, about in rows.items() for goal in goals[name] for line in _fault(name, goal, about)]
    yield from told or ["Every goal of this run is met, and no other system or recipe of it does better."]
    unmeasured = [name for name in rows if not goals[name] and not tables.get(name)]
    if unmeasured:
        yield f"\nNot measured in this run: {', '.join(unmeasured)}."


def _fault(name: str, goal: Mapping[str, Any], about: Row) -> Iterator[str]:
    better = _bettered(goal)
    if goal["met"] and not better:
        return
    said = f"- **{name}** {goal['name']}: {_shown(goal['value'])}"
    if not goal["met"]:
        said += f", goal {_shown(goal['goal'])}{_distance(goal)}"
    if better:
        said += f"; the best other has {_shown(goal['best'])}"
    causes = about.get("causes", {})
    cause = next((words for part, words in causes.items() if part in goal["name"]), "")
    yield f"{said}. {cause.strip() or 'The cause is not known.'}"


def _distance(goal: Mapping[str, Any]) -> str:
    value, least, most = goal["value"], goal["least"], goal["most"]
    if least is not None and value < least:
        return f", short of it by {least - value:.3g}"
    if most is not None and value > most:
        return f", over it by {value - most:.3g}"
    return ""


def _bettered(goal: Mapping[str, Any]) -> bool:
    """Tell whether the best other is better: higher where there is a least, lower where there is a most."""
    value, best, least, most = goal["value"], goal["best"], goal["least"], goal["most"]
    if best is None or (least is None) == (most is None):
        return False
    return bool(best > value if most is None else best < value)


def _machines(results: Results) -> Iterator[str]:
    yield "\n## What it was measured on\n"
    yield "| measurement | day | seed | machine | load at its end | packages |\n|---|---|---|---|---|---|"
    for name, each in results.items():
        packages = ", ".join(f"{package} {version}" for package, version in each["packages"].items())
        seed = "draws nothing" if each["seed"] is None else each["seed"]
        machine = f"{each['machine']}, Python {each['python']}"
        yield f"| {name} | {each['date']} | {seed} | {machine} | {each['load']} | {packages} |"


def _spreads() -> Iterator[str]:
    yield "\n## How far two runs are apart\n"
    yield (
        "Two runs with two seeds agree within these spreads; `python -m bench.agree FOLDER FOLDER` compares the\n"
        "figures of two folders of results. Times in seconds, and what a real model replies, are not judged.\n"
    )
    yield "| kind | spread | of what |\n|---|---|---|"
    for kind, spread in SPREADS.items():
        if spread:
            parts = [f"{spread.absolute:g}"] if spread.absolute else []
            parts += [f"{spread.relative:.0%}"] if spread.relative else []
            yield f"| {kind} | ± {' or '.join(parts)} | {spread.why} |"


def _table(goals: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    others = any(goal["best"] is not None for goal in goals)
    yield "| | ninefold |" + (" best other |" if others else "") + " goal | |"
    yield "|---|---|" + ("---|" if others else "") + "---|---|"
    for goal in goals:
        best = f" {_shown(goal['best'])} |" if others else ""
        met = "met" if goal["met"] else f"**missed**{_distance(goal)}"
        yield f"| {goal['name']} | {_shown(goal['value'])} |{best} {_shown(goal['goal'])} | {met} |"
    yield ""


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(each)}" for name, each in value.items())
    return "" if value is None else str(value).replace("|", "\\|").replace("<=", "≤").replace(">=", "≥")


def found(folder: Path) -> dict[str, Mapping[str, Any]]:
    """Give what the measurements left in a folder, by their names."""
    results = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]
    return {each["measurement"]: each for each in results}


def main() -> None:
    """Write BENCHMARKS.md and its plots, and the README's table where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--to", type=Path, default=TARGET)
    parser.add_argument("--documents", action="store_true", help="write the tables of README and docs/scale too")
    chosen = parser.parse_args()
    results = found(chosen.results)
    rows = yaml.safe_load((HERE / "rows.yaml").read_text(encoding="utf-8"))
    chosen.to.write_text(report(results, rows), encoding="utf-8")
    for name, picture in pictures(results).items():
        (PICTURES / name).write_text(picture, encoding="utf-8")
    print(f"{chosen.to} tells of {len(results)} measurements; the plots lie in {PICTURES}")
    for file, language in DOCUMENTS.items() if chosen.documents else ():
        file.write_text(rewritten(file.read_text(encoding="utf-8"), language, results), encoding="utf-8")
        print(f"{file} holds the tables of this run")


if __name__ == "__main__":
    main()
