"""Z1, Z2 and M3: what of a session survives kills, many writers and length, and what a turn leaves on disk.

python -m bench.crash --rounds 20 --json crash.json

Z1 kills a turn before and after every port call of every node and resumes it in a new process. What follows a death
changes from call to call and from round to round: the same call again, no input, a new message. Every line tells of a
death whose end differs from the turn that was not killed. Z2 is `bench.concurrency`, M3 the disk of `bench.overhead`.
It ends with status 1 when a goal is missed. 20 rounds and 3000 turns take about an hour on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from bench.concurrency import writers
from bench.overhead import Mark, play
from ninefold.state import StorageSettings
from tests.crash.harness import Death, Result, difference, followed, prepared, resumed
from tests.crash.test_crash import check_followed

Table = dict[str, Any]
KB_A_TURN = 30
"""The goal of M3."""
FLAT = 1.15
"""How much more the last mark may cost than the cheapest after turn 10 before the growth is no longer flat."""


def main() -> None:
    """Measure all three, print whether the goals are met, and write the figures where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--marks", default="10,100,1000,3000")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    packages = {name: version(name) for name in ("ninefold", "langgraph", "langgraph-checkpoint-sqlite", "chromadb")}
    print(f"python {platform.python_version()}, {machine}, {packages}", flush=True)
    marks = [int(mark) for mark in chosen.marks.split(",")]
    tables = {"Z2": writers(chosen.turns), "M3": disk(marks), "Z1": deaths(chosen.rounds)}
    for name, table in tables.items():
        print(f"{name}: goal {'met' if table['met'] else 'MISSED'}")
    if chosen.json:
        head = {"python": platform.python_version(), "machine": machine, "packages": packages}
        chosen.json.parent.mkdir(parents=True, exist_ok=True)
        chosen.json.write_text(json.dumps({**head, **tables}, indent=2, ensure_ascii=False), encoding="utf-8")
    raise SystemExit(0 if all(table["met"] for table in tables.values()) else 1)


def deaths(rounds: int) -> Table:
    """Give how many deaths there were and which of them lost or doubled something (Z1)."""
    started = time.monotonic()
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        base, ways, expected = prepared(Path(folder))

        def lost(death: Death) -> str:
            return _difference(base, Path(folder) / f"turn-{threading.get_ident()}", death, expected, number)

        for number in range(1, rounds + 1):
            for death, what in zip(ways, pool.map(lost, ways), strict=True):
                if what:
                    failed.append(f"round {number}: {death}: {what}")
                    print(failed[-1], flush=True)
            took = time.monotonic() - started
            print(f"Z1: round {number} of {rounds}: {len(failed)} failed so far ({took:.0f} s)", file=sys.stderr)
    died, took = rounds * len(ways), time.monotonic() - started
    print(f"Z1: {len(failed)} of {died} deaths in {rounds} rounds lost or doubled something ({took:.0f} s)", flush=True)
    return {"rounds": rounds, "deaths": died, "failed": failed, "seconds": round(took), "met": not failed}


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


def disk(marks: list[int]) -> Table:
    """Give what a turn adds to the disk as the session grows, and whether each kept turn is one checkpoint row (M3)."""
    print(f"M3: {'turns':>6} {'cpu ms':>9} {'wall ms':>9} {'KB/turn':>8} {'rows':>6} {'compactions':>12}", flush=True)
    played = play(marks, memory=False)
    kept = StorageSettings().history_turns
    rows = all(mark.rows == round(min(mark.turns, kept) / mark.turns, 2) for mark in played)
    small = all(mark.kb <= KB_A_TURN for mark in played)
    print(
        f"M3: at most {max(mark.kb for mark in played)} KB a turn, {'flat' if _flat(played) else 'GROWING'};"
        f" {'one checkpoint row' if rows else 'NOT one checkpoint row'} for each of the last {kept} turns"
    )
    found = [{"turns": mark.turns, "kb": mark.kb, "rows": mark.rows} for mark in played]
    return {"kept_turns": kept, "marks": found, "met": rows and small and _flat(played)}


def _flat(played: list[Mark]) -> bool:
    settled = [mark.kb for mark in played if mark.turns > 10] or [mark.kb for mark in played]
    return settled[-1] <= FLAT * min(settled)


if __name__ == "__main__":
    main()
