"""The id of a memory: from user, turn and content, so that writing the same again writes one row."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata

from ninefold.state import Constraint, MemoryRecord, Origin

from .secrets import masked

_MARKS = re.compile(r"[\W_]+")


def memory_id(user: str, turn: str, content: str) -> str:
    """Give the id of what a person said in a turn; the same three give the same id in every process."""
    key = json.dumps([user, turn, folded(content)])
    return f"m{hashlib.sha256(key.encode()).hexdigest()[:24]}"


def record_id(constraint: Constraint, user: str) -> str:
    """Give the id of the memory that keeps a rule for all time."""
    if constraint.origin is Origin.PREFERENCE:
        return constraint.message
    return constraint.record or memory_id(user, constraint.turn, masked(constraint.words))


def folded(text: str) -> str:
    """Give a text as it compares: one width, one case, no marks and blanks; NFD and full-width twins are one."""
    return _MARKS.sub("", unicodedata.normalize("NFKC", text).casefold())


def same_turn(one: MemoryRecord, other: MemoryRecord) -> bool:
    """Whether two statements were made in one turn; what is said in one breath stands together."""
    return (one.thread, one.turn, one.sequence) == (other.thread, other.turn, other.sequence)
