"""A memory as a document of Elasticsearch, its index, and the filters by which it is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ninefold.state import MemoryKind, MemoryRecord, MemoryStatus

from .rows import checked_user, metadata, scopes, to_record

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

VECTOR = "vector"
"""The field of the vector; it is never read back but to be kept with an unchanged text."""
_HIDDEN = "index.mapping.exclude_source_vectors"
"""From 9.2 on a server leaves vectors out of what it gives back unless this is False; one before refuses it."""

Body = dict[str, Any]


def fields(dimension: int) -> Body:
    """Give the mapping: what is filtered and sorted by, and the vector; the rest is only kept."""
    keywords = {name: {"type": "keyword"} for name in ("key", "user", "scope", "turn")}
    vector = {"type": "dense_vector", "dims": dimension, "index": True, "similarity": "cosine"}
    return {**keywords, "created_at": {"type": "double"}, VECTOR: vector}


def make_index(client: Elasticsearch, name: str, embedder: str, dimension: int) -> None:
    """Make the index of an embedder, unless another process has just made it."""
    from elasticsearch import BadRequestError

    about = {"embedder": embedder, "dimension": dimension}
    mappings = {"dynamic": False, "_meta": about, "properties": fields(dimension)}
    for settings in ({_HIDDEN: False}, {}):
        try:
            client.indices.create(index=name, mappings=mappings, settings=settings)
            return
        except BadRequestError as error:
            if error.error == "resource_already_exists_exception":
                return
            if not settings or _HIDDEN not in str(error):
                raise


def whole(user: str) -> list[Body]:
    """Give the filter for all of a person's rows."""
    return [{"term": {"user": checked_user(user)}}]


def active(user: str, kinds: Sequence[MemoryKind] = ()) -> list[Body]:
    """Give the filter for a person's active rows of these kinds; no kinds mean all."""
    return [{"terms": {"scope": scopes(checked_user(user), kinds, MemoryStatus.ACTIVE)}}]


def body_of(record: MemoryRecord, vector: Sequence[float]) -> Body:
    """Give the document of a memory."""
    return {**metadata(record), "key": record.id, "text": record.text, VECTOR: list(vector)}


def record_of(hit: Mapping[str, Any]) -> MemoryRecord:
    """Give the memory of a hit."""
    source = hit["_source"]
    return to_record(source["key"], source["text"], source)


def checked(answer: Any) -> None:
    """Raise for the first operation of a batch that the server refused.

    Raises:
        RuntimeError: it names the document and the reason.
    """
    for item in answer["items"]:
        for done in item.values():
            if done.get("error"):
                raise RuntimeError(f"{done['_id']}: {done['error']}")


def host(url: str) -> str:
    """Give the server without a password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{parts.port or 9200}"
