"""A memory as a document of Elasticsearch, and the filters by which it is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ninefold.state import MemoryKind, MemoryRecord, MemoryStatus

from .rows import checked_user, metadata, scopes, to_record

VECTOR = "vector"
"""The field of the vector; it is never read back but to be kept with an unchanged text."""

Body = dict[str, Any]


def fields(dimension: int) -> Body:
    """Give the mapping: what is filtered and sorted by, and the vector; the rest is only kept."""
    keywords = {name: {"type": "keyword"} for name in ("key", "user", "scope", "turn")}
    vector = {"type": "dense_vector", "dims": dimension, "index": True, "similarity": "cosine"}
    return {**keywords, "created_at": {"type": "double"}, VECTOR: vector}


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
