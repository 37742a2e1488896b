"""One model process per file, context and thread count: started when first needed, closed with the program."""

from __future__ import annotations

import atexit
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx

from ninefold.state.errors import ModelDown, ModelMissing, ModelRefused

CONNECT_SECONDS = 5.0
"""Time for the process to take a connection; it listens before it is called ready."""


@dataclass(frozen=True)
class ServerSpec:
    """What makes two models the same process: file, context in tokens, threads."""

    model_path: Path
    num_ctx: int
    threads: int


@dataclass
class EmbeddedServer:
    """The process of one model, and the way to it.

    `ensure()` may be called from any thread and starts the process at most once; a process that died is started anew.
    """

    spec: ServerSpec
    sockets: bool = hasattr(socket, "AF_UNIX") and os.name != "nt"
    """Whether a unix socket in a private folder is used; otherwise a loopback port that asks for a random key."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)
    _log: IO[bytes] | None = field(default=None, repr=False)
    _socket: str | None = None
    _key: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _url: str = ""

    def ensure(self) -> None:
        """Have the process running and the model loaded.

        Raises:
            ModelMissing: no such file, or the runtime is not installed.
            ModelRefused: the file is not a model this runtime can load.
        """
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return
            self._stop()
            check_file(self.spec.model_path)
            try:
                self._start()
            except BaseException:
                # A half-started process would pass for a running one.
                self._stop()
                raise

    @property
    def pid(self) -> int | None:
        """The process's id while it runs."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def client_options(self, silence: float) -> dict[str, Any]:
        """Arguments for an httpx client that reaches this process and nothing else.

        Args:
            silence: seconds without a byte until a call is given up. A server that waits for another call, or reads,
                sends a line every 30 seconds at the latest.
        """
        return {
            "base_url": self._url,
            # The server drops idle connections, so each call brings its own.
            "headers": {"Connection": "close", "Authorization": f"Bearer {self._key}"},
            "timeout": httpx.Timeout(silence, connect=CONNECT_SECONDS),
            "trust_env": False,
        }

    def client(self, silence: float) -> httpx.Client:
        """A client for one call."""
        return httpx.Client(
            transport=httpx.HTTPTransport(uds=self._socket, verify=False), **self.client_options(silence)
        )

    def async_client(self, silence: float) -> httpx.AsyncClient:
        """The same for one awaited call."""
        transport = httpx.AsyncHTTPTransport(uds=self._socket, verify=False)
        return httpx.AsyncClient(transport=transport, **self.client_options(silence))

    def close(self) -> None:
        """End the process and remove its socket; a later call starts another one."""
        with self._lock:
            self._stop()

    def why_gone(self) -> ModelDown:
        """The error for a process that stopped answering: its exit status and its last words.

        Waits for a dying process to be gone, so that the next call does not take it for a running one.
        """
        status: int | None = None
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                status = self._process.wait(timeout=2)
        end = "does not answer" if status is None else f"ended with status {status}"
        cause = f"The embedded model's process {end}. {self._last_words()}".strip()
        return ModelDown(cause, "Send the message again: the model is loaded anew. With little memory, lower num_ctx.")

    def _start(self) -> None:
        folder = tempfile.mkdtemp(prefix="ninefold-") if self.sockets else None
        self._socket = os.path.join(folder, "model.sock") if folder else None
        order = {
            "model_path": str(self.spec.model_path),
            "num_ctx": self.spec.num_ctx,
            "threads": self.spec.threads,
            "socket": self._socket,
            "key": self._key,
        }
        # Both processes share one position in the file; appending keeps our reading from moving its writing.
        self._log = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("worker.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            encoding="utf-8",
            # Ctrl-C in the terminal is for the program, which then closes the call; the model stays loaded.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
        answer = _json_line(self._process.stdout.readline())
        if "ready" not in answer:
            words = self._last_words()
            reason = str(answer.get("error") or f"its process ended with status {self._process.wait()}")
            raise _load_error(self.spec, reason, words)
        self._url = "http://model" if self.sockets else str(answer["ready"])

    def _stop(self) -> None:
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            try:
                self._process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        if self._socket is not None:
            with suppress(OSError):
                os.unlink(self._socket)
            with suppress(OSError):
                os.rmdir(os.path.dirname(self._socket))
            self._socket = None
        if self._log is not None:
            self._log.close()
            self._log = None

    def _last_words(self) -> str:
        if self._log is None:
            return ""
        self._log.seek(0)
        lines = self._log.read()[-8192:].decode("utf-8", "replace").splitlines()
        telling = [line for line in lines[-12:] if " E " in line or "assert" in line.lower() or "abort" in line.lower()]
        return " ".join(line.split(" E ", 1)[-1].strip() for line in telling[:2])


def check_file(path: Path) -> None:
    """Refuse a path that cannot be a model before any process is started.

    Raises:
        ModelMissing: no such file.
        ModelRefused: the file does not begin as a GGUF file does.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelMissing(
            f"The model file {path} cannot be read ({error.strerror}).",
            "`ninefold models pull` fetches the default model; or name a GGUF file of your own.",
        ) from error
    if magic != b"GGUF":
        raise ModelRefused(f"{path} is not a GGUF model file.", "`ninefold models pull` fetches a whole one.")


def _load_error(spec: ServerSpec, reason: str, words: str) -> ModelMissing | ModelRefused:
    if "ModuleNotFoundError" in reason or "ImportError" in reason:
        return ModelMissing(
            f"The embedded model needs a runtime that is not installed ({reason}).",
            "`pip install 'ninefold[embedded]'`, or use a model of a running Ollama.",
        )
    return ModelRefused(
        f"The model file {spec.model_path} cannot be loaded: {words or reason}.",
        "`ninefold models pull` fetches a whole one; with little memory, lower num_ctx.",
    )


def _json_line(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


_servers: dict[tuple[int, ServerSpec], EmbeddedServer] = {}
_servers_lock = threading.Lock()


def shared_server(spec: ServerSpec) -> EmbeddedServer:
    """The one server of this process for `spec`; not started yet. A forked child gets one of its own."""
    with _servers_lock:
        return _servers.setdefault((os.getpid(), spec), EmbeddedServer(spec))


def running_servers() -> Iterator[EmbeddedServer]:
    """The servers this process has asked for, running or not."""
    with _servers_lock:
        return iter([server for (pid, _), server in _servers.items() if pid == os.getpid()])


@atexit.register
def close_all() -> None:
    """End every model process this process started."""
    for server in running_servers():
        server.close()
