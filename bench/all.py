"""Every measurement behind one command, and BENCHMARKS.md from what they leave.

Usage: python -m bench.all [--whole] [--only A,B] [--seconds N] [--seed N]

Without `--whole` each measurement is small enough that all of them take about half an hour on two cores; with it the
long ones (1,000 turns beside the peers, 3,000 and 10,000 turns, 100,000 memories, twenty rounds of kills) take some
four hours. `--seed` makes other texts wherever texts are made. One that fails or takes too long is named, and the
others are run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from typing import NamedTuple


class Part(NamedTuple):
    """A measurement with its arguments, for half an hour and for the whole."""

    name: str
    quick: str
    whole: str
    seeded: bool = False
    """Whether it makes texts, by a seed."""


PARTS = (
    Part("fifty", "", "", seeded=True),
    Part("prefix", "--engine-turns 0", ""),
    Part("recall_gate", "", ""),
    Part("memory_trigger", "", ""),
    Part("recall", "--most 3", "", seeded=True),
    Part("keeps", "--marks 40 --budget 120", ""),
    Part("profiles", "", ""),
    Part("crash", "--rounds 1 --turns 10 --marks 10,100", "", seeded=True),
    Part("overhead", "--marks 10,100", "--marks 10,100,1000,3000", seeded=True),
    Part("scale", "--turns= --memories 1000,10000 --users 100", "", seeded=True),
    Part("first_token", "", ""),
)


def main() -> int:
    """Run the measurements, write BENCHMARKS.md, and give status 1 where one could not be run or missed a goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--only", default="", help="names of measurements, with commas between them")
    parser.add_argument("--seconds", type=float, default=14_400.0, help="that one measurement may take")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    only = chosen.only.split(",") if chosen.only else [part.name for part in PARTS]
    parts = [part for part in PARTS if part.name in only]
    if unknown := set(only) - {part.name for part in PARTS}:
        parser.error(f"there is no measurement {', '.join(sorted(unknown))}")
    ended: dict[str, str] = {}
    started = time.monotonic()
    for number, part in enumerate(parts, 1):
        began = time.monotonic()
        arguments = (part.whole if chosen.whole else part.quick).split()
        arguments += ["--seed", str(chosen.seed)] if part.seeded else []
        done = (
            f"[{'#' * number}{'.' * (len(parts) - number)}] {number} of {len(parts)}, {(began - started) / 60:.0f} min"
        )
        print(f"\n{done}: python -m bench.{part.name} {' '.join(arguments)}", flush=True)
        try:
            call = [sys.executable, "-m", f"bench.{part.name}", *arguments]
            status = subprocess.run(call, check=False, timeout=chosen.seconds).returncode
            said = "done" if status == 0 else f"status {status}: a goal was missed, or it failed"
        except subprocess.TimeoutExpired:
            status, said = 1, f"stopped after {chosen.seconds:.0f} s"
        ended[part.name] = f"{said} ({time.monotonic() - began:.0f} s)" if status else ""
    for name, said in ended.items():
        if said:
            print(f"{name}: {said}")
    subprocess.run([sys.executable, "-m", "bench.report"], check=True)
    return 1 if any(ended.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
