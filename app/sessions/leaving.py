"""A session as a file that another machine can take in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .place import Place, memories

if TYPE_CHECKING:
    from .session_file import Line


def export_session(place: Place, thread: str, user: str, *, with_secrets: bool = False) -> Iterator[str]:
    """Give a session as JSON lines: its branch's archive, its state field by field, and the memories that it left.

    The archive is read turn by turn, so that memory does not grow with the session. Keys, passwords and card numbers
    are masked unless asked for: the file leaves the folder that only its owner can read. A turn that has not ended goes
    as its words: said something new, both are answered. The turns that could be gone back to stay behind.

    Raises:
        InputError: the person has no such session.
        StorageError: a database failed, or the last turn is damaged.
        MemoryStoreError: the memory store failed.
        ThreadBusy: a turn runs on it.
    """
    from ninefold.adapters.archive import branch
    from ninefold.state.turn_state import TurnState

    from .session_file import head, written

    with place.held(thread):
        place.rows(thread, user)
        values = place.values(thread)
        turn = values.get("turn") or {}
        rows = branch(place.store, thread, turn.get("id"), turn.get("parent"))
        fields = {name: value for name, value in values.items() if name in TurnState.model_fields}
        fields["messages"] = [*values.get("messages", ()), *_unstarted(values)]

        def lines() -> Iterator[Line]:
            yield head(thread, user, turn.get("number", 0), with_secrets=with_secrets)
            yield from _archived(place, thread, rows)
            yield from _state(fields)
            for record in memories(place, user, thread):
                yield {"kind": "memory", "record": record.model_dump(mode="json", exclude_none=True)}

        ids = frozenset({row[0] for row in rows} | {str(message.id) for message in fields["messages"]})
        yield from written(lines(), None if with_secrets else ids)


def _archived(place: Place, thread: str, rows: list[tuple[str, dict[str, Any]]]) -> Iterator[Line]:
    from ninefold.adapters.archive.whole_thread import stored_messages

    for turn, row in rows:
        yield {"kind": "turn", "id": turn, "row": row}
        for _, sequence, value in stored_messages(place.store, thread, [(turn, row)]):
            yield {"kind": "message", "turn": turn, "place": sequence, "row": value}


def _state(fields: Mapping[str, Any]) -> Iterator[Line]:
    from ninefold.adapters.archive.message_json import to_json

    for name, value in fields.items():
        stored = [to_json(message) for message in value] if name == "messages" else value
        yield {"kind": "state", "field": name, "value": stored}


def _unstarted(values: Mapping[str, Any]) -> list[Any]:
    """Give the messages of a turn that died before its first step."""
    given = values.get("__start__")
    return [*given.get("messages", ())] if isinstance(given, Mapping) else []
