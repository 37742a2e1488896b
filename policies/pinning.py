"""A rule that a person pins by hand: a session constraint in exactly these words; their turn stays in the window."""

from __future__ import annotations

from langchain_core.messages import HumanMessage

from ninefold.state import ConflictRule, Constraint, InputError, Scope, Turn
from ninefold.state.turn_state import INPUT_ROLE, TurnState, Update

from .constraints import Candidate, Source, extract, identify, merge, polarity_of
from .constraints.merging import constraint_of
from .constraints.rivals import restates
from .memory_ids import folded
from .text import plain_text, storable

LONGEST = 2000
"""Characters of a constraint's words."""


def last_said(state: TurnState) -> str:
    """Give the words of the person's last message in the window; empty when there is none."""
    said = [m for m in state.messages if isinstance(m, HumanMessage) and INPUT_ROLE not in m.additional_kwargs]
    return plain_text(said[-1]) if said else ""


def pinned(state: TurnState, words: str, turn: Turn) -> tuple[Constraint, Update]:
    """Give the constraint that the words are, and the update by which it holds for the session.

    They replace what cannot hold beside them, as an explicit change does; words that hold already stay as they are. A
    turn whose message holds them becomes a key turn, which stays in the window beyond its ring.

    Args:
        state: the thread as it stands.
        words: what the person wants to hold, kept character by character.
        turn: the turn after which it is pinned.

    Raises:
        InputError: there are no words, or more than a constraint holds.
    """
    words = str(storable(words)).strip()
    if not folded(words):
        raise InputError("There is nothing to pin.", "Give the words that are to hold, or say something first.")
    if len(words) > LONGEST:
        raise InputError(
            f"The words to pin are {len(words)} characters; a constraint holds {LONGEST}.",
            "Pin the sentence that matters.",
        )
    message, said_in = _source(state, words)
    source = Source(turn=turn.id, message=message or identify("pin", turn.id, words), at=turn.at, task=None)
    wish = _wish(words)
    merged = merge(state.constraints, (wish,), source, ConflictRule.NEWEST)
    new = constraint_of(wish, source, state.constraints)
    held = next(each for each in merged.constraints if each.id == new.id or restates(each, new))
    entries = tuple(
        entry.model_copy(update={"key": True}) if entry.turn == said_in and not entry.key else entry
        for entry in state.entries
    )
    return held, Update(constraints=merged.constraints, entries=entries)


def _wish(words: str) -> Candidate:
    """Give the whole text as one wish; where it holds exactly one, that one's key and condition are its own."""
    found = [wish for wish in extract(words).wishes if not wish.withdraws]
    whole = Candidate(words, 0, len(words), polarity_of(words, preference=False), change=True)
    if len(found) != 1:
        return whole
    (one,) = found
    when = one.scope is Scope.WHEN
    return whole._replace(
        polarity=one.polarity,
        key=one.key,
        value=one.value,
        scope=Scope.WHEN if when else Scope.SESSION,
        condition=one.condition if when else None,
    )


def _source(state: TurnState, words: str) -> tuple[str | None, str | None]:
    """Give the newest message of the person that holds the words, and its turn."""
    turns = {entry.message: entry.turn for entry in state.entries}
    for message in reversed(state.messages):
        if isinstance(message, HumanMessage) and words in plain_text(message):
            return message.id, turns.get(message.id or "")
    return None, None
