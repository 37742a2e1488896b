"""The server as a program of its own, spoken to by the SDK's client and by hand."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client

from tests.wire.replies import Hang
from tests.wire.server import WireServer

PROGRAM = (sys.executable, "-c", "from ninefold.cli import main; main()")
COMMAND = (*PROGRAM, "mcp")
HOW_TO = Path(__file__).parents[2] / "docs" / "how-to.md"


def environment(wire: WireServer, home: Path) -> dict[str, str]:
    return {"NINEFOLD_HOME": str(home), "OLLAMA_HOST": wire.url, "PATH": os.environ["PATH"]}


def documented(user: str) -> list[str]:
    """Give the words that the how-to has a client start the server with, for a person."""
    (text,) = re.findall(r"```json\n(.*?)```", HOW_TO.read_text(encoding="utf-8"), re.DOTALL)
    (server,) = json.loads(text)["mcpServers"].values()
    assert Path(server["command"]).name == "ninefold"
    return [user if word == "ann" else word for word in server["args"]]


async def test_two_programs_at_once_keep_two_people_apart(tmp_path: Path) -> None:
    listed: dict[str, str] = {}

    async def work(user: str) -> None:
        params = StdioServerParameters(
            command=PROGRAM[0], args=[*PROGRAM[1:], *documented(user)], env=environment(wire, tmp_path)
        )
        async with Client(stdio_client(params)) as client:
            assert len((await client.list_tools()).tools) == 4
            for number in range(4):
                done = await client.call_tool("memory_write", {"content": f"{user} has {number} cats in the lab"})
                assert not done.is_error, done.content
            found = await client.call_tool("memory_list", {})
            listed[user] = "\n".join(block.text for block in found.content if block.type == "text")

    with WireServer() as wire:
        async with asyncio.TaskGroup() as group:
            group.create_task(work("ann"))
            group.create_task(work("bob"))
    for user, other in (("ann", "bob"), ("bob", "ann")):
        assert listed[user].count(f"{user} has") == 4
        assert f"{other} has" not in listed[user]


def test_stdout_holds_the_protocol_alone_and_sigterm_ends_a_call_at_once(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "by hand", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "memory_list", "arguments": {}}},
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "memory_search", "arguments": {"query": "the lab"}},
        },
    ]
    with WireServer(embed=lambda body: Hang(60)) as wire:
        server = subprocess.Popen(
            COMMAND,
            env=environment(wire, tmp_path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        with server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.writelines(f"{json.dumps(message)}\n" for message in asked)
            server.stdin.flush()
            answers = [json.loads(server.stdout.readline()) for _ in range(2)]
            end = time.monotonic() + 60
            while not wire.embeds:
                assert server.poll() is None
                assert time.monotonic() < end
                time.sleep(0.02)
            server.send_signal(signal.SIGTERM)
            rest = server.stdout.read()
            assert server.wait(10) == 143
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[0]["result"]["serverInfo"]["name"] == "ninefold"
    assert answers[1]["result"]["isError"] is False
    assert rest == ""


def test_without_the_extra_the_command_names_what_installs_it(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from ninefold.cli import main; main()"
    run = [sys.executable, "-c", code, "mcp", "--lang", "zh"]
    variables = {**os.environ, "NINEFOLD_HOME": str(tmp_path)}
    done = subprocess.run(run, env=variables, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.strip() == 'MCP 服务器需要一个尚未安装的包。请运行 `pip install "ninefold[mcp]"`。'
