"""Z1, Z2 and M3: what of a session survives kills, many writers and length, and what a turn leaves on disk.

python -m bench.crash [--rounds 20] [--turns 50] [--marks 10,100,1000,3000] [--seed N] [--json FILE]

Z1 kills a turn before and after every port call of every node and resumes it in a new process. What follows a death
changes from call to call and from round to round: the same call again, no input, a new message. Every line tells of a
death whose end differs from the turn that was not killed. Z2 is `bench.concurrency`, M3 the disk of `bench.overhead`.
It ends with status 1 when a goal is missed. 20 rounds and 3000 turns take about an hour on two cores.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from bench.concurrency import writers
from bench.figures import Goal, keep, machine, told
from bench.overhead import disk_goals, play
from ninefold.state import StorageSettings
from tests.crash.harness import Death, Result, difference, followed, prepared, resumed
from tests.crash.test_crash import check_followed

Table = dict[str, Any]


def main() -> None:
    """Measure all three, print whether the goals are met, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--marks", default="10,100,1000,3000")
    parser.add_argument("--seed", type=int, default=0, help="of what follows a death first, and of the words said")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    about = machine()
    print(f"python {about['python']}, {about['machine']}, {about['packages']}", flush=True)
    marks = [int(mark) for mark in chosen.marks.split(",")]
    tables = {"Z2": writers(chosen.turns), "M3": disk(marks, chosen.seed), "Z1": deaths(chosen.rounds, chosen.seed)}
    goals = [goal for table in tables.values() for goal in table.pop("goals")]
    status = told(goals)
    keep("crash", goals, tables, seed=chosen.seed, file=chosen.json)
    sys.exit(status)


def deaths(rounds: int, seed: int) -> Table:
    """Give how many deaths there were and which of them lost or doubled something (Z1)."""
    started = time.monotonic()
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        base, ways, expected = prepared(Path(folder))

        def lost(death: Death) -> str:
            return _difference(base, Path(folder) / f"turn-{threading.get_ident()}", death, expected, number + seed)

        for number in range(1, rounds + 1):
            for death, what in zip(ways, pool.map(lost, ways), strict=True):
                if what:
                    failed.append(f"round {number}: {death}: {what}")
                    print(failed[-1], flush=True)
            took = time.monotonic() - started
            print(f"Z1: round {number} of {rounds}: {len(failed)} failed so far ({took:.0f} s)", file=sys.stderr)
    died, took = rounds * len(ways), time.monotonic() - started
    print(f"Z1: {len(failed)} of {died} deaths in {rounds} rounds lost or doubled something ({took:.0f} s)", flush=True)
    goal = Goal("Z1", f"of {died} deaths lost or doubled something", len(failed), "0", not failed, most=0)
    return {"rounds": rounds, "deaths": died, "failed": failed, "seconds": round(took), "goals": [goal]}


def _difference(base: Path, folder: Path, death: Death, expected: Result, number: int) -> str:
    try:
        way = (number + death.at) % 3
        if way == 0:
            durable, after = followed(base, folder, death)
            check_followed(expected, death, durable=durable, after=after)
            return ""
        after = resumed(base, folder, death, again=way == 1)
    except AssertionError as error:
        return str(error)
    return difference(after, expected, death)


def disk(marks: list[int], seed: int) -> Table:
    """Give what a turn adds to the disk as the session grows (M3)."""
    print(f"M3: {'turns':>6} {'cpu ms':>9} {'wall ms':>9} {'KB/turn':>8} {'rows':>6} {'compactions':>12}", flush=True)
    played = play(marks, memory=False, seed=seed)
    found = [{"turns": mark.turns, "kb": mark.kb, "rows": mark.rows} for mark in played]
    return {"kept_turns": StorageSettings().history_turns, "marks": found, "goals": disk_goals(played)}


if __name__ == "__main__":
    main()
