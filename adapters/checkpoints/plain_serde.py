"""Stores our values as plain data, so that a checkpoint outlives the classes that wrote it."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from enum import Enum
from typing import Any, cast

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Interrupt
from pydantic import BaseModel

from ..encryption import refuse_sealed

OURS = "ninefold."
ZLIB = "+zlib"
"""The end of a type tag whose bytes are compressed."""
AES = "+aes"
"""The end of a type tag whose bytes are encrypted."""
_BARE = frozenset({str, int, float, bool, bytes, type(None)})
REMEMBERED = 512
"""Values whose plain form is kept for the next step."""
SMALL = 1024
"""Bytes below which compressing saves nothing worth its time."""


def plain(value: Any) -> Any:
    """Give the value with every one of our models and enums in it as plain data; everything else is left as it is.

    Law: no name of a module of ours is in `dumps(plain(value))`, and a container keeps its type.
    """
    if isinstance(value, Enum):
        return value.value if _ours(value) else value
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json") if _ours(value) else value
    if isinstance(value, Interrupt):
        return Interrupt(value=plain(value.value), id=value.id)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if type(value) is tuple:
        return tuple(plain(item) for item in value)
    return value


class PlainSerde(JsonPlusSerializer):
    """LangGraph's serialiser with an empty allow-list, given plain data only.

    Messages stay LangChain's own; our values come back as dicts, lists and strings, and `ninefold.graph.migrations`
    makes them typed again. What is longer than `SMALL` bytes is compressed: a state is mostly text, and every step of a
    turn writes it whole. It is a JsonPlusSerializer, because LangGraph's strict mode extends the allow-list of no
    other.

    Args:
        inner: a serialiser that does the writing, such as an encrypting one; None for JsonPlusSerializer's own way.
    """

    def __init__(self, inner: SerializerProtocol | None = None) -> None:
        super().__init__(allowed_msgpack_modules=None)
        self._made: dict[int, tuple[BaseModel, Any]] = {}
        self._inner = None if type(inner) is JsonPlusSerializer else inner

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Give the type tag and the bytes of a value."""
        bare = self._plain(obj)
        return _packed(*super().dumps_typed(bare)) if self._inner is None else self._inner.dumps_typed(bare)

    def _plain(self, value: Any) -> Any:
        """Give what `plain` gives; a model of ours that was written before is not taken apart again.

        Every step writes the whole state, and most of it is what the step before has written: the same frozen objects.
        They are held here, so that no other can have taken their place in memory.
        """
        if type(value) in _BARE:
            return value
        if isinstance(value, dict):
            return {key: self._plain(item) for key, item in value.items()}
        if type(value) is tuple:
            return tuple(self._plain(item) for item in value)
        if not isinstance(value, BaseModel) or not value.model_config.get("frozen"):
            return plain(value)
        known = self._made.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        made = plain(value)
        if len(self._made) >= REMEMBERED:
            self._made.clear()
        self._made[id(value)] = (value, made)
        return made

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Give the value behind a type tag and bytes; ours as plain data.

        Raises:
            StorageError: it was encrypted, and there is no key for it.
        """
        if self._inner is not None and not data[0].endswith(ZLIB):
            return self._inner.loads_typed(data)
        if data[0].endswith(AES):
            refuse_sealed(data[0])
        return super().loads_typed(_unpacked(*data))

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[tuple[str, ...] | type]) -> PlainSerde:
        """Give this serialiser with more foreign types allowed; types of ours stay out, since none is ever stored."""
        foreign = [name for name in extra_allowlist if not _module(name).startswith(OURS)]
        return cast("PlainSerde", super().with_msgpack_allowlist(foreign))


def _packed(tag: str, data: bytes) -> tuple[str, bytes]:
    return (tag, data) if len(data) <= SMALL else (tag + ZLIB, zlib.compress(data, level=1))


def _unpacked(tag: str, data: bytes) -> tuple[str, bytes]:
    return (tag.removesuffix(ZLIB), zlib.decompress(data)) if tag.endswith(ZLIB) else (tag, data)


def _ours(value: object) -> bool:
    return type(value).__module__.startswith(OURS)


def _module(name: tuple[str, ...] | type) -> str:
    return name.__module__ if isinstance(name, type) else name[0]
