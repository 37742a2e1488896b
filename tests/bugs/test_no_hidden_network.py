"""An agent asks nobody but the servers it was told of: no download, at import, at the first turn or later (BUG-23)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.turn.agents import server_count
from tests.wire.server import WireServer

SAID = {
    "zh": ("我的项目端口是 18443，以后都用人民币报价。", "我的项目端口是多少？"),
    "en": ("My project port is 18443, always quote prices in euros.", "What is my project port?"),
}
TURNS = """
import sys

asked = []

def refuse(event, args):
    host = args[0] if event == "socket.getaddrinfo" else args[1][0] if event == "socket.connect" else "127.0.0.1"
    if str(host) not in ("127.0.0.1", "localhost") and not str(host).startswith("/"):
        asked.append(str(host))
        raise OSError(f"network used: {host}")

sys.addaudithook(refuse)

from pathlib import Path
from ninefold import build_graph
from tests.turn.agents import config, settings

graph = build_graph(settings(sys.argv[1], Path(sys.argv[2])))
for text in sys.argv[3:]:
    result = graph.invoke({"messages": [("user", text)]}, config())
called = [event for event in graph.get_state(config()).values["trace"] if event.kind == "model_called"]
print(result["messages"][-1].text, result["outcome"].status, called[-1].reason, asked, sep="|")
"""


@pytest.mark.parametrize("language", SAID)
def test_turns_with_memories_ask_only_the_model_s_own_server_and_count_exactly(tmp_path: Path, language: str) -> None:
    with WireServer(count=server_count) as wire:
        words = [sys.executable, "-c", TURNS, wire.url, str(tmp_path), *SAID[language]]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "OK.|answered|qwen2.5 (exact)|[]"
