"""The memory stores that keep one contract, and a record to begin from."""

from typing import Any

from ninefold.state import MemoryKind, MemoryRecord

STAMP = "test:bag-of-words"


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
