"""The constraints of a thread as its next turn will find them."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from ninefold.nodes.rules_elsewhere import rules_elsewhere
from ninefold.nodes.rules_of_earlier_sessions import rules_of_earlier_sessions
from ninefold.state import Constraint, Turn
from ninefold.state.turn_state import TurnState

from .guard import TurnGraph
from .parts import Parts


def constraints_in_force(graph: TurnGraph, config: RunnableConfig) -> tuple[Constraint, ...]:
    """Give the constraints that hold on a thread now, rules that another thread replaced or took back left out.

    Before its first turn these are what was pinned, and the rules for all time of the person's earlier sessions.

    Args:
        graph: what `build_graph` gave.
        config: names the thread and its user.

    Raises:
        MemoryStoreError: the memories could not be asked.
    """
    values = graph.get_state(config).values
    parts = graph._guard.parts
    if parts is None:
        return tuple(values.get("constraints", ()))
    stamp = graph._guard.stamp(graph._read_update(config, ()).identity)
    first = Turn(id=stamp.turn_id, parent=None, number=0, at=stamp.at, user=stamp.user)
    state = TurnState.model_validate({**values})
    return rules_in_force(state, state.turn or first, parts)


def rules_in_force(state: TurnState, turn: Turn, parts: Parts) -> tuple[Constraint, ...]:
    """Give the constraints that hold in a state between two turns.

    Args:
        state: the thread's.
        turn: its last one; where none was taken yet, one that stands for it.
        parts: what the thread's steps work with.

    Raises:
        MemoryStoreError: the memories could not be asked.
    """
    earlier = rules_of_earlier_sessions(
        state, turn=turn, memory=parts.memory, settings=parts.settings, ranking=parts.ranking
    )
    return (*earlier, *rules_elsewhere(state.constraints, parts.memory, turn.user, turn.id).constraints)
