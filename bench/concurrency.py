"""Z2: eight threads and two processes take turns on one thread; every turn is kept, in some order.

python -m bench.concurrency --turns 50
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from ninefold.adapters.archive import history_messages, open_store
from tests.crash.test_processes import TAKES_TURNS
from tests.guard.test_agent import agent
from tests.guard.toy import on, say


def main() -> None:
    """Run both and exit with status 1 when a turn is missing or doubled."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=50)
    turns = parser.parse_args().turns
    good = True
    for name, run, ways in (("8 threads", in_threads, 8), ("2 processes", in_processes, 2)):
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            run(Path(folder), ways, turns)
            kept = said(Path(folder))
            wanted = sorted(f"{way}.{turn}" for way in range(ways) for turn in range(turns))
            good = good and kept == wanted
            print(f"Z2: {name} × {turns} turns: {len(kept)} of {len(wanted)} kept ({time.monotonic() - started:.0f} s)")
    raise SystemExit(0 if good else 1)


def in_threads(folder: Path, ways: int, turns: int) -> None:
    """Take turns in threads of this process."""
    graph = agent(folder)

    def work(way: int) -> None:
        for turn in range(turns):
            graph.invoke(say(f"{way}.{turn}"), on())

    with ThreadPoolExecutor(ways) as pool:
        list(pool.map(work, range(ways)))


def in_processes(folder: Path, ways: int, turns: int) -> None:
    """Take turns in processes of their own."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", TAKES_TURNS, str(folder), f"{way}.", str(turns)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        for way in range(ways)
    ]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("\n")
        worker.stdin.flush()
    assert [worker.wait() for worker in workers] == [0] * ways


def said(folder: Path) -> list[str]:
    """Give what the thread's archive holds of the person's words, from its last turn back to its first."""
    turn = agent(folder).get_state(on()).values["turn"]
    messages = history_messages(open_store(folder / "archive.sqlite"), "t", turn.id)
    return sorted(message.text for message in messages if message.type == "human")


if __name__ == "__main__":
    main()
