"""M2 and M3: what a turn costs beside its model, in CPU time and on disk, as a session grows.

Usage: python -m bench.overhead [--marks 10,100,1000] [--memory] [--seed N] [--json FILE] [--no-peers]

One session is played against a chat model that answers at once: about 100 tokens from the person, about 300 tokens of
reply, and in every other turn a tool call with about 500 tokens of result. The peers, in their current releases and an
environment of their own, play the same in the same run, up to turn 1000. `cpu` is the process's CPU time, `wall` the
time on the clock, both the median of the turns up to a mark (the last tenth, at least 5, at most 100). `KB` is what the
data folder grew by for each of these turns, `rows` the checkpoint rows for each turn.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.tools import BaseTool

from bench.figures import Goal, Kind, at_most, keep, told
from bench.peers.session import Instant, lookup, says
from bench.peers_environment import peers_python, rows_of
from ninefold import AgentSettings, build_graph
from ninefold.adapters.memory.in_memory import InMemoryMemory
from ninefold.adapters.tokens import for_model
from ninefold.graph.guard import TurnGraph
from ninefold.state import StorageSettings

GROWTH = 1.15
"""How much more a late turn may cost than an early one and still be called flat."""
PART_OF_CREATE_AGENT = 1 / 8
"""Of what a turn costs in an agent that keeps the whole history, at turn `COMPARED`."""
COMPARED = 1000
KB_A_TURN = 30
PAGES = ("page_count", "freelist_count", "page_size")


Spent = dict[str, float]
"""Seconds by step."""


@dataclass(frozen=True)
class Mark:
    """What the turns up to a mark cost."""

    turns: int
    cpu_ms: float
    wall_ms: float
    kb: float
    rows: float
    compactions: int
    steps: dict[str, float]
    """Processor time of each step with the checkpoint before it, the mean of these turns in ms."""


def play(marks: Sequence[int], *, memory: bool, tools: Sequence[BaseTool] = (lookup,), seed: int = 0) -> list[Mark]:
    """Play one session and give its figures at the marks."""
    with tempfile.TemporaryDirectory() as folder:
        settings = AgentSettings(storage=StorageSettings(folder=folder), memory="off")
        store = InMemoryMemory(DeterministicFakeEmbedding(size=64), "fake") if memory else None
        tokens = for_model("ollama", "qwen2.5:14b")
        graph = build_graph(settings, model=Instant(seed=seed), tokens=tokens, memory=store, tools=tools)
        config: Any = {"configurable": {"thread_id": "t1"}}
        cpu: list[float] = []
        wall: list[float] = []
        steps: list[Spent] = []
        sizes = [size(Path(folder))]
        found: list[Mark] = []
        for turn in range(1, max(marks) + 1):
            gc.collect(0)
            began, started = time.process_time(), time.perf_counter()
            steps.append(taken(graph, says(turn, seed), config))
            cpu.append(time.process_time() - began)
            wall.append(time.perf_counter() - started)
            sizes.append(size(Path(folder)))
            if turn in marks:
                last = min(100, max(5, turn // 10))
                found.append(
                    Mark(
                        turns=turn,
                        cpu_ms=round(statistics.median(cpu[-last:]) * 1000, 1),
                        wall_ms=round(statistics.median(wall[-last:]) * 1000, 1),
                        kb=round((sizes[-1] - sizes[-1 - last]) / last / 1024, 1),
                        rows=round(rows(Path(folder)) / turn, 2),
                        compactions=graph.get_state(config).values["counters"].compactions,
                        steps=mean(steps[-last:]),
                    )
                )
                print(line(found[-1]), flush=True)
        return found


def taken(graph: TurnGraph, words: str, config: Any) -> Spent:
    """Take a turn and give the processor time of its steps, in seconds."""
    spent: Spent = defaultdict(float)
    began = time.process_time()
    for update in graph.stream({"messages": [{"role": "user", "content": words}]}, config, stream_mode="updates"):
        ended = time.process_time()
        spent[next(iter(update))] += ended - began
        began = ended
    spent["end of the turn"] += time.process_time() - began
    return spent


def mean(turns: Sequence[Spent]) -> dict[str, float]:
    """Give the mean time of each step in ms, the longest first."""
    total: Spent = defaultdict(float)
    for turn in turns:
        for step, seconds in turn.items():
            total[step] += seconds
    return {
        step: round(total[step] / len(turns) * 1000, 2) for step in sorted(total, key=total.__getitem__, reverse=True)
    }


def size(folder: Path) -> int:
    """Give the bytes of the databases' pages in use; the write-ahead log is moved into them first."""
    total = 0
    for file in folder.glob("*.sqlite"):
        with sqlite3.connect(file, timeout=30) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            counts = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in PAGES]
            pages, free, page = counts
            total += (pages - free) * page
    return total


def rows(folder: Path) -> int:
    """Give the rows of the checkpoint table."""
    with sqlite3.connect(folder / "checkpoints.sqlite", timeout=30) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM checkpoints").fetchone()[0])


def line(mark: Mark) -> str:
    """Give a mark as a line of the table."""
    costs = f"{mark.turns:>6} {mark.cpu_ms:>9.1f} {mark.wall_ms:>9.1f}"
    return f"{costs} {mark.kb:>8.1f} {mark.rows:>6.2f} {mark.compactions:>12}"


def main() -> None:
    """Print the table, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--marks", default="10,100,1000")
    parser.add_argument("--memory", action="store_true", help="with recall and memories, in the process itself")
    parser.add_argument("--seed", type=int, default=0, help="of the words that are said")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-peers", action="store_true", help="measure ninefold alone")
    chosen = parser.parse_args()
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    print(f"python {platform.python_version()}, langgraph {version('langgraph')}, {machine}")
    print(f"{'turns':>6} {'cpu ms':>9} {'wall ms':>9} {'KB/turn':>8} {'rows':>6} {'compactions':>12}")
    marks = play([int(mark) for mark in chosen.marks.split(",")], memory=chosen.memory, seed=chosen.seed)
    ratio = marks[-1].cpu_ms / marks[0].cpu_ms
    print(f"turn {marks[-1].turns} costs {ratio:.2f} × turn {marks[0].turns}")
    goals = [
        at_most("M2", f"CPU of turn {marks[-1].turns} by turn {marks[0].turns}", ratio, GROWTH, kind=Kind.TIMES),
        *disk_goals(marks),
    ]
    python = None if chosen.no_peers else peers_python()
    compared = [mark.turns for mark in marks if mark.turns <= COMPARED]
    asked = ("--marks", ",".join(map(str, compared)), "--seed", str(chosen.seed))
    peers = rows_of(python, "cost.py", *asked) if python else []
    for peer in peers:
        print(f"{peer['name']}: " + ", ".join(f"turn {turn} {cost} ms" for turn, cost in peer["cpu_ms"].items()))
    goals += peer_goals(marks, peers)
    status = told(goals)
    tables = {"marks": [asdict(mark) for mark in marks], "peers": peers}
    keep("overhead", goals, tables, seed=chosen.seed, file=chosen.json)
    sys.exit(status)


def peer_goals(marks: Sequence[Mark], peers: Sequence[dict[str, Any]]) -> Iterator[Goal]:
    """Give M2 beside the peers: a part of the agent that keeps all, below the one that summarises."""
    ours = next((mark.cpu_ms for mark in marks if mark.turns == COMPARED), None)
    for peer in peers if ours is not None else ():
        theirs = peer["cpu_ms"][str(COMPARED)]
        most = 1.0 if peer["summarising"] else PART_OF_CREATE_AGENT
        yield at_most("M2", f"CPU of turn {COMPARED} by {peer['name']}", ours / theirs, most, kind=Kind.TIMES)


def disk_goals(marks: Sequence[Mark]) -> list[Goal]:
    """Give the goals of M3: what a turn leaves on disk, and that it does not grow with the session."""
    most = max(mark.kb for mark in marks)
    settled = [mark.kb for mark in marks if mark.turns > 10] or [mark.kb for mark in marks]
    growth = settled[-1] / min(settled)
    kept = StorageSettings().history_turns
    single = all(mark.rows == round(min(mark.turns, kept) / mark.turns, 2) for mark in marks)
    return [
        at_most("M3", "KB a turn on disk", most, KB_A_TURN, kind=Kind.BYTES),
        at_most("M3", f"KB of turn {marks[-1].turns} by the least after turn 10", growth, GROWTH, kind=Kind.BYTES),
        Goal("M3", f"one checkpoint row for each of the last {kept} turns", single, "True", single),
    ]


if __name__ == "__main__":
    main()
