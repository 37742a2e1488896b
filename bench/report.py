"""BENCHMARKS.md from what the measurements left in bench/results: every goal, what was reached, where we are worse.

Usage: python -m bench.report [--results FOLDER] [--to FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from bench.figures import RESULTS

HERE = Path(__file__).parent
TARGET = HERE.parent / "BENCHMARKS.md"
HEAD = """# Benchmarks

Written by `python -m bench.report` from the JSON that the measurements leave in `bench/results`; `make bench` runs them
all in about half an hour, `make bench-all` at full length. Each row names the command that measures it. Where the
public conversation sets are not at hand, the commands measure texts of this repository and say so. Times depend on the
machine; the other figures are the same in every run with the same packages.
"""


def report(results: Sequence[Mapping[str, Any]], rows: Mapping[str, Mapping[str, str]]) -> str:
    """Give the document.

    Args:
        results: what the measurements left, one mapping for each.
        rows: what stands about each row in rows.yaml.

    Raises:
        KeyError: a goal belongs to a row that rows.yaml does not know.
    """
    goals: dict[str, list[dict[str, Any]]] = {name: [] for name in rows}
    for result in results:
        for goal in result["goals"]:
            goals[goal["row"]].append(goal)
    parts = [HEAD, *_overview(goals, rows), *_machines(results)]
    for name, about in rows.items():
        parts += [f"\n## {name} {about['about']}\n", f"`{about['command']}`. {about['method'].strip()}\n"]
        parts += _table(goals[name]) if goals[name] else ["Not measured in this run.\n"]
        if worse := about.get("worse"):
            parts.append(f"Where it falls short: {worse.strip()}\n")
    return "\n".join(parts)


def _overview(goals: Mapping[str, Sequence[Mapping[str, Any]]], rows: Mapping[str, Any]) -> Iterator[str]:
    yield "| | | goals met |\n|---|---|---|"
    for name, about in rows.items():
        each = goals[name]
        met = f"{sum(goal['met'] for goal in each)} of {len(each)}" if each else "not measured"
        yield f"| [{name}](#{_anchor(name, about['about'])}) | {about['about']} | {met} |"


def _anchor(name: str, about: str) -> str:
    kept = "".join(letter for letter in f"{name} {about}".lower() if letter.isalnum() or letter in " -")
    return kept.replace(" ", "-")


def _machines(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "\n| measurement | day | machine | load at its end | packages |\n|---|---|---|---|---|"
    for each in results:
        packages = ", ".join(f"{name} {version}" for name, version in each["packages"].items())
        machine = f"{each['machine']}, Python {each['python']}"
        yield f"| {each['measurement']} | {each['date']} | {machine} | {each['load']} | {packages} |"


def _table(goals: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    others = any(goal["best"] is not None for goal in goals)
    yield "| | ninefold |" + (" best other |" if others else "") + " goal | |"
    yield "|---|---|" + ("---|" if others else "") + "---|---|"
    for goal in goals:
        best = f" {_shown(goal['best'])} |" if others else ""
        met = "met" if goal["met"] else "**missed**"
        yield f"| {goal['name']} | {_shown(goal['value'])} |{best} {_shown(goal['goal'])} | {met} |"
    yield ""


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(each)}" for name, each in value.items())
    return "" if value is None else str(value).replace("|", "\\|").replace("<=", "≤").replace(">=", "≥")


def main() -> None:
    """Write BENCHMARKS.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--to", type=Path, default=TARGET)
    chosen = parser.parse_args()
    found = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(chosen.results.glob("*.json"))]
    rows = yaml.safe_load((HERE / "rows.yaml").read_text(encoding="utf-8"))
    chosen.to.write_text(report([each for each in found if "measurement" in each], rows), encoding="utf-8")
    print(f"{chosen.to} tells of {len(found)} measurements")


if __name__ == "__main__":
    main()
