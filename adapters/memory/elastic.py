"""Memories in Elasticsearch, through its plain client: one index for each embedding model, cosine, exact user ids.

Experimental: its tests run on a server that speaks Elasticsearch's protocol, and on a real one where `ES_URL` names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.embeddings import Embeddings

from ninefold.state import (
    EmbedderMismatch,
    MemoryKind,
    MemoryRecord,
    MemoryStatus,
    MemoryStoreError,
    NinefoldError,
    SettingsError,
)
from ninefold.state.memory import in_order

from . import ELASTICSEARCH
from .collection import PREFIX, collection_name
from .elastic_rows import VECTOR, Body, active, body_of, checked, host, make_index, record_of, whole
from .rows import Found, checked_user, scopes
from .vectors import CheckedEmbeddings, clean
from .words import MemoryWords

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

PAGE = 1000

Answer = TypeVar("Answer")


class ElasticMemory:
    """The memories of many people, each found by cosine and exact user id.

    Args:
        url: `elasticsearch+http://host:9200`, with `user:password@` where the server wants it.
        embeddings: the embedding model.
        stamp: its name, "provider:model".
        min_score: the threshold; None takes the embedder's own.
        timeout: seconds until an answer is given up.
    """

    def __init__(
        self,
        url: Path | str,
        embeddings: Embeddings,
        stamp: str,
        *,
        min_score: float | None = None,
        timeout: float = 10,
    ) -> None:
        self._url = str(url).removeprefix(ELASTICSEARCH)
        self._timeout = timeout
        self._embeddings = CheckedEmbeddings(embeddings, stamp)
        self._min_score = self._embeddings.min_score if min_score is None else min_score
        self._index = collection_name(stamp).lower()
        self._client: Elasticsearch | None = None
        self._exists = False
        self._words = MemoryWords()
        self._lock = RLock()

    @property
    def embedder(self) -> str:
        """The stamp of the embedding model."""
        return self._embeddings.stamp

    @property
    def min_score(self) -> float:
        """The threshold, as cosine similarity."""
        return self._min_score

    def check(self) -> None:
        """Open the store now.

        Raises:
            EmbedderMismatch: it belongs to another embedder.
            MemoryStoreError: the server does not answer.
        """
        self._ask("be opened", lambda _: None)

    def close(self) -> None:
        """Close the connections; a later call opens others."""
        with self._lock:
            client, self._client, self._exists = self._client, None, False
            self._words.drop()
            if client is not None:
                client.close()

    def by_kind(self, user: str, kinds: Sequence[MemoryKind]) -> tuple[MemoryRecord, ...]:
        """Give the active memories of these kinds by filter, newest first; no embedding is made."""
        return self._rows(active(user, kinds))[::-1] if kinds else ()

    def search(self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()) -> Found:
        """Give the active memories nearest to the query with their cosine, best first."""
        wanted = active(user, kinds)
        if limit < 1 or not query.strip():
            return ()
        self.check()
        return self._nearest(user, self._embeddings.embed_query(query), limit, wanted)

    def matching(self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()) -> Found:
        """Give the active memories that share words with the query, best first; no embedding is made."""
        wanted = active(user)
        if limit < 1 or not query.strip():
            return ()
        # The store's lock comes first, as in a write.
        with self._lock:
            return self._words.matching(
                user,
                query,
                limit=limit,
                kinds=kinds,
                load=lambda: self._rows(wanted),
                look=lambda ids: self.get(user, ids),
                revision=self._ask("be read", lambda client: self._count(client, user)),
            )

    def nearest(self, user: str, texts: Sequence[str], *, limit: int) -> tuple[Found, ...]:
        """Give `search` for several texts, over every kind; they are embedded in one batch."""
        wanted = active(user)
        if limit < 1 or not texts:
            return tuple(() for _ in texts)
        self.check()
        vectors = self._embeddings.embed_documents(list(texts))
        return tuple(self._nearest(user, vector, limit, wanted) for vector in vectors)

    def write(self, records: Sequence[MemoryRecord]) -> None:
        """Insert or replace records by id in one batch; a text that is stored already is not embedded again."""
        rows = {checked_user(record.user) and record.id: self._storable(record) for record in records}
        if not rows:
            return
        self.check()
        known = self._known(rows)
        vectors = {body["text"]: body[VECTOR] for body in known.values() if VECTOR in body}
        fresh = list(dict.fromkeys(row.text for row in rows.values() if row.text not in vectors))
        vectors.update(zip(fresh, self._embeddings.embed_documents(fresh), strict=True))

        def put(client: Elasticsearch) -> None:
            self._make(client, len(next(iter(vectors.values()))))
            actions: list[Body] = []
            for row in rows.values():
                actions += [{"index": {"_id": row.id}}, body_of(row, vectors[row.text])]
            checked(client.bulk(index=self._index, operations=actions, refresh=True))
            for user in {row.user for row in rows.values()}:
                theirs = [row for row in rows.values() if row.user == user]
                self._words.wrote(theirs, self._count(client, user))

        self._ask("be written", put)

    def get(self, user: str, ids: Sequence[str]) -> tuple[MemoryRecord, ...]:
        """Give the person's records of these ids, in any status."""
        wanted = whole(user)
        return self._rows([*wanted, {"terms": {"key": list(dict.fromkeys(ids))}}]) if ids else ()

    def of_turns(self, user: str, turns: Sequence[str]) -> tuple[MemoryRecord, ...]:
        """Give what the person said in these turns, in any status, oldest first."""
        wanted = whole(user)
        return self._rows([*wanted, {"terms": {"turn": list(turns)}}]) if turns else ()

    def records(self, user: str, *, status: MemoryStatus | None = None) -> tuple[MemoryRecord, ...]:
        """Give all of the person's records, oldest first."""
        return self._rows(whole(user) if status is None else [{"terms": {"scope": scopes(user, (), status)}}])

    def delete(self, user: str, ids: Sequence[str]) -> int:
        """Remove the person's records of these ids and give how many there were."""
        theirs = [record.id for record in self.get(user, ids)]

        def remove(client: Elasticsearch) -> None:
            operations = [{"delete": {"_id": key}} for key in theirs]
            checked(client.bulk(index=self._index, operations=operations, refresh=True))

        if theirs:
            self._ask("be deleted", remove)
            self._words.drop(user)
        return len(theirs)

    def _nearest(self, user: str, vector: Sequence[float], limit: int, wanted: list[Body]) -> Found:
        knn = {
            "field": VECTOR,
            "query_vector": list(vector),
            "k": limit,
            "num_candidates": max(100, 10 * limit),
            "filter": wanted,
        }

        def query(client: Elasticsearch) -> Found:
            if not self._there(client):
                return ()
            hits = client.search(index=self._index, knn=knn, size=limit, source_excludes=[VECTOR])["hits"]["hits"]
            # Elasticsearch gives (1 + cosine) / 2, because its scores are never negative.
            scored = [(record_of(hit), 2 * float(hit["_score"]) - 1) for hit in hits]
            # The user is looked at once more, so that no failing filter shows another's rows.
            theirs = [pair for pair in scored if pair[0].user == user]
            return tuple(sorted(theirs, key=lambda pair: (-pair[1], pair[0].id)))

        return self._ask("be searched", query)

    def _rows(self, wanted: list[Body]) -> tuple[MemoryRecord, ...]:
        return in_order(self._ask("be read", lambda client: [record_of(hit) for hit in self._pages(client, wanted)]))

    def _pages(self, client: Elasticsearch, wanted: list[Body]) -> Iterator[Body]:
        after: list[Any] | None = None
        while self._there(client):
            page = client.search(
                index=self._index,
                query={"bool": {"filter": wanted}},
                size=PAGE,
                sort=[{"created_at": "asc"}, {"key": "asc"}],
                search_after=after,
                source_excludes=[VECTOR],
            )["hits"]["hits"]
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1]["sort"]

    def _known(self, rows: Mapping[str, MemoryRecord]) -> dict[str, Body]:
        def read(client: Elasticsearch) -> dict[str, Body]:
            if not self._there(client):
                return {}
            found = client.mget(index=self._index, ids=list(rows))["docs"]
            return {doc["_id"]: doc["_source"] for doc in found if doc.get("found")}

        known = self._ask("be read", read)
        for key, body in known.items():
            if body["user"] != rows[key].user:
                raise MemoryStoreError(f"The memory {key!r} belongs to another person.", "Nothing was written.")
        return known

    def _storable(self, record: MemoryRecord) -> MemoryRecord:
        return record.model_copy(update={"text": clean(record.text), "embedder": self.embedder})

    def _count(self, client: Elasticsearch, user: str) -> int:
        """How many rows a person has: what another process adds is noticed by it."""
        query = {"bool": {"filter": whole(user)}}
        return int(client.count(index=self._index, query=query)["count"]) if self._there(client) else 0

    def _there(self, client: Elasticsearch) -> bool:
        """Whether there is an index; while there is none, another process may make it at any time."""
        if not self._exists:
            self._look(client)
        return self._exists

    def _make(self, client: Elasticsearch, dimension: int) -> None:
        if not self._there(client):
            make_index(client, self._index, self.embedder, dimension)
            self._look(client)

    def _ask(self, what: str, action: Callable[[Elasticsearch], Answer]) -> Answer:
        with self._lock:
            try:
                return action(self._opened())
            except NinefoldError:
                raise
            except ImportError as error:
                raise SettingsError(
                    f"The client of Elasticsearch is not installed ({error}).",
                    "`pip install 'ninefold[elasticsearch]'`.",
                ) from error
            except Exception as error:
                self.close()
                raise MemoryStoreError(
                    f"The memories on {host(self._url)} could not {what}: {type(error).__name__}: {error}.",
                    "Check the server; the turn goes on without them and nothing is lost.",
                ) from error

    def _opened(self) -> Elasticsearch:
        if self._client is None:
            from elasticsearch import Elasticsearch

            client = Elasticsearch(self._url, request_timeout=self._timeout, max_retries=0)
            self._look(client)
            self._client = client
        return self._client

    def _look(self, client: Elasticsearch) -> None:
        """See whose memories are there before any is read or written."""
        found = client.indices.get(index=f"{PREFIX}-*")
        self._exists = self._index in found
        for name, index in found.items():
            embedder = str((index["mappings"].get("_meta") or {}).get("embedder", ""))
            held = name != self._index and not embedder.startswith("retired ")
            if held and client.count(index=name)["count"] and not self._exists:
                raise EmbedderMismatch(
                    f"The memories here were embedded by {embedder!r}, not by {self.embedder!r}.",
                    "Set the embedding model that wrote them.",
                )
        if self._exists:
            self._embeddings.check_dimension(int(found[self._index]["mappings"]["_meta"]["dimension"]))
