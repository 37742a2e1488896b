"""An archive that also knows what is still only in the window."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from ninefold.nodes.ports import Archive
from ninefold.policies.text import plain_text
from ninefold.state import Entry, Turn, reference_id
from ninefold.state.turn_state import TurnState


class WindowArchive:
    """A thread's archive; a reference to a message of the present turn, which is not archived yet, is expanded too."""

    def __init__(self, archive: Archive, state: TurnState) -> None:
        self._archive = archive
        self._state = state

    def record(self, turn: Turn, messages: Sequence[tuple[Entry, BaseMessage]]) -> None:
        """Keep originals under their turn and sequence."""
        self._archive.record(turn, messages)

    def original(self, entry: Entry) -> BaseMessage | None:
        """Give the original of a window message, or None when it was forgotten on request."""
        return self._archive.original(entry)

    def expand(self, reference: str) -> str:
        """Give the whole original text behind a reference."""
        for entry in self._state.entries:
            whole = not entry.archived and not entry.compacted
            if whole and reference_id(entry.turn, entry.sequence) == reference:
                return next(plain_text(m) for m in self._state.messages if m.id == entry.message)
        return self._archive.expand(reference)

    def cached(self, key: str) -> str | None:
        """Give a prepared text by its content address, or None."""
        return self._archive.cached(key)

    def cache(self, key: str, text: str) -> None:
        """Keep a prepared text under its content address."""
        self._archive.cache(key, text)


def branch_ends(state: TurnState) -> tuple[str, ...]:
    """Give the turns before the present one that the window knows, newest first; one that died may not be archived."""
    assert state.turn is not None
    known = dict.fromkeys([state.turn.parent, *(entry.turn for entry in reversed(state.entries))])
    return tuple(turn for turn in known if turn is not None and turn != state.turn.id)
