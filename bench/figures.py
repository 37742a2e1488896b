"""What a measurement leaves behind: its goals and tables as JSON, with the machine, the versions, seed and day."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("ninefold", "langgraph", "langchain-ollama", "chromadb", "tiktoken", "xllamacpp")


class Kind(StrEnum):
    """What a figure is of: that tells how far two runs of it may be apart."""

    COUNTED = "counted"
    TOKENS = "tokens"
    BYTES = "bytes"
    TIMES = "ratio of times"
    TIME = "time"
    REPLIES = "replies"


@dataclass(frozen=True)
class Goal:
    """One figure beside what it must be."""

    row: str
    """The row of BENCHMARKS.md that it belongs to: M1, R3 …"""
    name: str
    value: Any
    goal: str
    met: bool
    best: Any = None
    """The same figure of the best peer or the best simple recipe of this run, where there is one."""
    least: float | None = None
    """What the figure may not be below, where its goal is such a limit."""
    most: float | None = None
    """What the figure may not be over, where its goal is such a limit."""
    kind: Kind = Kind.COUNTED


def at_least(
    row: str, name: str, value: float, least: float, best: float | None = None, *, kind: Kind = Kind.COUNTED
) -> Goal:
    """Give a figure that must not be below a limit."""
    return Goal(row, name, round(value, 3), f">= {least}", value >= least, best, least=least, kind=kind)


def at_most(
    row: str, name: str, value: float, most: float, best: float | None = None, *, kind: Kind = Kind.COUNTED
) -> Goal:
    """Give a figure that must not be over a limit."""
    return Goal(row, name, round(value, 3), f"<= {most}", value <= most, best, most=most, kind=kind)


def machine() -> dict[str, Any]:
    """Give what the figures were measured on: it stands in every file of results."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "load": round(os.getloadavg()[0], 1),
        "packages": {name: version(name) for name in PACKAGES if _there(name)},
    }


def keep(
    name: str, goals: Sequence[Goal], tables: Mapping[str, Any], *, seed: int | None = None, file: Path | None = None
) -> Path:
    """Write a measurement's figures and give the file.

    Args:
        name: the measurement's.
        goals: its figures beside what they must be.
        tables: everything else that it found.
        seed: what its texts were made from; None where it draws nothing.
        file: where it goes instead of bench/results/NAME.json.
    """
    file = file or RESULTS / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    found = {"measurement": name, **machine(), "seed": seed, "goals": [asdict(goal) for goal in goals], **tables}
    file.write_text(json.dumps(found, indent=1, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
    return file


def told(goals: Sequence[Goal]) -> int:
    """Print every goal and give the exit status: 1 where one is missed."""
    for goal in goals:
        best = "" if goal.best is None else f" (best other {goal.best})"
        print(f"{'met   ' if goal.met else 'MISSED'} {goal.row} {goal.name}: {goal.value}, goal {goal.goal}{best}")
    return 0 if all(goal.met for goal in goals) else 1


def _there(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True
