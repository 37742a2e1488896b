"""Two processes on one thread: every turn is kept, in some order."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ninefold.adapters.archive import history_messages, open_store
from ninefold.state.turn_state import TurnState
from tests.guard.test_agent import agent
from tests.guard.toy import on, say

TURNS = 5
TAKES_TURNS = """
import sys
from pathlib import Path
from tests.guard.test_agent import agent
from tests.guard.toy import on, say
graph = agent(Path(sys.argv[1]), wait=600)
print("ready", flush=True)
sys.stdin.readline()
for turn in range(int(sys.argv[3])):
    graph.invoke(say(f"{sys.argv[2]}{turn}"), on())
"""


def test_two_processes_lose_no_turn_and_double_none(tmp_path: Path) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", TAKES_TURNS, str(tmp_path), name, str(TURNS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("a", "b")
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("\n")
        worker.stdin.flush()
    assert [worker.wait(120) for worker in workers] == [0, 0]
    graph = agent(tmp_path)
    graph.invoke(say("last"), on())
    state = TurnState.model_validate(graph.get_state(on()).values)
    assert state.turn is not None
    assert state.turn.number == 2 * TURNS + 1
    history = [m.text for m in history_messages(open_store(tmp_path / "archive.sqlite"), "t", state.turn.id)]
    assert sorted(history[::2]) == sorted([f"{name}{turn}" for name in "ab" for turn in range(TURNS)] + ["last"])
    assert history[1::2] == [f"re:{text}" for text in history[::2]]
