"""How new statements meet what is known: the same again is no second row, a newer version takes the older one's place.

Law: merging the same statements into the rows of that merge changes no row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ninefold.state import Entry, MemoryRecord, MemoryStatus
from ninefold.state.memory import in_order

from .constraints import is_rule
from .memory_ids import folded, same_turn
from .negation import is_negated
from .subject import claims
from .values import exact_values

Near = Sequence[tuple[MemoryRecord, float]]


@dataclass
class Merge:
    """The rows to write, and what they mean."""

    rows: dict[str, MemoryRecord] = field(default_factory=dict)
    stored: list[str] = field(default_factory=list)
    """Ids of new rows."""
    superseded: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    """Ids of rows that were said again."""
    twins: dict[str, str] = field(default_factory=dict)
    """For each new record that only repeats a row, by their ids, that row."""


def merged(
    statements: Sequence[MemoryRecord], known: Sequence[MemoryRecord], near: Mapping[str, Near], *, same: float
) -> Merge:
    """Give what the statements change.

    Args:
        statements: new records, in any order.
        known: active records that may be about the same subjects.
        near: for each new record's id the active records nearest to it, with their cosine.
        same: the cosine at or above which two texts say the same, if they also agree in negation and exact values.
    """
    merge = Merge()
    active = {record.id: record for record in (*known, *(r for found in near.values() for r, _ in found))}
    for statement in in_order(statements):
        close = {record.id: score for record, score in near.get(statement.id, ())}
        if statement.id in active:
            continue
        twin = next((r for r in active.values() if says_the_same(r, statement, close.get(r.id, 0.0), same)), None)
        if twin is not None:
            merge.twins[statement.id] = twin.id
            if twin.seen != statement.created and twin.turn != statement.turn:
                active[twin.id] = merge.rows[twin.id] = twin.model_copy(update={"seen": statement.created})
                merge.repeated.append(twin.id)
            continue
        for old in [r for r in active.values() if is_replaced(r, statement)]:
            merge.rows[old.id] = old.model_copy(
                update={"status": MemoryStatus.SUPERSEDED, "superseded_by": statement.id}
            )
            merge.superseded.append(old.id)
            del active[old.id]
        active[statement.id] = merge.rows[statement.id] = statement
        merge.stored.append(statement.id)
    return merge


def says_the_same(old: MemoryRecord, new: MemoryRecord, score: float, same: float) -> bool:
    """Whether the new statement only repeats the old one; a negated twin and one with other values never do."""
    if folded(old.text) == folded(new.text):
        return True
    if score < same:
        return False
    return is_negated(old.text) == is_negated(new.text) and _values(old.text) == _values(new.text)


def is_replaced(old: MemoryRecord, new: MemoryRecord) -> bool:
    """Whether the new statement takes the old one's place: it is about the same subject, or says the opposite.

    What a model noted never takes the place of what the person said, and statements of one turn stand together: "all
    amounts in yuan, no dollars" are two rules under one key. A rule for all time gives way to another rule alone, or is
    taken back: the same said again in passing must not end it.
    """
    if same_turn(old, new) or (old.role == "user" and new.role != "user") or (is_rule(old) and not is_rule(new)):
        return False
    return bool(claims(old) & claims(new))


def without_placed(entries: Sequence[Entry], gone: Collection[str]) -> tuple[Entry, ...]:
    """Give the entries without the memories of these ids: what no longer holds leaves the prompt at once."""
    return tuple(
        entry.model_copy(update={"placed": tuple(p for p in entry.placed if p.id not in gone)})
        if any(placed.id in gone for placed in entry.placed)
        else entry
        for entry in entries
    )


def _values(text: str) -> frozenset[str]:
    return frozenset(value.canonical for value in exact_values(text))
