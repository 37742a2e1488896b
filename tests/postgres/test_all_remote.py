"""An agent whose sessions lie in Postgres and whose memories lie on a Chroma server, each a process of its own."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from ninefold import build_graph, history
from ninefold.graph.guard import TurnGraph
from ninefold.state import Degraded, MemorySettings, Step, StorageSettings
from tests.postgres.agents import PATIENCE, config, said
from tests.turn.agents import server_count, settings
from tests.wire.server import WireServer

TALK = {
    "zh": ("我的项目端口是 18443。", "我的项目端口是多少？"),
    "en": ("My project port is 18443.", "What is my project port?"),
}


class Chroma:
    """A Chroma server that can be ended."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        program = Path(sys.executable).with_name("chroma")
        command = [str(program), "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE
        while not self._answers():
            assert time.monotonic() < end
            assert self.process.poll() is None
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/api/v2/heartbeat").is_success
        except httpx.HTTPError:
            return False

    def end(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)


@pytest.fixture
def chroma(tmp_path: Path) -> Iterator[Chroma]:
    server = Chroma(tmp_path / "chroma")
    yield server
    server.end()


@pytest.mark.parametrize("language", TALK)
def test_what_was_said_on_one_machine_is_remembered_on_the_next(
    tmp_path: Path, url: str, chroma: Chroma, language: str
) -> None:
    told, asked = TALK[language]
    with WireServer(count=server_count) as wire:

        def machine(name: str) -> TurnGraph:
            chosen = settings(wire.url, tmp_path / name)
            kept = StorageSettings(folder=str(tmp_path / name), checkpointer=url, store=url)
            memory = MemorySettings(store=chroma.url)
            return build_graph(chosen.model_copy(update={"storage": kept, "memory": memory}))

        machine("one").invoke(said(told), config("t1"))
        shutil.rmtree(tmp_path / "one", ignore_errors=True)
        second = machine("two")
        second.invoke(said(asked), config("t2"))
        last: dict[str, Any] = wire.chats[-1]["messages"][-1]
        assert "18443" in last["content"]
        assert last["content"].endswith(asked)
        second.invoke(said(asked), config("t3", user="bob"))
        assert "18443" not in str(wire.chats[-1]["messages"])

        chroma.end()
        second.invoke(said(asked), config("t1"))
        lost = [e for e in second.get_state(config("t1")).values["trace"] if isinstance(e, Degraded)]
        assert Step.MEMORY_RETRIEVAL in {event.step for event in lost}
        assert [m.text for m in history(machine("three"), config("t1"))] == [told, "OK.", asked, "OK."]
