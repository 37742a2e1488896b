"""Whether two runs agree: every ratio of two folders of results, each within the spread of its kind.

Usage: python -m bench.agree FOLDER FOLDER

For example: `make bench`, `mv bench/results first`, `make bench SEED=1`, `python -m bench.agree first bench/results`.
Times in seconds belong to a machine and its load, and what a real model replies is drawn by the model: both are shown
and not judged. A figure that only one of the folders has is no agreement. The exit status is 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench.figures import Kind


class Spread(NamedTuple):
    """How far two figures may be apart: by so much, or by such a part of the larger, whichever is more."""

    absolute: float
    relative: float
    why: str

    def holds(self, one: float, other: float) -> bool:
        """Tell whether two figures are no further apart."""
        return abs(one - other) <= max(self.absolute, self.relative * max(abs(one), abs(other))) + 1e-9


SPREADS: Mapping[Kind, Spread | None] = {
    Kind.COUNTED: Spread(0.01, 0.0, "what was found, kept, lost or caught, as share or count: rules decide it"),
    Kind.TOKENS: Spread(0.01, 0.05, "tokens and calls: made-up texts of another seed are cut at other places"),
    Kind.BYTES: Spread(0.0, 0.05, "bytes on disk and in memory"),
    Kind.TIMES: Spread(0.0, 0.35, "one time by another of the same run: whatever else runs disturbs one more"),
    Kind.TIME: None,
    Kind.REPLIES: None,
}


class Pair(NamedTuple):
    """One figure of both runs; None where a run does not have it."""

    name: str
    one: Any
    other: Any
    kind: Kind

    @property
    def agrees(self) -> bool | None:
        """Whether both are within the spread; None where that kind is not judged."""
        if self.one is None or self.other is None:
            return False
        spread = SPREADS[self.kind]
        if spread is None:
            return None
        if isinstance(self.one, int | float) and isinstance(self.other, int | float):
            return spread.holds(self.one, self.other)
        return bool(self.one == self.other)


def pairs(one: Path, other: Path) -> Iterator[Pair]:
    """Give every figure of two folders, those of the best others too.

    Raises:
        FileNotFoundError: a folder holds no results.
    """
    first, second = figures(one), figures(other)
    for name in dict.fromkeys((*first, *second)):
        value, kind = first.get(name) or (None, second[name][1])
        yield Pair(name, value, second.get(name, (None, kind))[0], kind)


def figures(folder: Path) -> dict[str, tuple[Any, Kind]]:
    """Give a folder's figures by their names.

    Raises:
        FileNotFoundError: it holds no results.
    """
    files = sorted(folder.glob("*.json"))
    if not files:
        raise FileNotFoundError(f"there are no results in {folder}: `make bench` writes them to bench/results")
    found: dict[str, tuple[Any, Kind]] = {}
    for file in files:
        result = json.loads(file.read_text(encoding="utf-8"))
        for goal in result["goals"]:
            name = f"{result['measurement']} {goal['row']} {goal['name']}"
            found |= {each: (value, Kind(goal["kind"])) for each, value in _flat(name, goal["value"])}
            if goal["best"] is not None:
                found[f"{name}, best other"] = goal["best"], Kind(goal["kind"])
    return found


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for part, each in value.items():
            yield f"{name}, {part}", each
    else:
        yield name, value


def main() -> int:
    """Print what differs and what was not judged, and give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("one", type=Path)
    parser.add_argument("other", type=Path)
    chosen = parser.parse_args()
    try:
        found = list(pairs(chosen.one, chosen.other))
    except FileNotFoundError as error:
        parser.error(str(error))
    for pair in found:
        if pair.agrees is not True:
            said = "not judged" if pair.agrees is None else "DIFFERS"
            print(f"{said:<10} {pair.name}: {pair.one} and {pair.other} ({pair.kind})")
    judged = [pair for pair in found if pair.agrees is not None]
    differ = sum(not pair.agrees for pair in judged)
    print(f"{len(judged) - differ} of {len(judged)} figures agree within the spread of their kind")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
