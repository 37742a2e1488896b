"""A real Ollama behind the wire's server: its answers passed on byte by byte, or its first words alone."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 300
"""Seconds that a real server may take to load a model and read a prompt."""


def relay(to: BaseHTTPRequestHandler, host: str, path: str, body: Mapping[str, Any]) -> None:
    """Pass a request on, and its answer back as it comes."""
    with _asked(host, path, body) as answer:
        to.send_response(answer.status)
        to.send_header("Content-Type", answer.getheader("Content-Type", "application/json"))
        to.send_header("Transfer-Encoding", "chunked")
        to.end_headers()
        while data := answer.read1():
            to.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            to.wfile.flush()
        to.wfile.write(b"0\r\n\r\n")
        to.wfile.flush()


def first_words(host: str, body: Mapping[str, Any]) -> str:
    """Give the first words that the real server streams for a chat request, then hang up."""
    with _asked(host, "/api/chat", {**body, "stream": True}) as answer:
        for line in answer:
            said = str(json.loads(line).get("message", {}).get("content", ""))
            if said.strip():
                return said
    raise AssertionError("the real server answered without a word")


@contextmanager
def _asked(host: str, path: str, body: Mapping[str, Any]) -> Iterator[http.client.HTTPResponse]:
    at = urlsplit(host if "//" in host else f"http://{host}")
    with closing(http.client.HTTPConnection(at.hostname or "127.0.0.1", at.port or 11434, timeout=PATIENCE)) as link:
        link.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        yield link.getresponse()
