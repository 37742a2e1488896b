"""The constraints of a thread as its next turn will find them."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from ninefold.nodes.rules_elsewhere import rules_elsewhere
from ninefold.state import Constraint

from .guard import TurnGraph


def constraints_in_force(graph: TurnGraph, config: RunnableConfig) -> tuple[Constraint, ...]:
    """Give the constraints that hold on a thread now, rules that another thread replaced or took back left out.

    Args:
        graph: what `build_graph` gave.
        config: names the thread and its user.

    Raises:
        MemoryStoreError: the memories could not be asked.
    """
    values = graph.get_state(config).values
    turn, constraints = values.get("turn"), tuple(values.get("constraints", ()))
    parts = graph._guard.parts
    if turn is None or parts is None:
        return constraints
    return rules_elsewhere(constraints, parts.memory, turn.user, turn.id).constraints
