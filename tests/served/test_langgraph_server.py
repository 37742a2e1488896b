"""Under LangGraph's own server, which brings checkpoints and runs: a turn, a question answered, the history."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from ninefold.served import graph
from tests.turn.agents import server_count
from tests.wire.server import WireServer

CHECKOUT = Path(__file__).resolve().parents[2]
AGENT = """
agent:
  model: {{base_url: "{url}", timeout: 20}}
  memory: "off"
  constraints: {{on_conflict: ask}}
"""


def test_the_exported_graph_brings_no_checkpointer_and_no_store_and_wants_a_name() -> None:
    exported = json.loads((CHECKOUT / "langgraph.json").read_text())["graphs"]["ninefold"]
    assert exported == "ninefold.served:graph"
    assert graph.checkpointer is None
    assert graph.store is None
    assert graph._guard.default_user is None


@pytest.fixture
def server(tmp_path: Path) -> Iterator[httpx.Client]:
    pytest.importorskip("langgraph_api", reason="`pip install 'langgraph-cli[inmem]'` brings the server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with WireServer(count=server_count) as wire:
        (tmp_path / "agent.yaml").write_text(AGENT.format(url=wire.url))
        (tmp_path / "langgraph.json").write_text((CHECKOUT / "langgraph.json").read_text())
        environment = {**os.environ, "NINEFOLD_AGENT": str(tmp_path / "agent.yaml"), "LANGSMITH_TRACING": "false"}
        command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--port", str(port)]
        with (tmp_path / "log").open("w") as log:
            process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
        try:
            client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60)
            _wait(client, process, tmp_path / "log")
            yield client
        finally:
            process.terminate()
            process.wait(30)


def _wait(client: httpx.Client, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        try:
            if client.get("/ok").status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    raise AssertionError(log.read_text()[-2000:])


def test_a_run_a_question_and_the_history_over_http(server: httpx.Client) -> None:
    thread = server.post("/threads", json={}).json()["thread_id"]

    def run(**given: Any) -> httpx.Response:
        whose = {"configurable": {"user_id": "ann"}}
        body = {"assistant_id": "ninefold", "config": whose, **given}
        return server.post(f"/threads/{thread}/runs/wait", json=body)

    assert run(input={"messages": [{"role": "user", "content": "不要用红色。"}]}).status_code == 200
    run(input={"messages": [{"role": "user", "content": "主色用红色。"}]})
    waiting = server.get(f"/threads/{thread}/state").json()
    assert waiting["next"] == ["conflict_confirmation"]
    run(command={"resume": "replace"})
    values = server.get(f"/threads/{thread}/state").json()["values"]
    assert [m["content"] for m in values["messages"]] == ["不要用红色。", "OK.", "主色用红色。", "OK."]
    assert [each["words"] for each in values["constraints"]] == ["主色用红色"]
    turns = server.post(f"/threads/{thread}/history", json={"limit": 100}).json()
    assert [each["values"]["turn"]["number"] for each in turns] == [2, 1]
