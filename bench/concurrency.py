"""Z2: eight threads, two processes and updates take turns on one thread; all are kept, in some order.

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
from typing import Any

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from bench.figures import Goal, told
from ninefold.adapters.archive import history_messages, open_store
from tests.crash.test_processes import TAKES_TURNS
from tests.guard.test_agent import agent
from tests.guard.toy import on, say


def main() -> None:
    """Run all and exit with status 1 when a turn or an update is missing or doubled."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=50)
    sys.exit(told(writers(parser.parse_args().turns)["goals"]))


def writers(turns: int) -> dict[str, Any]:
    """Give for each kind of writers how many of their turns are kept, and whether all are, once."""
    found: list[dict[str, Any]] = []
    goals: list[Goal] = []
    ways = (("8 threads", in_threads, 8), ("2 processes", in_processes, 2), ("turns and updates", with_updates, 2))
    for name, run, count in ways:
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            run(Path(folder), count, turns)
            took = time.monotonic() - started
            kept = said(Path(folder))
            wanted = sorted(f"{way}.{turn}" for way in range(count) for turn in range(turns))
            print(f"Z2: {name} × {turns}: {len(kept)} of {len(wanted)} kept ({took:.0f} s)", flush=True)
            found.append({"writers": name, "wanted": len(wanted), "kept": len(kept)})
            goals.append(Goal("Z2", f"{name} × {turns}: turns kept", len(kept), str(len(wanted)), kept == wanted))
    return {"turns": turns, "runs": found, "goals": goals}


def in_threads(folder: Path, ways: int, turns: int) -> None:
    """Take turns in threads of this process."""
    graph = agent(folder, wait=600)

    def work(way: int) -> None:
        for turn in range(turns):
            graph.invoke(say(f"{way}.{turn}"), on())

    with ThreadPoolExecutor(ways) as pool:
        list(pool.map(work, range(ways)))


def with_updates(folder: Path, ways: int, turns: int) -> None:
    """Take turns, and during each put a message into the window by `update_state`; the last turn archives the rest."""
    graph = agent(folder, wait=600)

    def update(turn: int) -> None:
        graph.update_state(on(), {"messages": [("user", f"1.{turn}")]})

    with ThreadPoolExecutor(ways) as pool:
        for turn in range(turns):
            stream = graph.stream(say(f"0.{turn}"), on(), stream_mode="updates")
            next(stream)
            updating = pool.submit(update, turn)
            list(stream)
            updating.result()
    graph.invoke(say("end"), on())


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
    """Give what the thread's archive holds of the writers' words, sorted."""
    turn = agent(folder).get_state(on()).values["turn"]
    messages = history_messages(open_store(folder / "archive.sqlite"), "t", turn.id)
    return sorted(message.text for message in messages if message.type == "human" and message.text != "end")


if __name__ == "__main__":
    main()
