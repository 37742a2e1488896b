"""A memory that a person corrects by hand."""

from __future__ import annotations

from ninefold.nodes.ports import MemoryStore
from ninefold.policies.memory_ids import folded, memory_id
from ninefold.policies.secrets import masked
from ninefold.state import InputError, MemoryRecord, MemoryStatus

LONGEST = 2000
"""Characters of a correction."""


def corrected(memory: MemoryStore, user: str, id: str, words: str, at: str) -> MemoryRecord:  # noqa: A002
    """Put a person's own words in a memory's place, and give the memory that holds them.

    The old one is superseded by it, as by a newer statement: it leaves every prompt at the next turn.

    Args:
        memory: where it is kept.
        user: whose it is.
        id: the memory's id.
        words: what the person says in its place; keys, passwords and card numbers are masked in it.
        at: when: ISO 8601 with offset.

    Raises:
        InputError: there is no such memory, or the words say nothing else.
        MemoryStoreError: the store failed.
    """
    old = next(iter(memory.get(user, [id])), None)
    if old is None or old.status is not MemoryStatus.ACTIVE:
        raise InputError("There is no such memory any more.", "List them anew.")
    text = masked(words.strip())
    if not folded(text) or folded(text) == folded(old.text):
        raise InputError("The correction says nothing else than the memory.", "Write what holds in its place.")
    if len(text) > LONGEST:
        raise InputError(
            f"The correction is {len(text)} characters; a memory holds {LONGEST}.", "Write the sentence that matters."
        )
    new = old.model_copy(
        update={
            "id": memory_id(user, old.turn, text),
            "text": text,
            "description": "",
            "created": at,
            "role": "user",
            "hits": 0,
            "last_hit": None,
            "seen": None,
            "embedder": memory.embedder,
        }
    )
    gone = old.model_copy(update={"status": MemoryStatus.SUPERSEDED, "superseded_by": new.id})
    memory.write([gone, new])
    return new
