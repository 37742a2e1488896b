"""What stays: M1 beside the peers, M6, M7, T2, X1 and X2 in one run, as a table and as JSON (`make bench-keeps`).

Usage: python -m bench.keeps [--marks 40,200,1000] [--budget 300] [--data FOLDER] [--json FILE] [--no-peers]

The longest mark is played in Chinese, the others in both languages. The peers (langchain, langmem, deepagents) are
installed in their current releases into an environment of their own, bench/peers/.venv; where that cannot be done, the
output says so and goes on without them. So it does where the folder of public conversations is missing: then the texts
of this repository are measured alone.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench import constraints, keeps_m1, keeps_x
from bench.figures import Goal, keep
from bench.peers_environment import peers_python, rows_of
from ninefold.adapters.tokens import QwenCounter

BOTH = 200
"""Turns that are played in both languages; longer sessions in Chinese alone."""
MESSAGE, PRIMER = 5, 3
"""Tokens of the template around each message, and before the reply."""
LAYER, INTERNAL_CALLS, INTERNAL_SHARE = 1.5, 0.25, 0.10


def main() -> int:
    """Print every table and write the JSON; the exit status tells whether every goal is met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--marks", default="40,200,1000")
    parser.add_argument("--budget", type=float, default=300.0, help="seconds that one session may take")
    parser.add_argument("--turns", type=int, default=40, help="turns of each conversation of X2")
    parser.add_argument("--data", type=Path, default=constraints.DATA)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-peers", action="store_true", help="measure ninefold alone")
    chosen = parser.parse_args()
    marks = sorted(int(mark) for mark in chosen.marks.split(","))
    print(f"Python {platform.python_version()}, {platform.platform()}, {time.strftime('%Y-%m-%d')}")
    if not chosen.data.exists():
        print("The public conversations are not here: T2, X1 and X2 measure this repository's own texts alone.")
    print(f"Sessions of up to {max(marks)} turns are played; each may take {chosen.budget:.0f} s.", flush=True)
    ours = [row for part, languages in _sessions(marks) for row in keeps_m1.rows(part, languages, chosen.budget)]
    peers = [] if chosen.no_peers else _peers(marks, chosen.budget)
    goals = [*_m1(ours, peers, marks), *_t2(chosen.data), *_x(chosen.data, chosen.turns)]
    file = keep("keeps", goals, {"ninefold": ours, "peers": peers}, file=chosen.json)
    missed = [goal for goal in goals if not goal.met]
    print(f"\n{len(goals) - len(missed)} of {len(goals)} goals met; written to {file}")
    for goal in missed:
        print(f"MISSED  {goal.row} {goal.name}")
    return 1 if missed else 0


def _sessions(marks: Sequence[int]) -> Iterator[tuple[list[int], list[str]]]:
    yield list(marks), ["zh"]
    short = [mark for mark in marks if mark <= BOTH]
    if short:
        yield short, ["en"]


def _m1(ours: list[dict[str, Any]], peers: list[dict[str, Any]], marks: Sequence[int]) -> Iterator[Goal]:
    print("\nM1  share of prompts that hold every rule of turn 1, up to each mark (… = ended by its time)")
    for row in [*ours, *peers]:
        shown = "  ".join(f"{mark}: {_share(row, mark):>6}" for mark in marks)
        print(f"  {row['name']:<42} {row['language']} {row['mode']:<12} {shown}  {row.get('error', '')}")
    for row in ours:
        best = max((peer["so far"] for peer in peers if peer["language"] == row["language"]), default=0.0)
        name = f"M1 {row['language']} {row['mode']}"
        read = _goal(
            f"{name}: read back in every prompt, {row['reached']} turns",
            row["so far"],
            "1.00 and >= peers",
            row["so far"] == 1.0 and row["so far"] >= best,
            best if peers else None,
        )
        yield replace(read, least=1.0)
        tail = f"{row['language']} {row['mode']}"
        yield _limited(f"{name}: rules that no longer hold", row["stale"], 0)
        yield _limited(f"{name}: layer by its words' tokens", row["layer"], LAYER)
        yield _limited(f"M6 {tail}: requests over the window", row["over"], 0)
        yield _limited(f"M7 {tail}: internal calls a turn", row["internal calls a turn"], INTERNAL_CALLS)
        yield _limited(f"M7 {tail}: internal by main prompt tokens", row["internal share"], INTERNAL_SHARE)
        new = f"M7 {tail}: of them not read before, by main prompt tokens"
        yield _limited(new, row["internal new share"], INTERNAL_SHARE)


def _share(row: dict[str, Any], mark: int) -> str:
    held = row["held"].get(mark, row["held"].get(str(mark)))
    if held is not None:
        return f"{held:.0%}"
    return f"{row['so far']:.0%}…" if row["reached"] < mark else "-"


def _t2(data: Path) -> Iterator[Goal]:
    print()
    for row in constraints.rows(data):
        yield _goal(f"T2 {row.name} ({row.cases})", round(row.share, 3), row.goal, row.met)


def _x(data: Path, turns: int) -> Iterator[Goal]:
    print()
    for row in keeps_x.rows(data, turns):
        figures = {name: round(value, 3) for name, value in row.figures.items()}
        yield _goal(f"{row.name} ({row.cases})", figures, row.goal, row.met)


def _limited(name: str, value: float, most: float) -> Goal:
    return replace(_goal(name, value, f"<= {most}" if most else "0", value <= most), most=most)


def _goal(name: str, value: Any, goal: str, met: bool, best: Any = None) -> Goal:
    print(f"{name:<62} {value!s:<12} goal {goal:<18} {'' if met else 'MISSED'}")
    row, _, about = name.partition(" ")
    return Goal(row, about, value, goal, met, best)


def _peers(marks: Sequence[int], budget: float) -> list[dict[str, Any]]:
    """Give the peers' rows, or none where they cannot be installed."""
    python = peers_python()
    if python is None:
        return []
    rows: list[dict[str, Any]] = []
    for part, languages in _sessions(marks):
        played = ("--marks", ",".join(map(str, part)), "--budget", str(budget), "--languages", ",".join(languages))
        rows += rows_of(python, "measure.py", *played)
    return [{**counted(row), "name": f"{row['name']} ({row['version']})"} for row in rows]


def counted(row: dict[str, Any]) -> dict[str, Any]:
    """Give a peer's row with its prompts' tokens in place of their texts.

    They are counted as ours are, but without the tools' schemas, which the peers' model never sees as text.
    """
    count = QwenCounter().text
    tokens = [count(text) + MESSAGE for text in row["texts"]]
    prompts = [sum(tokens[place] for place in prompt) + PRIMER for prompt in row["prompts"]] or [0]
    kept = {name: value for name, value in row.items() if name not in ("texts", "prompts")}
    return kept | {
        "prompts": len(row["prompts"]),
        "mean tokens": round(sum(prompts) / len(prompts)),
        "largest tokens": max(prompts),
        "over": sum(prompt + keeps_m1.REPLY > keeps_m1.NUM_CTX for prompt in prompts),
    }


if __name__ == "__main__":
    sys.exit(main())
