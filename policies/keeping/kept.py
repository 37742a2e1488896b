"""What a prompt over a window holds, and what of it lasts: a reply's echo of a person's words does not."""

from __future__ import annotations

from typing import NamedTuple

from langchain_core.messages import HumanMessage

from ninefold.state import Fate
from ninefold.state.turn_state import TurnState

from ..text import plain_text
from .held import Held


class Kept(NamedTuple):
    """What is held without what leaves."""

    lasting: Held
    """By constraints, summary, memories and the person's own messages: whatever leaves of these is proven again."""
    by_replies: Held
    """By replies, calls and results in the window; they leave without a proof of what people said."""


def kept_in(state: TurnState, *, summary: bool = True, recalled: bool = True) -> Kept:
    """Give what a prompt over this window holds.

    Args:
        state: a window without pending proposals.
        summary: False leaves the summary out, for a new one in its place.
        recalled: False leaves the memories out: this turn's question brought them, the next one brings others.
    """
    people = [message for message in state.messages if isinstance(message, HumanMessage)]
    memories = [memory.text for memory in state.recalled if memory.fate in (Fate.RECALLED, Fate.IN_VIEW)]
    memories += [placed.text for entry in state.entries for placed in entry.placed]
    others = [message for message in state.messages if not isinstance(message, HumanMessage)]
    return Kept(
        Held(
            [
                *(" ".join(part for part in (c.condition, c.words) if part) for c in state.constraints),
                *(item.text for item in (state.summary.items if summary else ())),
                *(plain_text(message) for message in people),
                *(memories if recalled else ()),
            ]
        ),
        Held(plain_text(message) for message in others),
    )
