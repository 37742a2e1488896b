"""Memories in Chroma, embedded in a folder or behind a server's URL, through langchain-chroma."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.embeddings import Embeddings

from ninefold.state import MemoryKind, MemoryRecord, MemoryStatus, MemoryStoreError, NinefoldError
from ninefold.state.memory import in_order

from .collection import collection_name, open_collection
from .connection import Connection
from .erasing import alone, blank_rewritten, erase, overwrite
from .nearest import in_store
from .pages import PAGE, pages
from .rows import Found, checked_user, metadata, to_record, where
from .vectors import CheckedEmbeddings, clean
from .whole_people import LARGEST, WholePeople, WholePerson
from .words import MemoryWords

if TYPE_CHECKING:
    from langchain_chroma import Chroma

Answer = TypeVar("Answer")


class ChromaMemory:
    """The memories of many people, each found by cosine and exact user id.

    Args:
        place: a folder of its own, or the URL of a Chroma server.
        embeddings: the embedding model; chromadb's own, which downloads one, is never used.
        stamp: the embedding model's name, "provider:model".
        min_score: the threshold; None takes the embedder's own.
        timeout: seconds until a server's answer is given up.
    """

    def __init__(
        self,
        place: Path | str,
        embeddings: Embeddings,
        stamp: str,
        *,
        min_score: float | None = None,
        timeout: float = 10,
    ) -> None:
        self._embeddings = CheckedEmbeddings(embeddings, stamp)
        self._min_score = self._embeddings.min_score if min_score is None else min_score
        self._connection = Connection(place, timeout=timeout)
        self._store: Chroma | None = None
        self._seen: dict[Path, int] = {}
        self._large: set[str] = set()
        self._words = MemoryWords()
        self._people = WholePeople()
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
            EmbedderMismatch: it belongs to another embedder or measures another distance.
            MemoryStoreError: it cannot be opened.
        """
        self._ask("be opened", lambda _: None)

    def close(self) -> None:
        """Let go of the folder; a later call opens it again."""
        with self._lock:
            self._store = None
            self._people.drop()
            self._connection.close()

    def by_kind(self, user: str, kinds: Sequence[MemoryKind]) -> tuple[MemoryRecord, ...]:
        """Give the active memories of these kinds by filter, newest first; no embedding is made."""
        if not kinds:
            return ()
        held = self._held(user)
        if held:
            return held.records(kinds=kinds, status=MemoryStatus.ACTIVE)[::-1]
        return self._rows(where(user, kinds=kinds, status=MemoryStatus.ACTIVE))[::-1]

    def search(self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()) -> Found:
        """Give the active memories nearest to the query with their cosine, best first."""
        wanted = where(user, kinds=kinds, status=MemoryStatus.ACTIVE)
        if limit < 1 or not query.strip():
            return ()
        # The store comes first: where it is gone, no vector is made.
        self._held(user)
        vector = self._embeddings.embed_query(query)
        # What is forgotten while a vector is made is found no more.
        held = self._held(user)
        return held.nearest(user, vector, kinds)[:limit] if held else self._nearest(user, [vector], limit, wanted)[0]

    def matching(self, user: str, query: str, *, limit: int, kinds: Sequence[MemoryKind] = ()) -> Found:
        """Give the active memories that share words with the query, best first; no embedding is made."""
        checked_user(user)
        if limit < 1 or not query.strip():
            return ()
        # The store's lock comes first, as in a write.
        with self._lock:
            return self._words.matching(
                user,
                query,
                limit=limit,
                kinds=kinds,
                load=lambda: self.records(user, status=MemoryStatus.ACTIVE),
                look=lambda ids: self.get(user, ids),
                revision=0 if self._connection.current() else self._ask("be read", self._revision),
            )

    def nearest(self, user: str, texts: Sequence[str], *, limit: int) -> tuple[Found, ...]:
        """Give `search` for several texts in one batch, over every kind."""
        wanted = where(user, status=MemoryStatus.ACTIVE)
        if limit < 1 or not texts:
            return tuple(() for _ in texts)
        self._held(user)
        vectors = self._embeddings.embed_documents(list(texts))
        held = self._held(user)
        if held:
            return tuple(held.nearest(user, vector, ())[:limit] for vector in vectors)
        return self._nearest(user, vectors, limit, wanted)

    def write(self, records: Sequence[MemoryRecord]) -> None:
        """Insert or replace records by id in one batch; a text that is stored already is not embedded again."""
        rows = {checked_user(record.user) and record.id: _storable(record, self.embedder) for record in records}
        if not rows:
            return
        known = self._vectors(rows)
        fresh = [row.text for row in rows.values() if row.text not in known]
        known.update(zip(fresh, self._embeddings.embed_documents(fresh), strict=True))

        def upsert(store: Chroma) -> None:
            with self._embeddings.reusing(known):
                store.add_texts(
                    [row.text for row in rows.values()], [metadata(row) for row in rows.values()], ids=list(rows)
                )
            self._connection.wrote()
            self._words.wrote(rows.values(), self._revision(store))
            self._people.wrote(rows.values(), known)

        self._ask("be written", upsert)

    def get(self, user: str, ids: Sequence[str]) -> tuple[MemoryRecord, ...]:
        """Give the person's records of these ids, in any status."""
        checked_user(user)
        # Not by a filter: Chroma looks a filter up in every row of the collection, and ids at once.
        if not ids:
            return ()
        if held := self._held(user):
            return held.records(ids=dict.fromkeys(ids))
        return tuple(record for record in self._rows(ids=[*dict.fromkeys(ids)]) if record.user == user)

    def of_turns(self, user: str, turns: Sequence[str]) -> tuple[MemoryRecord, ...]:
        """Give what the person said in these turns, in any status, oldest first."""
        if not turns:
            return ()
        if held := self._held(user):
            return held.records(turns=frozenset(turns))
        return self._rows({"$and": [where(user), {"turn": {"$in": list(turns)}}]})

    def records(self, user: str, *, status: MemoryStatus | None = None) -> tuple[MemoryRecord, ...]:
        """Give all of the person's records, oldest first."""
        held = self._held(user)
        return held.records(status=status) if held else self._rows(where(user, status=status))

    def delete(self, user: str, ids: Sequence[str]) -> int:
        """Remove the person's records of these ids and give how many there were."""
        theirs = [record.id for record in self.get(user, ids)]

        def remove(store: Chroma) -> None:
            if self._connection.folder is not None:
                overwrite(self._connection.client()[0], collection_name(self.embedder), theirs)
            for start in range(0, len(theirs), PAGE):
                store.delete(ids=theirs[start : start + PAGE])
            self._connection.wrote()
            self._people.drop(user)

        if theirs:
            self._ask("be deleted", remove)
            self._words.drop(user)
        return len(theirs)

    def vacuum(self) -> None:
        """Leave nothing of deleted memories in a folder's files; a server's files are its own."""

        def files_anew(_: Chroma) -> None:
            if self._connection.folder is not None:
                self._store = None
                erase(self._connection, self._connection.folder, collection_name(self.embedder))

        self._ask("be erased from its files", files_anew)

    def _nearest(
        self, user: str, vectors: Sequence[list[float]], limit: int, wanted: dict[str, Any]
    ) -> tuple[Found, ...]:
        def query(store: Chroma) -> tuple[Found, ...]:
            return tuple(found[:limit] for found in in_store(store, user, vectors, limit, wanted, self._large))

        return self._ask("be searched", query)

    def _held(self, user: str) -> WholePerson | None:
        """All that is kept of a person, where that is little and a folder tells whether anybody else wrote."""
        wanted = where(user)
        if self._connection.server:
            return None

        def read(store: Chroma) -> WholePerson | None:
            return self._people.of(user, lambda include: store.get(where=wanted, limit=LARGEST + 1, include=include))

        with self._lock:
            if user in self._people and self._connection.current():
                return self._people.of(user)
            return self._ask("be read", read)

    def _rows(self, wanted: dict[str, Any] | None = None, ids: list[str] | None = None) -> tuple[MemoryRecord, ...]:
        def read(store: Chroma) -> dict[str, MemoryRecord]:
            records: dict[str, MemoryRecord] = {}
            for page in pages(store.get, wanted, ids):
                rows = zip(page["ids"], page["documents"], page["metadatas"], strict=True)
                records.update((key, to_record(key, text, stored)) for key, text, stored in rows if text and stored)
            return records

        return in_order(self._ask("be read", read).values())

    def _vectors(self, rows: dict[str, MemoryRecord]) -> dict[str, list[float]]:
        """The vectors of those rows that are stored with the same text."""
        include = ["embeddings", "documents", "metadatas"]
        found = self._ask("be read", lambda store: store.get(ids=list(rows), include=include))
        known: dict[str, list[float]] = {}
        stored = zip(found["ids"], found["documents"], found["metadatas"], found["embeddings"], strict=True)
        for key, text, data, vector in stored:
            if data["user"] != rows[key].user:
                raise MemoryStoreError(f"The memory {key!r} belongs to another person.", "Nothing was written.")
            known[text] = [float(number) for number in vector]
        return known

    def _ask(self, what: str, action: Callable[[Chroma], Answer]) -> Answer:
        with self._lock:
            try:
                try:
                    return self._done(action)
                except NinefoldError:
                    raise
                except Exception:  # noqa: BLE001  chromadb raises whatever its engine or the wire raises
                    # The index may be behind another process's write that came between check and query: look once more.
                    self.close()
                    return self._done(action)
            except NinefoldError:
                raise
            except Exception as error:
                self.close()
                raise MemoryStoreError(
                    f"The memories in {self._connection} could not {what}: {type(error).__name__}: {error}.",
                    "Check the folder or the server; the turn goes on without them and nothing is lost.",
                ) from error

    def _done(self, action: Callable[[Chroma], Answer]) -> Answer:
        folder = self._connection.folder
        with alone(folder):
            answer = action(self._fresh())
            if folder is not None:
                # An index that is opened empty is written at once, with whatever lay in this process's memory.
                blank_rewritten(folder, self._seen)
        return answer

    def _revision(self, _store: Chroma) -> int:
        """What tells that another process wrote: a folder is opened anew then, a server has another number of rows."""
        if not self._connection.server:
            return 0
        client, _ = self._connection.client()
        return client.get_collection(collection_name(self.embedder), embedding_function=None).count()

    def _fresh(self) -> Chroma:
        client, anew = self._connection.client()
        if anew or self._store is None:
            self._words.drop()
            self._people.drop()
            self._store = open_collection(client, self._embeddings)
            self._connection.wrote()
        return self._store


def _storable(record: MemoryRecord, embedder: str) -> MemoryRecord:
    return record.model_copy(update={"text": clean(record.text), "embedder": embedder})
