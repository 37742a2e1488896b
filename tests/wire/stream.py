"""The answers of the wire's server, byte by byte: whole bodies, and chunked NDJSON that can end anywhere."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


class Listener(ThreadingHTTPServer):
    """A server whose clients may go away at any time."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a connection that broke."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Stream:
    """A chunked NDJSON answer."""

    def __init__(self, to: BaseHTTPRequestHandler, model: str) -> None:
        self._to = to
        self._model = model
        to.send_response(200)
        to.send_header("Content-Type", "application/x-ndjson")
        to.send_header("Transfer-Encoding", "chunked")
        to.end_headers()

    def line(self, value: Mapping[str, Any]) -> None:
        data = json.dumps(value, ensure_ascii=False).encode() + b"\n"
        self._to.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self._to.wfile.flush()

    def message(self, text: str, calls: Sequence[Body] = (), **more: Any) -> None:
        said: Body = {"role": "assistant", "content": text}
        if calls:
            said["tool_calls"] = list(calls)
        head = {"model": self._model, "created_at": "2026-01-01T00:00:00.000000Z", "message": said}
        self.line({**head, "done": False, **more})

    def text(self, text: str) -> None:
        self.message(text)

    def done(self, reason: str, prompt: int, written: int) -> None:
        counts: Body = {"prompt_eval_count": prompt, "eval_count": written}
        durations: Body = {
            "total_duration": 2_000_000,
            "load_duration": 1,
            "prompt_eval_duration": 1,
            "eval_duration": 1,
        }
        self.message("", done=True, done_reason=reason, **counts, **durations)
        self.end()

    def end(self, *, abruptly: bool = False) -> None:
        if abruptly:
            self._to.connection.shutdown(socket.SHUT_RDWR)
            self._to.close_connection = True
        else:
            self._to.wfile.write(b"0\r\n\r\n")
            self._to.wfile.flush()


def whole(to: BaseHTTPRequestHandler, status: int, value: Mapping[str, Any]) -> None:
    plain(to, json.dumps(value, ensure_ascii=False).encode(), status)


def plain(to: BaseHTTPRequestHandler, data: bytes, status: int = 200) -> None:
    to.send_response(status)
    to.send_header("Content-Type", "application/json")
    to.send_header("Content-Length", str(len(data)))
    to.end_headers()
    to.wfile.write(data)


def cut(to: BaseHTTPRequestHandler, value: Mapping[str, Any]) -> None:
    """Send a head and half of the body, then break the connection."""
    data = json.dumps(value, ensure_ascii=False).encode()
    to.send_response(200)
    to.send_header("Content-Type", "application/json")
    to.send_header("Content-Length", str(len(data)))
    to.end_headers()
    to.wfile.write(data[: len(data) // 2])
    to.wfile.flush()
    drop(to)


def drop(to: BaseHTTPRequestHandler) -> None:
    """Break the connection."""
    to.connection.shutdown(socket.SHUT_RDWR)
    to.close_connection = True
