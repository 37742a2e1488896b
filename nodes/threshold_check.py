"""threshold_check: whether the window is to be compacted now, and where a later cut will be."""

from __future__ import annotations

from ninefold.policies.compaction.summary import cut
from ninefold.policies.descent import Pressure, pressure
from ninefold.policies.window import movable
from ninefold.state import AgentSettings, ThresholdChecked
from ninefold.state.turn_state import TurnState, Update

BROUGHT_BACK = "a compaction was taken back: it waits for the hard threshold"
"""Why a window over a lower mark is not compacted."""
BEGUN = "the cut that has begun goes on to its low mark"
"""Why a window below every trigger is compacted further."""


def threshold_check(state: TurnState, *, settings: AgentSettings) -> Update:
    """Give whether the view is over a threshold; above the soft one, note the turns that the next cut will take.

    Above the hard threshold, summary_threshold_tokens or recent_keep the window is compacted now, down to the low mark.
    A cut that could free next to nothing is not made: it would cost the prefix every turn and change nothing. While
    the window holds what the person brought back, only the hard threshold counts; from there on all is as before.
    """
    full = pressure(state, settings)
    brought_back = any(entry.restored for entry in state.entries)
    waits = brought_back and full.needed <= full.hard
    event = ThresholdChecked(
        needed=full.needed,
        window=full.window,
        soft=full.soft,
        hard=full.hard,
        over=full.over and not waits,
        reason=BROUGHT_BACK if waits else _reason(full),
    )
    update = Update(next_cut=() if waits else _next_cut(state, full, settings), trace=(event,))
    if brought_back and not waits:
        update["entries"] = tuple(entry.model_copy(update={"restored": False}) for entry in state.entries)
    return update


def _reason(full: Pressure) -> str:
    if not full.wanting:
        return "below every threshold"
    if not full.fired:
        return BEGUN
    fired = ", ".join(full.fired)
    if full.over:
        return f"over {fired}"
    return f"over {fired}, but only {full.room_to_make} tokens may leave"


def _next_cut(state: TurnState, full: Pressure, settings: AgentSettings) -> tuple[str, ...]:
    """Give the ids of the turns that the next cut takes: once noted they stay, so that what is prepared fits.

    They are noted anew where recent_keep is about to fire and asks for more than they are: that cut would not take
    them.
    """
    known = {entry.message for entry in state.entries}
    may = movable(state, settings)
    if state.next_cut and known.issuperset(state.next_cut):
        noted = set(state.next_cut)
        counted = sum(group.counted for group in may if noted.issuperset(group.ids))
        if full.over or counted >= full.cut_messages:
            return state.next_cut
    if not full.soon or full.over:
        return ()
    leaving = cut(may, full.at_the_mark, settings)
    return tuple(id_ for group in leaving for id_ in group.ids)
