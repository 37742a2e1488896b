"""The choices between steps: pure, read from the state alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from langchain_core.messages import AIMessage

from ninefold.state.turn_state import TurnState

Left = Callable[[TurnState], bool]
"""Whether the window is over a mark, and a compaction strategy is left to try."""


def after_constraint_update(state: TurnState) -> Literal["conflict_confirmation", "assembly"]:
    """Ask the person first when a conflict is theirs to decide."""
    return "conflict_confirmation" if state.conflicts else "assembly"


def threshold_route(left: Left) -> Callable[[TurnState], Literal["compaction", "fidelity_check"]]:
    """Give the choice that compacts while the view is over a threshold and a strategy is left."""

    def after_threshold_check(state: TurnState) -> Literal["compaction", "fidelity_check"]:
        return "compaction" if left(state) else "fidelity_check"

    return after_threshold_check


def fidelity_route(left: Left) -> Callable[[TurnState], Literal["model_call", "compaction", "assembly", "__end__"]]:
    """Give the choice that sends what is proven, rolls back what is refuted, and ends a turn that cannot fit."""

    def after_fidelity_check(state: TurnState) -> Literal["model_call", "compaction", "assembly", "__end__"]:
        if state.outcome is not None:
            return "__end__"
        if state.verdict is not None and state.verdict.proven:
            return "model_call"
        # A view that only has to be made again, after a repair or because it was refuted itself, needs no strategy.
        struck = state.verdict is not None and state.verdict.strategy is not None
        return "compaction" if struck and left(state) else "assembly"

    return after_fidelity_check


def after_model_call(state: TurnState) -> Literal["tool_call", "memory_write"]:
    """Run the calls of the reply, if it has any that may still run."""
    last = state.messages[-1]
    calls = isinstance(last, AIMessage) and last.tool_calls and state.outcome is None
    return "tool_call" if calls else "memory_write"
