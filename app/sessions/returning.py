"""A session taken in from a file; nothing is written before every line of it is known to be good."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ninefold.state import IdentityError

from .place import Place

if TYPE_CHECKING:
    from .incoming import Incoming


@dataclass(frozen=True)
class Imported:
    """What a file brought."""

    thread: str
    turns: int
    memories: int
    """Memories that were new; known ones stay as they are."""
    memory_off: bool = False
    """Whether there were memories and the agent keeps none."""


def import_session(place: Place, file: Path, user: str, *, new: str | None = None) -> Imported:
    """Take in a session from an export, under its own name or a new one, and say what it brought.

    Law: a file that is cut, changed or of an unknown version changes nothing. The archive is written first and the
    checkpoint last, so that an import which was killed can be made again.

    Raises:
        InputError: a line is no part of a session, or the name is taken.
        IdentityError: it is another person's session.
        SchemaError: it is of a version that this release does not know.
        StorageError: the file cannot be read, or a database failed.
        MemoryStoreError: the memory store failed.
        ThreadBusy: a turn runs under this name.
    """
    from .incoming import checked

    found = checked(place.words, file)
    if found.user != user:
        raise IdentityError(*place.words.refusal("sessions.import_user", file=file, user=user, owner=found.user))
    thread = new or found.thread
    with place.held(thread):
        place.free(thread)
        _write_archive(place, file, thread)
        known = _write_memories(place, found, user, thread)
        _write_state(place, found, thread)
    off = bool(found.memories) and known is None
    return Imported(thread, found.turns, known or 0, memory_off=off)


def _write_archive(place: Place, file: Path, thread: str) -> None:
    """Write a turn at a time."""
    from ninefold.adapters.archive.whole_thread import put_turns

    from .incoming import lines_of

    turn: tuple[str, dict[str, Any]] | None = None
    messages: list[tuple[str, int, dict[str, Any]]] = []
    for _, line in lines_of(place.words, file):
        match line["kind"]:
            case "message":
                messages.append((line["turn"], line["place"], line["row"]))
            case "session":
                pass
            case kind:
                if turn is not None:
                    put_turns(place.store, thread, [turn], messages)
                turn, messages = ((line["id"], line["row"]), []) if kind == "turn" else (None, [])


def _write_memories(place: Place, found: Incoming, user: str, thread: str) -> int | None:
    """Write the memories that are not known yet and give how many; None where the agent keeps none."""
    if not found.memories:
        return 0
    memory = place.memory(True)
    if memory is None:
        return None
    known = {record.id for record in memory.get(user, [record.id for record in found.memories])}
    new = [record.model_copy(update={"thread": thread}) for record in found.memories if record.id not in known]
    if new:
        memory.write(new)
    return len(new)


def _write_state(place: Place, found: Incoming, thread: str) -> None:
    """Write one checkpoint that holds the state as a finished turn leaves it."""
    from langgraph.checkpoint.base import CheckpointMetadata, empty_checkpoint

    from ninefold.adapters.checkpoints.lineage import AT, TURN, USER, at

    versions = {name: place.saver.get_next_version(None, None) for name in found.state}
    checkpoint = {**empty_checkpoint(), "channel_values": found.state, "channel_versions": versions}
    turn = found.state.get("turn") or {}
    stamp = {TURN: turn["id"], AT: turn["at"], USER: found.user} if turn else {USER: found.user}
    metadata = cast("CheckpointMetadata", {"source": "update", "step": turn.get("number", 0), "parents": {}, **stamp})
    place.saver.put(at(thread), cast("Any", checkpoint), metadata, versions)
