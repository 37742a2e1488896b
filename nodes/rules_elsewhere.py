"""What became of a thread's rules for all time, on whichever thread: asked of the memories that keep them."""

from __future__ import annotations

from collections.abc import Sequence

from ninefold.policies.constraints import Merged, in_force
from ninefold.policies.memory_ids import record_id
from ninefold.state import Constraint

from .ports import MemoryStore


def rules_elsewhere(constraints: Sequence[Constraint], memory: MemoryStore | None, user: str, turn: str) -> Merged:
    """Give the constraints without the rules that were replaced or taken back since, those that replaced them instead.

    No embedding is made. A rule that has no record, because the memories are off or failed then, stays.

    Raises:
        MemoryStoreError: the store failed.
    """
    ids = {each.id: record_id(each, user) for each in constraints if each.lasting}
    if memory is None or not ids:
        return Merged(tuple(constraints), (), ())
    records = {each.id: each for each in memory.get(user, list(dict.fromkeys(ids.values())))}
    asked: set[str] = set()
    while wanted := {r.superseded_by for r in records.values() if r.superseded_by} - records.keys() - asked:
        asked |= wanted
        records |= {each.id: each for each in memory.get(user, sorted(wanted))}
    records |= {constraint: records[record] for constraint, record in ids.items() if record in records}
    return in_force(constraints, records, turn)
