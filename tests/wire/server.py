"""A real loopback HTTP server that speaks Ollama's wire: it keeps every request's bytes and answers by script.

```python
with WireServer([Say("你好"), Call("memory_search", {"query": "port"})]) as wire:
    model = ChatOllama(model="qwen2.5:14b", base_url=wire.url)
    ...
assert wire.chats[0]["options"]["num_ctx"] == 8192
```
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.wire.embedding import embedding
from tests.wire.replies import Call, Cut, ErrorMidway, Fail, Hang, Load, Noise, Reply, Say

Body = dict[str, Any]
Count = Callable[[Sequence[Body], Sequence[Body]], int]
"""Gives prompt_eval_count of the wire's messages and tools."""
Script = Sequence[Reply | str] | Callable[[Body], Reply | str]


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire."""

    method: str
    path: str
    body: bytes

    @property
    def json(self) -> Body:
        """The body, parsed."""
        parsed: Body = json.loads(self.body) if self.body else {}
        return parsed


class WireServer:
    """Answers /api/chat by script: the replies in turn, then `default` for ever; or a function of the request.

    Args:
        replies: what each chat call is answered, in order; a bare string is `Say`.
        count: prompt_eval_count of a request; by default a rough one by characters.
        models: the models that are "pulled", or what /api/tags says of each; any other is answered 404. Empty means
            every model is.
        loaded: the models that /api/ps names.
        info: what /api/show says of every model's shape.
        default: the answer when the script has run out.
        port: where to listen; 0 takes a free port.
    """

    def __init__(
        self,
        replies: Script = (),
        *,
        count: Count | None = None,
        models: Sequence[str] | Mapping[str, Body] = (),
        default: Reply | str = "OK.",
        port: int = 0,
        loaded: Sequence[str] = (),
        info: Mapping[str, Any] | None = None,
    ) -> None:
        self._script = replies
        self._count = count or (lambda messages, tools: len(json.dumps([*messages, *tools])) // 3)
        self._models = dict(models) if isinstance(models, Mapping) else {name: {} for name in models}
        self._loaded = tuple(loaded)
        self._info = dict(info or {})
        self._default = default
        self._lock = threading.Lock()
        self._answered = 0
        self._open = 0
        self._ended = threading.Event()
        self.requests: list[Request] = []
        self.most_at_once = 0
        """The most chat calls that were open at the same time."""
        self.hung_up = 0
        """Chat calls whose client went away before the end."""
        self._http = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def chats(self) -> list[Body]:
        """The bodies of the chat calls so far, in order."""
        return [request.json for request in list(self.requests) if request.path == "/api/chat"]

    @property
    def embeds(self) -> list[Body]:
        """The bodies of the embedding calls so far, in order."""
        return [request.json for request in list(self.requests) if request.path == "/api/embed"]

    def wait_for_chats(self, number: int, seconds: float = 20) -> None:
        """Wait until this many chat calls have come in."""
        end = time.monotonic() + seconds
        while len(self.chats) < number:
            assert time.monotonic() < end, f"{len(self.chats)} of {number} chat calls came in {seconds} s"
            time.sleep(0.01)

    def _next(self, body: Body) -> Reply:
        with self._lock:
            at, self._answered = self._answered, self._answered + 1
        if callable(self._script):
            reply = self._script(body)
        else:
            reply = self._script[at] if at < len(self._script) else self._default
        return Say(reply) if isinstance(reply, str) else reply

    @contextmanager
    def _one_more(self) -> Iterator[None]:
        with self._lock:
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        wire = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
                """Keep stderr for the tests."""

            def do_GET(self) -> None:
                self._take()

            def do_POST(self) -> None:
                self._take()

            def _take(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                request = Request(self.command, self.path, body)
                wire.requests.append(request)
                try:
                    wire._answer(self, request)
                except (BrokenPipeError, ConnectionResetError):
                    wire.hung_up += 1
                    self.close_connection = True

        return Handler

    def _answer(self, to: BaseHTTPRequestHandler, request: Request) -> None:
        body = request.json
        match request.path:
            case "/api/chat":
                if not self._pulled(body["model"]):
                    return _whole(to, 404, {"error": f"model '{body['model']}' not found"})
                with self._one_more():
                    self._chat(to, body, self._next(body))
            case "/api/embed":
                if not self._pulled(body["model"]):
                    return _whole(to, 404, {"error": f"model '{body['model']}' not found"})
                texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
                _whole(to, 200, {"model": body["model"], "embeddings": [embedding(text) for text in texts]})
            case "/api/tags":
                _whole(to, 200, {"models": [{"name": n, "model": n, **about} for n, about in self._models.items()]})
            case "/api/show":
                _whole(
                    to,
                    200 if self._pulled(body.get("model", "")) else 404,
                    {"details": {"family": "qwen2"}, "model_info": self._info},
                )
            case "/api/version":
                _whole(to, 200, {"version": "0.5.4"})
            case "/api/ps":
                _whole(to, 200, {"models": [{"name": name, "model": name} for name in self._loaded]})
            case _:
                _whole(to, 404, {"error": "404 page not found"})
        return None

    def _pulled(self, model: str) -> bool:
        return not self._models or model in self._models

    def _chat(self, to: BaseHTTPRequestHandler, body: Body, reply: Reply) -> None:
        prompt = self._count(body["messages"], body.get("tools") or ())
        match reply:
            case Fail(status, error):
                _whole(to, status, {"error": error or f"model '{body['model']}' not found"})
            case Noise(text):
                _plain(to, text.encode())
            case Hang(seconds, text):
                stream = _Stream(to, body["model"]) if text else None
                if stream:
                    stream.text(text)
                self._ended.wait(seconds)
                to.close_connection = True
            case Cut(text, abruptly):
                stream = _Stream(to, body["model"])
                stream.text(text)
                stream.end(abruptly=abruptly)
            case ErrorMidway(text, error):
                stream = _Stream(to, body["model"])
                stream.text(text)
                stream.line({"error": error})
                stream.end()
            case Load():
                _Stream(to, body["model"]).done("load", 0, 0)
            case Say(text, done_reason, pieces, pause):
                stream = _Stream(to, body["model"])
                for piece in _split(text, pieces):
                    self._ended.wait(pause)
                    stream.text(piece)
                stream.done(done_reason, prompt, max(1, len(text) // 2))
            case Call(name, arguments, text, more):
                stream = _Stream(to, body["model"])
                if text:
                    stream.text(text)
                calls = ((name, arguments), *more)
                stream.message("", [{"function": {"name": n, "arguments": dict(a)}} for n, a in calls])
                stream.done("stop", prompt, 8)


class _Stream:
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


def _whole(to: BaseHTTPRequestHandler, status: int, value: Mapping[str, Any]) -> None:
    _plain(to, json.dumps(value, ensure_ascii=False).encode(), status)


def _plain(to: BaseHTTPRequestHandler, data: bytes, status: int = 200) -> None:
    to.send_response(status)
    to.send_header("Content-Type", "application/json")
    to.send_header("Content-Length", str(len(data)))
    to.end_headers()
    to.wfile.write(data)


def _split(text: str, pieces: int) -> list[str]:
    size = max(1, -(-len(text) // pieces))
    return [text[at : at + size] for at in range(0, len(text), size)]


def nobody_there() -> str:
    """Give a URL on this machine where nothing answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"
