"""What the model's process may do to the program and the machine around it: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from ninefold.adapters.embedded.server import EmbeddedServer, ServerSpec

needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads Linux's /proc")

HOLDER = """
import sys, time
from pathlib import Path
from ninefold.adapters.embedded.server import ServerSpec, shared_server
server = shared_server(ServerSpec(Path(sys.argv[1]), 512, 1))
server.ensure()
print(server.pid, server._socket, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def server(smol_path: Path) -> Iterator[EmbeddedServer]:
    made = EmbeddedServer(ServerSpec(smol_path, 512, 1))
    made.ensure()
    yield made
    made.close()


def listening_sockets(pid: int) -> set[str]:
    """The process's TCP sockets that wait for connections, as lines of /proc."""
    inodes: set[str] = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(link)
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    rows = [
        row.split() for name in ("tcp", "tcp6") for row in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]
    ]
    return {row[1] for row in rows if row[9] in inodes and row[3] == "0A"}


def gone(pid: int, seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


@needs_proc
def test_no_port_is_open_and_the_socket_is_the_persons_own(server: EmbeddedServer) -> None:
    assert server.pid is not None
    assert listening_sockets(server.pid) == set()
    assert server._socket is not None
    assert Path(server._socket).parent.stat().st_mode & 0o077 == 0


def test_it_works_where_there_is_no_network_at_all(smol_path: Path) -> None:
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine gives no network namespaces")
    code = (
        "import sys; from ninefold.adapters.embedded.chat import EmbeddedChat\n"
        "print(EmbeddedChat(model_path=sys.argv[1], num_ctx=512, num_predict=4).invoke('Hi.').content)"
    )
    program = ["unshare", "-rn", sys.executable, "-c", code, str(smol_path)]
    run = subprocess.run(program, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()


def test_a_start_that_is_interrupted_is_not_taken_for_a_running_model(smol_path: Path) -> None:
    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    server = EmbeddedServer(ServerSpec(smol_path, 512, 1))
    kept = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            server.ensure()
        assert server.pid is None
        server.ensure()
        with server.client(10) as client:
            assert client.post("/tokenize", json={"content": "a"}).status_code == httpx.codes.OK
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)
        server.close()


@needs_proc
def test_where_there_are_no_unix_sockets_the_port_asks_for_a_key(smol_path: Path) -> None:
    server = EmbeddedServer(ServerSpec(smol_path, 512, 1), sockets=False)
    try:
        server.ensure()
        assert server.pid is not None
        ports = listening_sockets(server.pid)
        assert len(ports) == 1
        assert all(port.startswith("0100007F:") for port in ports)
        body = {"content": "hello"}
        assert httpx.post(f"{server._url}/tokenize", json=body, trust_env=False).status_code == httpx.codes.UNAUTHORIZED
        with server.client(10) as client:
            assert client.post("/tokenize", json=body).status_code == httpx.codes.OK
        assert server._key not in Path(f"/proc/{server.pid}/cmdline").read_text()
        assert server._key not in Path(f"/proc/{server.pid}/environ").read_text()
    finally:
        server.close()


def test_the_programs_own_signal_handlers_stay(smol_path: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    server = EmbeddedServer(ServerSpec(smol_path, 512, 1))
    server.ensure()
    try:
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert server.pid is not None
        assert os.getsid(server.pid) != os.getsid(0), "a terminal's Ctrl-C would reach the model"
    finally:
        server.close()


def test_closing_ends_the_process_and_leaves_no_socket(server: EmbeddedServer) -> None:
    pid, path = server.pid, server._socket
    assert pid is not None
    assert path is not None
    server.close()
    assert server.pid is None
    assert gone(pid)
    assert not Path(path).parent.exists()
    server.ensure()
    assert server.pid not in (None, pid)


@needs_proc
@pytest.mark.parametrize("end", ["exit", "kill"])
def test_the_process_ends_with_the_program_however_that_ends(smol_path: Path, end: str) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(smol_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert program.stdin is not None
    assert program.stdout is not None
    pid, path = program.stdout.readline().split()
    assert not gone(int(pid), 0.2)
    if end == "kill":
        program.kill()
    else:
        program.stdin.close()
    program.wait()
    program.stdout.close()
    assert gone(int(pid))
    assert not Path(path).parent.exists()
