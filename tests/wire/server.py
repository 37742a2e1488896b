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
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, Self

from tests.wire.embedding import embedding
from tests.wire.real import first_words, relay
from tests.wire.replies import (
    Call,
    Cut,
    Drop,
    EmbedReply,
    ErrorMidway,
    Fail,
    Hang,
    Load,
    Noise,
    Real,
    Reply,
    Say,
    Vectors,
)
from tests.wire.stream import Listener, Stream, cut, drop, plain, whole

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
        embed: what an embedding call is answered instead of its vectors; None gives them.
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
        embed: Callable[[Body], EmbedReply | None] | None = None,
    ) -> None:
        self._script = replies
        self._count = count or (lambda messages, tools: len(json.dumps([*messages, *tools])) // 3)
        self._models = dict(models) if isinstance(models, Mapping) else {name: {} for name in models}
        self._loaded = tuple(loaded)
        self._info = dict(info or {})
        self._default = default
        self._embed = embed or (lambda body: None)
        self._lock = threading.Lock()
        self._answered = 0
        self._open = 0
        self._ended = threading.Event()
        self.requests: list[Request] = []
        self.most_at_once = 0
        """The most chat calls that were open at the same time."""
        self.hung_up = 0
        """Chat calls whose client went away before the end."""
        self._connections: set[socket.socket] = set()
        self._http = Listener(("127.0.0.1", port), self._handler())
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def down(self) -> None:
        """Stop as a killed server does: nobody listens any more, and every open connection is gone."""
        self._http.shutdown()
        self._http.server_close()
        for connection in tuple(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def up(self) -> None:
        """Listen again, at the same address."""
        self._http = Listener(("127.0.0.1", self._http.server_address[1]), self._handler())
        self.__enter__()

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

            def setup(self) -> None:
                super().setup()
                wire._connections.add(self.connection)

            def finish(self) -> None:
                wire._connections.discard(self.connection)
                with suppress(OSError):
                    super().finish()

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
                    return whole(to, 404, {"error": f"model '{body['model']}' not found"})
                with self._one_more():
                    self._chat(to, body, self._next(body))
            case "/api/embed":
                if not self._pulled(body["model"]):
                    return whole(to, 404, {"error": f"model '{body['model']}' not found"})
                self._vectors(to, body, self._embed(body))
            case "/api/tags":
                whole(to, 200, {"models": [{"name": n, "model": n, **about} for n, about in self._models.items()]})
            case "/api/show":
                whole(
                    to,
                    200 if self._pulled(body.get("model", "")) else 404,
                    {"details": {"family": "qwen2"}, "model_info": self._info},
                )
            case "/api/version":
                whole(to, 200, {"version": "0.5.4"})
            case "/api/ps":
                whole(to, 200, {"models": [{"name": name, "model": name} for name in self._loaded]})
            case _:
                whole(to, 404, {"error": "404 page not found"})
        return None

    def _pulled(self, model: str) -> bool:
        return not self._models or model in self._models

    def _vectors(self, to: BaseHTTPRequestHandler, body: Body, reply: EmbedReply | None) -> None:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        given = {"model": body["model"], "embeddings": [embedding(text) for text in texts]}
        match reply:
            case None:
                whole(to, 200, given)
            case Fail(status, error):
                whole(to, status, {"error": error or f"model '{body['model']}' not found"})
            case Noise(text):
                plain(to, text.encode())
            case Hang(seconds):
                self._ended.wait(seconds)
                to.close_connection = True
            case Cut():
                cut(to, given)
            case Drop():
                drop(to)
            case Real(host):
                relay(to, host, "/api/embed", body)
            case Vectors(vectors):
                whole(to, 200, {**given, "embeddings": vectors})

    def _chat(self, to: BaseHTTPRequestHandler, body: Body, reply: Reply) -> None:
        prompt = self._count(body["messages"], body.get("tools") or ())
        match reply:
            case Real(host, None, at_most):
                options = body["options"] | ({"num_predict": at_most} if at_most else {})
                relay(to, host, "/api/chat", {**body, "options": options})
            case Real(host, ending):
                assert ending is not None
                self._chat(to, body, replace(ending, text=first_words(host, body)))
            case Fail(status, error):
                whole(to, status, {"error": error or f"model '{body['model']}' not found"})
            case Noise(text):
                plain(to, text.encode())
            case Hang(seconds, text):
                stream = Stream(to, body["model"]) if text else None
                if stream:
                    stream.text(text)
                self._ended.wait(seconds)
                to.close_connection = True
            case Cut(text, abruptly):
                stream = Stream(to, body["model"])
                stream.text(text)
                stream.end(abruptly=abruptly)
            case ErrorMidway(text, error):
                stream = Stream(to, body["model"])
                stream.text(text)
                stream.line({"error": error})
                stream.end()
            case Load():
                Stream(to, body["model"]).done("load", 0, 0)
            case Drop():
                drop(to)
            case Say(text, done_reason, pieces, pause, read, released):
                stream = Stream(to, body["model"])
                for number, piece in enumerate(_split(text, pieces)):
                    self._ended.wait(pause)
                    while number and released and not (released.wait(0.05) or self._ended.is_set()):
                        pass
                    stream.text(piece)
                stream.done(done_reason, prompt if read is None else read, max(1, len(text) // 2))
            case Call(name, arguments, text, more):
                stream = Stream(to, body["model"])
                if text:
                    stream.text(text)
                calls = ((name, arguments), *more)
                stream.message("", [{"function": {"name": n, "arguments": dict(a)}} for n, a in calls])
                stream.done("stop", prompt, 8)


def _split(text: str, pieces: int) -> list[str]:
    size = max(1, -(-len(text) // pieces))
    return [text[at : at + size] for at in range(0, len(text), size)]


def nobody_there() -> str:
    """Give a URL on this machine where nothing answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"
