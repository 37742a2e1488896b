"""A server that speaks Elasticsearch's protocol: osmem's real HTTP, filters and versions, vectors compared here."""

import json
import math
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from osmem_server import OsmemServer  # type: ignore[import-untyped]  # pyright: ignore

MOST = 10_000
SETTING = "index.mapping.exclude_source_vectors"


class ElasticServer:
    """osmem knows no dense vectors: their fields are kept as numbers, a knn search looks at all.

    Args:
        hides_vectors: as a server from 9.2 on: documents come without vectors, unless their index was made with the
            setting that keeps them, which servers before refuse.
    """

    def __init__(self, *, hides_vectors: bool = True) -> None:
        self._hides_vectors = hides_vectors
        self.shown: set[str] = set()
        """Indices whose documents come with their vectors."""
        self._server: Any = OsmemServer.start(japanese=False)
        self._vectors: dict[str, int] = {}
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._server.close()

    def ask(self, method: str, path: str, body: bytes | None, kind: str) -> tuple[int, bytes]:
        request = urllib.request.Request(
            self._server.url + path, data=body, method=method, headers={"Content-Type": kind}
        )
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def answer(self, method: str, path: str, body: bytes | None, kind: str) -> tuple[int, bytes]:
        asked = json.loads(body) if body and kind == "application/json" else {}
        if "knn" in asked:
            return self._nearest(path, asked)
        for field, what in asked.get("mappings", {}).get("properties", {}).items():
            if what["type"] == "dense_vector":
                self._vectors[path.strip("/")] = what["dims"]
                asked["mappings"]["properties"][field] = {"type": "float", "index": False}
        if "mappings" in asked:
            if self._hides_vectors and asked.get("settings", {}).pop(SETTING, True) is False:
                self.shown.add(path.strip("/"))
            body = json.dumps(asked).encode()
        status, answer = self.ask(method, path, body, kind)
        return status, self._hidden(path, answer) if "_mget" in path else answer

    def _hidden(self, path: str, answer: bytes) -> bytes:
        if not self._hides_vectors or path.strip("/").partition("/")[0] in self.shown:
            return answer
        found = json.loads(answer)
        for doc in found["docs"]:
            doc.get("_source", {}).pop("vector", None)
        return json.dumps(found).encode()

    def _nearest(self, path: str, asked: dict[str, Any]) -> tuple[int, bytes]:
        knn = asked["knn"]
        query = {"query": {"bool": {"filter": knn["filter"]}}, "size": MOST}
        status, raw = self.ask("POST", path.partition("?")[0], json.dumps(query).encode(), "application/json")
        if status != 200:
            return status, raw
        found = json.loads(raw)
        vector = knn["query_vector"]
        assert len(vector) == self._vectors[path.strip("/").partition("/")[0]]
        for hit in found["hits"]["hits"]:
            other = hit["_source"].pop(knn["field"])
            length = math.hypot(*vector) * math.hypot(*other)
            cosine = sum(a * b for a, b in zip(vector, other, strict=True)) / length if length else 0.0
            hit["_score"] = (1 + cosine) / 2
        found["hits"]["hits"] = sorted(found["hits"]["hits"], key=lambda hit: -hit["_score"])[: knn["k"]]
        return 200, json.dumps(found).encode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
                pass

            def take(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(size) if size else None
                lines = "ndjson" in (self.headers.get("content-type") or "")
                kind = "application/x-ndjson" if lines else "application/json"
                status, answer = server.answer(self.command, self.path, body, kind)
                self.send_response(status)
                self.send_header("X-Elastic-Product", "Elasticsearch")
                wanted = self.headers.get("accept") or "application/json"
                self.send_header("Content-Type", wanted if "vnd.elasticsearch" in wanted else "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer)

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = take  # noqa: N815

        return Handler
