"""Z1: SIGKILL before and after every port call of every node, then resume in a new process; 0 lost, 0 doubled.

python -m bench.crash --rounds 20

What follows a death changes from call to call and from round to round: the same call again, no input, a new message.
Every line tells of a death whose end differs from the turn that was not killed; the last line counts them.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from tests.crash.harness import Death, Result, difference, followed, prepared, resumed
from tests.crash.test_crash import check_followed


def main() -> None:
    """Run the rounds and exit with status 1 when anything was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1)
    rounds = parser.parse_args().rounds
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        base, deaths, expected = prepared(Path(folder))
        failed = 0
        for number in range(1, rounds + 1):
            for death in deaths:
                if difference := _difference(base, Path(folder) / "turn", death, expected, number):
                    failed += 1
                    print(f"round {number}: {death}: {difference}", flush=True)
    print(
        f"Z1: {failed} of {rounds * len(deaths)} deaths lost or doubled something ({time.monotonic() - started:.0f} s)"
    )
    raise SystemExit(1 if failed else 0)


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


if __name__ == "__main__":
    main()
