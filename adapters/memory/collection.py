"""The collection of one embedding model: cosine asked for and checked, its stamp in the metadata, never mixed."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from ninefold.state import EmbedderMismatch

from .vectors import CheckedEmbeddings

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from langchain_chroma import Chroma

PREFIX = "ninefold-memories"
_REEMBED = "Set the embedding model that wrote them, or run `ninefold memory reembed`."


def collection_name(stamp: str) -> str:
    """Give the name of a stamp's collection: readable, of characters Chroma takes, and different for every stamp."""
    readable = re.sub(r"[^a-zA-Z0-9]+", "-", stamp).strip("-")[:40].strip("-")
    digest = hashlib.sha256(stamp.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return "-".join(part for part in (PREFIX, readable, digest) if part)


def open_collection(client: ClientAPI, embeddings: CheckedEmbeddings, *, retired: bool = False) -> Chroma:
    """Give the collection of this embedder, made when there is none.

    Args:
        client: of the folder or the server.
        embeddings: the embedder; it learns the dimension of what is stored.
        retired: also open it when another embedder's collection is the current one, to move memories over.

    Raises:
        EmbedderMismatch: another embedder wrote the memories that are here, or the distance is not cosine.
    """
    from langchain_chroma import Chroma

    name = collection_name(embeddings.stamp)
    if not retired:
        _check_others(client, embeddings.stamp, name)
    store = Chroma(
        client=client,
        collection_name=name,
        embedding_function=embeddings,
        collection_metadata={"embedder": embeddings.stamp},
        collection_configuration={"hnsw": {"space": "cosine"}},
    )
    _check_own(client, embeddings, name)
    return store


def current_collections(client: ClientAPI) -> dict[str, str]:
    """Give the collections of ours that hold current memories: name → stamp of the embedder."""
    found: dict[str, str] = {}
    for collection in client.list_collections():
        metadata = collection.metadata or {}
        if collection.name.startswith(PREFIX) and not metadata.get("retired") and collection.count():
            found[collection.name] = str(metadata.get("embedder", ""))
    return found


def measure(client: ClientAPI, name: str) -> str:
    """Give the distance that a collection measures: cosine, l2 or ip."""
    configuration: Any = client.get_collection(name, embedding_function=None).configuration
    index = configuration.get("hnsw") or configuration.get("spann") or {}
    return str(index.get("space", ""))


def _check_others(client: ClientAPI, stamp: str, name: str) -> None:
    current = current_collections(client)
    if current and name not in current:
        others = " and ".join(repr(other) for other in current.values())
        raise EmbedderMismatch(f"The memories here were embedded by {others}, not by {stamp!r}.", _REEMBED)


def _check_own(client: ClientAPI, embeddings: CheckedEmbeddings, name: str) -> None:
    collection = client.get_collection(name, embedding_function=None)
    stamp = (collection.metadata or {}).get("embedder")
    space = measure(client, name)
    if space != "cosine":
        raise EmbedderMismatch(
            f"The collection {name!r} measures {space!r}, not cosine.",
            "Run `ninefold memory reembed`.",
        )
    if stamp != embeddings.stamp:
        raise EmbedderMismatch(
            f"The collection {name!r} was embedded by {stamp!r}, not by {embeddings.stamp!r}.", _REEMBED
        )
    sample: Any = collection.get(limit=1, include=["embeddings"])["embeddings"]
    if sample is not None and len(sample):
        embeddings.check_dimension(len(sample[0]))
