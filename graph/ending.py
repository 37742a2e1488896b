"""A constraint that the person ends by hand, between two turns."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from ninefold.nodes.ports import MemoryStore
from ninefold.policies.constraints import SUBJECT
from ninefold.policies.constraints.merging import change as changed
from ninefold.policies.memory_ids import folded
from ninefold.policies.secrets import masked
from ninefold.state import ChangeKind, Constraint, ConstraintsUpdated, InputError, MemoryKind, MemoryStatus
from ninefold.state.turn_state import Update

from .changes import Standing, change
from .guard import TurnGraph


def end(graph: TurnGraph, config: RunnableConfig, id: str) -> Constraint:  # noqa: A002
    """Let a constraint hold no longer, and give what held.

    One that was said for all time comes back in no later thread either, as after "no longer" in a message.

    Args:
        graph: what `build_graph` gave.
        config: names the thread and its user.
        id: the constraint's id.

    Raises:
        InputError: no such constraint holds, or the last turn is not finished.
        MemoryStoreError: the memories failed; the constraint holds on then.
    """

    def make(standing: Standing) -> tuple[Constraint, Update]:
        held = standing.state.constraints
        gone = next((each for each in held if each.id == id), None)
        if gone is None:
            raise InputError("No such constraint holds any more.", "List the constraints anew.")
        memory = standing.parts.memory
        if memory and gone.lasting:
            _take_back(memory, standing.stamp.user, gone)
        event = ConstraintsUpdated(changes=(changed(ChangeKind.REMOVED, gone),), reason="ended by hand")
        return gone, Update(constraints=tuple(each for each in held if each.id != id), trace=(event,))

    return change(graph, config, make)


def _take_back(memory: MemoryStore, user: str, gone: Constraint) -> None:
    """Supersede the preference that holds the constraint's words."""
    words = folded(masked(gone.words))
    rows = [
        record.model_copy(update={"status": MemoryStatus.SUPERSEDED})
        for record in memory.by_kind(user, (MemoryKind.PREFERENCE,))
        if words and (record.subject or "").startswith(SUBJECT) and folded(record.text) == words
    ]
    if rows:
        memory.write(rows)
