"""M2 of the peers: the processor time of a turn without its model, as a session grows.

Usage, in the environment of bench/peers/requirements.txt: cost.py --marks 10,100,1000 [--seed N] --json FILE

They play the session of session.py over the same kind of checkpoint file as ninefold: SQLite in WAL mode with
`synchronous=NORMAL`. What lies before the last turns up to a mark is put into the state at once; the summarising one
takes `WARM` turns more to summarise it.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import logging
import sqlite3
import statistics
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver

sys.path.insert(0, str(Path(__file__).parent))
session: Any = importlib.import_module("session")

PLAYED = 10
"""Turns that are played before a mark, and measured."""
WARM = 4
CONFIG = {"configurable": {"thread_id": "bench"}, "recursion_limit": 100}
CASES = {"create_agent": False, "create_agent + SummarizationMiddleware 3500/20": True}
"""Whether each summarises."""


def agent(folder: Path, *, summarising: bool, seed: int) -> Any:
    """Give an agent over a checkpoint file."""
    connection = sqlite3.connect(folder / "checkpoints.sqlite", check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    model = session.Instant(seed=seed)
    middleware = []
    if summarising:
        make = importlib.import_module("langchain.agents.middleware").SummarizationMiddleware
        middleware = [make(model, trigger=("tokens", 3500), keep=("messages", 20))]
    create = importlib.import_module("langchain.agents").create_agent
    return create(model, tools=[session.lookup], middleware=middleware, checkpointer=SqliteSaver(connection)), model


def cost(mark: int, *, summarising: bool, seed: int) -> float:
    """Give the median processor time of the turns up to a mark, in ms."""
    with tempfile.TemporaryDirectory() as folder:
        graph, model = agent(Path(folder), summarising=summarising, seed=seed)
        before = max(mark - PLAYED, 0)
        model.turn = before
        if before:
            graph.update_state(CONFIG, {"messages": session.history(before, seed)}, as_node="model")
        spent: list[float] = []
        warm = WARM if summarising and before else 0
        for turn in range(before + 1, mark + 1 + warm):
            gc.collect(0)
            began = time.process_time()
            graph.invoke({"messages": [("user", session.says(turn, seed))]}, CONFIG)
            spent.append(time.process_time() - began)
        return round(statistics.median(spent[-min(PLAYED, mark) :]) * 1000, 1)


def main() -> None:
    """Measure every case and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--marks", default="10,100,1000")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, required=True)
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.ERROR)
    marks = [int(mark) for mark in chosen.marks.split(",")]
    rows = [
        {
            "name": f"langchain {version('langchain')} {name}",
            "summarising": summarising,
            "cpu_ms": {mark: cost(mark, summarising=summarising, seed=chosen.seed) for mark in marks},
        }
        for name, summarising in CASES.items()
    ]
    chosen.json.write_text(json.dumps(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
