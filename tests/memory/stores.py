"""The memory stores that keep one contract, and a record to begin from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ninefold.nodes.ports import MemoryStore
from ninefold.state import MemoryKind, MemoryRecord

from .bag_of_words import BagOfWords

STAMP = "test:bag-of-words"
Driver = TypeVar("Driver", bound=MemoryStore)
Opener = Callable[[BagOfWords], MemoryStore]
PLACES: dict[int, Path | str] = {}
"""Where each opened store keeps its memories, for a second client."""


def at(place: Path | str, store: Driver) -> Driver:
    PLACES[id(store)] = place
    return store


def a_record(text: str, **changed: Any) -> MemoryRecord:
    values: dict[str, Any] = {
        "id": f"m-{text}"[:60],
        "user": "ann",
        "kind": MemoryKind.FACT,
        "text": text,
        "created": "2026-03-01T10:00:00+08:00",
        "thread": "t1",
        "turn": "turn-1",
        "embedder": STAMP,
    }
    return MemoryRecord(**{**values, **changed})
