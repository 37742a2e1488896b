"""Moves the memories to another embedding model: from their stored text, and without deleting what was there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.embeddings import Embeddings

from ninefold.state import MemoryStoreError, NinefoldError

from . import ELASTICSEARCH
from .collection import collection_name, current_collections, measure, open_collection
from .connection import Connection
from .erasing import alone
from .rows import metadata, to_record
from .vectors import CheckedEmbeddings

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

PAGE = 256
"""Memories embedded at a time."""


def reembed(place: Path | str, embeddings: Embeddings, stamp: str, *, timeout: float = 60) -> int:
    """Embed every memory of a place anew and give how many there are.

    The old collections are kept, marked as retired; running it again after an interruption begins anew.

    Raises:
        MemoryStoreError: the store or the embedder failed; the old collection is still the current one then.
    """
    if str(place).startswith(ELASTICSEARCH):
        raise MemoryStoreError(
            "Memories in Elasticsearch are not embedded anew by this release.",
            "Set the embedding model that wrote them.",
        )
    connection = Connection(place, timeout=timeout)
    try:
        client, _ = connection.client()
        return _moved(client, CheckedEmbeddings(embeddings, stamp), connection.folder)
    except NinefoldError:
        raise
    except Exception as error:
        raise MemoryStoreError(
            f"The memories in {connection} could not be embedded anew: {type(error).__name__}: {error}.",
            "The old ones are still there; run `ninefold memory reembed` again.",
        ) from error
    finally:
        connection.close()


def _moved(client: ClientAPI, embeddings: CheckedEmbeddings, folder: Path | None) -> int:
    name = collection_name(embeddings.stamp)
    sources = [_set_aside(client, source) if source == name else source for source in _to_move(client, name)]
    store = open_collection(client, embeddings, retired=True)
    kept: set[str] = set()
    for source in sources:
        for page in _pages(client.get_collection(source, embedding_function=None)):
            rows = list(zip(page["ids"], page["documents"], page["metadatas"], strict=True))
            whole = [
                to_record(key, text, {**data, "embedder": embeddings.stamp})
                for key, text, data in rows
                if text and data
            ]
            texts = [row.text for row in whole]
            vectors = dict(zip(texts, embeddings.embed_documents(texts), strict=True))
            with alone(folder), embeddings.reusing(vectors):
                store.add_texts(texts, [metadata(row) for row in whole], ids=[row.id for row in whole])
            kept.update(row.id for row in whole)
    target = client.get_collection(name, embedding_function=None)
    if sources:
        stale = [key for page in _pages(target) for key in page["ids"] if key not in kept]
        if stale:  # forgotten since this model was last the current one: it must not come back
            with alone(folder):
                target.delete(ids=stale)
    target.modify(metadata={"embedder": embeddings.stamp, "retired": False})
    for source in sources:
        old = client.get_collection(source, embedding_function=None)
        old.modify(metadata={**(old.metadata or {}), "retired": True})
    return target.count()


def _to_move(client: ClientAPI, name: str) -> list[str]:
    """The current collections but for our own, which is among them only when it does not measure cosine."""
    return [source for source in current_collections(client) if source != name or measure(client, source) != "cosine"]


def _set_aside(client: ClientAPI, name: str) -> str:
    """Give our collection another name, because a distance cannot be changed."""
    other = f"{name}-{measure(client, name)}"
    client.get_collection(name, embedding_function=None).modify(name=other)
    return other


def _pages(collection: Collection) -> Iterator[dict[str, Any]]:
    for offset in range(0, collection.count(), PAGE):
        yield dict(collection.get(limit=PAGE, offset=offset, include=["documents", "metadatas"]))
