"""What a model may keep on its own account: findings, marked as its own; never a preference, never an instruction."""

from __future__ import annotations

from ninefold.state import MemoryKind, MemoryRecord

from .cues import cues
from .memory_ids import memory_id
from .secrets import masked
from .write_judge import LONGEST

_ALLOWED = (MemoryKind.DECISION, MemoryKind.TODO, MemoryKind.FACT, MemoryKind.KNOWLEDGE, MemoryKind.CONFIG)


def note(
    content: str, kind: str, *, user: str, thread: str, turn: str, at: str, sequence: int = 0
) -> MemoryRecord | None:
    """Give the record of a model's note, or None when it is empty or would instruct later sessions.

    What stands in a tool's result or in the model's own words never becomes the person's preference: an order that hid
    there would otherwise come back in every later session.
    """
    text = masked(" ".join(content.split())[:LONGEST])
    section = cues("memory_cues")
    if not text or section["instruction"].search(text):
        return None
    known = [each for each in _ALLOWED if each.value == kind.strip().casefold()]
    return MemoryRecord(
        id=memory_id(user, thread, text),
        user=user,
        kind=known[0] if known else MemoryKind.FACT,
        text=text,
        created=at,
        sequence=sequence,
        thread=thread,
        turn=turn,
        role="assistant",
    )
