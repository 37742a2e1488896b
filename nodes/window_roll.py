"""window_roll: what is left of the window after the answer; nothing leaves it here without a proof."""

from __future__ import annotations

from ninefold.policies.descent import pressure
from ninefold.policies.window import groups, open_calls
from ninefold.state import AgentSettings, WindowRolled
from ninefold.state.turn_state import TurnState, Update


def window_roll(state: TurnState, *, settings: AgentSettings) -> Update:
    """Give the window as the next turn finds it, and say what of it left in this turn.

    Messages leave only with a proven compaction, so a turn over recent_keep is cut before the next call and not here:
    that cut is proven, this one would not be. What no proof is needed for is let go: pending proposals and turns noted
    for a cut that are no longer there.
    """
    full = pressure(state, settings)
    known = {entry.message for entry in state.entries}
    unarchived = sum(1 for entry in state.entries if not entry.archived)
    waiting = sum(1 for group in groups(state) if open_calls(group.messages))
    notes = [
        f"{unarchived} messages are not archived yet and cannot leave" if unarchived else "",
        f"{waiting} turns wait for a result" if waiting else "",
        f"the next turn is cut: over {', '.join(full.fired)}" if full.fired else "",
    ]
    return Update(
        proposals=(),
        next_cut=state.next_cut if known.issuperset(state.next_cut) else (),
        trace=(
            WindowRolled(
                left=_left(state),
                kept=len(state.entries),
                tokens=full.window,
                reason="; ".join(note for note in notes if note) or "within its limits",
            ),
        ),
    )


def _left(state: TurnState) -> int:
    """Give how many messages the compactions that were proven in this turn took out of the window."""
    known = {entry.message for entry in state.entries}
    return len({id_ for struck in state.struck for id_ in struck.span if id_ not in known})
