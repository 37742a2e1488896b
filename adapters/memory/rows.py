"""A memory as a row: its text, and metadata of scalars only, because Chroma takes nothing else.

Law: `to_record(id, text, metadata(record)) == record` for every record.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from ninefold.state import MemoryKind, MemoryRecord, MemoryStatus, MemoryStoreError
from ninefold.state.memory import instant

_FIELDS = frozenset(MemoryRecord.model_fields) - {"id", "text"}

Scalar = str | int | float | bool
Where = dict[str, Any]
Found = tuple[tuple[MemoryRecord, float], ...]
"""Rows that answer a question, each with its score, the best first."""


def metadata(record: MemoryRecord) -> dict[str, Scalar]:
    """Give everything but id and text; what is None is left out, and the time also stands as a number for ranges."""
    dumped = record.model_dump(mode="json", exclude={"id", "text"}, exclude_none=True)
    return {**dumped, "created_at": instant(record.created), "scope": _scope(record.user, record.kind, record.status)}


def to_record(key: str, text: str, stored: Mapping[str, Any]) -> MemoryRecord:
    """Give the record of a row; what another program added to it is left aside."""
    return MemoryRecord.model_validate({"id": key, "text": text, **{k: v for k, v in stored.items() if k in _FIELDS}})


def where(user: str, *, kinds: Sequence[MemoryKind] = (), status: MemoryStatus | None = None) -> Where:
    """Give Chroma's filter for one person's rows; kinds narrow it only together with a status.

    Raises:
        MemoryStoreError: there is no person to filter by; a search without one would show everybody's rows.
    """
    checked_user(user)
    if status is None:
        return {"user": {"$eq": user}}
    return {"scope": {"$in": scopes(user, kinds, status)}}


def scopes(user: str, kinds: Sequence[MemoryKind], status: MemoryStatus) -> list[str]:
    """Give what the scope of a person's rows of these kinds and this status is; no kinds mean all."""
    return [_scope(user, kind, status) for kind in kinds or MemoryKind]


def _scope(user: str, kind: MemoryKind, status: MemoryStatus) -> str:
    """User, kind and status in one value: Chroma takes four times as long to intersect three tests."""
    return f"{kind.value}/{status.value}/{user}"


def checked_user(user: str) -> str:
    """Give the user id back.

    Raises:
        MemoryStoreError: it is empty or no text; such a search is refused, never answered without a filter.
    """
    if not isinstance(user, str) or not user.strip() or any(unicodedata.category(c) in ("Cc", "Cs") for c in user):
        raise MemoryStoreError(f"The user id {user!r} cannot be filtered by.", "Give the id of one person.")
    return user
