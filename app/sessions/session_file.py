"""The file of an exported session: JSON lines, the versions in the first, the count of lines in the last."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from ninefold.adapters.archive import keys
from ninefold.policies.secrets import masked
from ninefold.state.turn_state import SCHEMA_VERSION

FORMAT = 1
"""The version of the file's own lines; a change of shape raises it."""
VERSIONS = {"format": FORMAT, "schema": SCHEMA_VERSION, "archive": keys.SCHEMA}
"""What the first line says of the file, of the state in it and of the archive rows in it."""

Line = dict[str, Any]

_IDS = frozenset(
    {"id", "at", "created", "created_at", "embedder", "key", "kind", "name", "parent", "reference", "role", "thread"}
    | {"message", "owner", "subject", "superseded_by", "tool_call_id", "turn", "type", "user"}
)
"""The names of what is no text of anybody's: masking these would part what belongs together."""


class Kind(StrEnum):
    """What a line holds."""

    SESSION = "session"
    TURN = "turn"
    MESSAGE = "message"
    STATE = "state"
    MEMORY = "memory"
    END = "end"


def head(thread: str, user: str, turns: int, *, with_secrets: bool) -> Line:
    """Give the first line."""
    return {
        "kind": Kind.SESSION,
        "ninefold": VERSIONS,
        "thread": thread,
        "user": user,
        "turns": turns,
        "secrets": "kept" if with_secrets else "masked",
    }


def written(lines: Iterable[Line], ids: frozenset[str] | None) -> Iterator[str]:
    """Give lines as text, and the last line behind them.

    Args:
        lines: the first line and all that follow it.
        ids: texts that are no secrets, whatever they look like; None masks nothing.
    """
    count = 0
    for line in lines:
        count += 1
        yield _text(line if ids is None else _without_secrets(line, ids))
    yield _text({"kind": Kind.END, "lines": count})


def _text(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"


def _without_secrets(value: Any, ids: frozenset[str]) -> Any:
    match value:
        case str():
            return value if value in ids else masked(value)
        case dict():
            return {
                name: item if name in _IDS and isinstance(item, str) else _without_secrets(item, ids)
                for name, item in value.items()
            }
        case list() | tuple():
            return [_without_secrets(item, ids) for item in value]
        case _:
            return value
