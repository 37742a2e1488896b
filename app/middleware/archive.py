"""The agent's own messages as the archive that compaction and its proof read."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from ninefold.policies.text import plain_text
from ninefold.state import Entry, ReferenceNotFound, Turn, reference_id

from .history import sequence_of, turns_of


class MessageArchive:
    """A thread's history as the agent's state holds it; nothing of it is ever written.

    Args:
        history: what `history_of` gives.
    """

    def __init__(self, history: Sequence[BaseMessage]) -> None:
        self._history = history
        self._known = {message.id: message for message in history}
        self._prepared: dict[str, str] = {}

    def record(self, turn: Turn, messages: Sequence[tuple[Entry, BaseMessage]]) -> None:
        """Change nothing: the agent's checkpoint keeps every message."""

    def original(self, entry: Entry) -> BaseMessage | None:
        """Give the original of a window message, or None when it was taken out of the agent's state."""
        return self._known.get(entry.message)

    def expand(self, reference: str) -> str:
        """Give the whole original text behind a reference.

        Raises:
            ReferenceNotFound: no such reference in this thread.
        """
        for message, turn in zip(self._history, turns_of(self._history), strict=True):
            if reference_id(turn, sequence_of(message.id or "")) == reference:
                return plain_text(message)
        raise ReferenceNotFound(
            f"No text stands behind {reference!r} in this thread.", "Use a reference as it stands in the conversation."
        )

    def cached(self, key: str) -> str | None:
        """Give a text prepared within this call by its content address, or None."""
        return self._prepared.get(key)

    def cache(self, key: str, text: str) -> None:
        """Keep a prepared text for as long as this call takes."""
        self._prepared[key] = text
