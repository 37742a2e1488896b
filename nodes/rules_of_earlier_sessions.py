"""The rules for all time that a thread's first turn will bring from the person's earlier sessions."""

from __future__ import annotations

from ninefold.policies.constraints import from_preferences
from ninefold.policies.recall import Found, Ranking
from ninefold.state import ALWAYS_RECALLED, AgentSettings, Constraint, Turn
from ninefold.state.turn_state import TurnState

from .ports import MemoryStore
from .recall_bounds import in_view, limits_of


def rules_of_earlier_sessions(
    state: TurnState, *, turn: Turn, memory: MemoryStore | None, settings: AgentSettings, ranking: Ranking
) -> tuple[Constraint, ...]:
    """Give what the first turn adds to the constraints of a thread on which none was taken yet; nothing on another.

    It is found as that turn finds it, without a question: where there are more than it has room for, the question will
    choose among them. No embedding is made.

    Raises:
        MemoryStoreError: the store failed.
    """
    if state.turn is not None or memory is None:
        return ()
    first = state.model_copy(update={"turn": turn})
    recalled = ranking.rank(
        memory.by_kind(turn.user, ALWAYS_RECALLED),
        Found(),
        query="",
        view=in_view(first, first.entries),
        limits=limits_of(first, memory, settings),
    )
    known = {each.id for each in state.constraints}
    return tuple(each for each in from_preferences(recalled, turn.id) if each.id not in known)
