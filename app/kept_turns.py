"""What is kept of a session's turns: the state at the end of each, and every message in its original words."""

from __future__ import annotations

from collections.abc import Iterator

from ninefold.graph.migrations import Schema
from ninefold.policies.explaining import Spoken
from ninefold.state import InputError, StorageError
from ninefold.state.turn_state import TurnState

from .sessions import Place


def moments(place: Place, thread: str, user: str) -> list[TurnState]:
    """Give the state at the end of each kept turn of the thread's branch, oldest first; a damaged one is left out.

    Raises:
        InputError: the person has no such session.
        SchemaError: a turn was written with a schema that this release does not know.
        StorageError: the database failed.
    """
    from ninefold.adapters.checkpoints.lineage import branch_of

    schema = Schema()
    found: dict[str, TurnState] = {}
    for row in branch_of(place.rows(thread, user)):
        if row.turn in found:
            continue
        try:
            stored = place.tuple(thread, row.id)
        except StorageError:
            continue
        if stored is None:
            continue
        values = schema.typed(schema.migrate(stored.checkpoint["channel_values"]))
        moment = TurnState(**{name: values[name] for name in TurnState.model_fields if name in values})
        if moment.turn is not None:
            found[moment.turn.id] = moment
    return [*reversed(found.values())]


def moments_until(place: Place, thread: str, user: str, turn: int | None = None) -> list[TurnState]:
    """Give the kept turns up to one, which stands last; None is the last turn there is.

    Raises:
        InputError: the person has no such session, or the turn is not kept.
        StorageError: the database failed.
    """
    every = moments(place, thread, user)
    kept = [moment for moment in every if turn is None or number(moment) <= turn]
    if not kept or (turn is not None and number(kept[-1]) != turn):
        turns = f"{number(every[0])}–{number(every[-1])}" if every else "–"
        raise InputError(*place.words.refusal("explain.no_turn", thread=thread, turn=turn or 0, turns=turns))
    return kept


def said(place: Place, thread: str, now: TurnState) -> Iterator[Spoken]:
    """Give every message of the branch up to a turn: the archive's, then what only the window holds.

    Raises:
        StorageError: the archive failed.
    """
    from ninefold.adapters.archive import branch, turn_messages

    assert now.turn is not None
    entries = {entry.message: entry for entry in now.entries}
    left = {message.id or "": message for message in now.messages}
    for turn, row in branch(place.store, thread, now.turn.id, now.turn.parent):
        kept = [*turn_messages(place.store, thread, turn)]
        archived = {message.id for message in kept}
        # What was forgotten leaves the archive; its mark stands in the window, and belongs where the words stood.
        for entry in sorted((e for e in now.entries if e.turn == turn), key=lambda each: each.sequence):
            if entry.message in left and entry.message not in archived:
                kept.insert(entry.sequence, left[entry.message])
        for message in kept:
            left.pop(message.id or "", None)
            yield Spoken(int(row["number"]), turn, message)
    for name, message in left.items():
        yield Spoken(now.turn.number, entries[name].turn if name in entries else now.turn.id, message)


def number(moment: TurnState) -> int:
    """Give the number of a moment's turn, 0 before the first."""
    return moment.turn.number if moment.turn else 0
