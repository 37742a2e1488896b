"""Where each lasting rule stands in a prompt: in its head, or with the message it came with.

A new rule in the head would make the server read the whole window again. So it stands with the person's message, before
the words, and stays there as memories do, until the head is rewritten anyway; then it moves into the head.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from ninefold.state import Constraint, Entry, Layer, LayerName, Scope

from .constraint_layer import render_constraints


class Counter(Protocol):
    """The part of a token counter that placing needs."""

    def text(self, text: str) -> int:
        """Give the tokens of a bare text."""
        ...


NEVER = (LayerName.FIXED, LayerName.CONSTRAINTS, LayerName.TURN_CONSTRAINTS)
"""The layers that never give way."""


def never_gives_way(layers: Iterable[Layer], tokens: Counter) -> int:
    """Give the tokens of what stays whatever else gives way: those layers, and the rules that stand with messages."""
    every = [*layers]
    beside = sum(tokens.text(piece.rules) for layer in every for piece in layer.pieces if piece.rules)
    return beside + sum(layer.tokens for layer in every if layer.name in NEVER)


def lasting(constraints: Sequence[Constraint]) -> tuple[Constraint, ...]:
    """Give the constraints that outlast this turn."""
    return tuple(constraint for constraint in constraints if constraint.scope is not Scope.TURN)


def with_rules(
    entries: Sequence[Entry],
    constraints: Sequence[Constraint],
    *,
    turn: str,
    message: str | None,
    limit: int,
    tokens: Counter,
) -> tuple[Entry, ...]:
    """Give the entries with the rules that this turn brought placed on its message, and those that ended taken off.

    Rules that together take more than `limit` tokens are no longer a few words beside a request: all go into the head.
    """
    rules = {constraint.id: constraint for constraint in lasting(constraints)}
    before = {id_ for entry in entries for id_ in entry.rules}
    new = tuple(c.id for c in rules.values() if c.turn == turn and c.id not in before) if message else ()
    if not new and before <= rules.keys():
        return tuple(entries)
    placed = tuple(
        _with(entry, tuple(id_ for id_ in entry.rules if id_ in rules) + (new if entry.message == message else ()))
        for entry in entries
    )
    if new and tokens.text(render_constraints([rules[id_] for entry in placed for id_ in entry.rules])) > limit:
        return without_rules(entries)
    return placed


def without_rules(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Give the entries with no rule placed: all of them stand in the head."""
    return tuple(_with(entry, ()) for entry in entries)


def cleared(entries: Sequence[Entry], turn: str) -> tuple[Entry, ...]:
    """Give the entries as a cut leaves them: no rule placed, and no memory that was recalled in another turn.

    The prompt is read anew behind its fixed text, so nothing is won by memories that an earlier question asked for.
    """
    return without_recalled(without_rules(entries), turn)


def without_recalled(entries: Sequence[Entry], turn: str, *, but: Collection[str] = ()) -> tuple[Entry, ...]:
    """Give the entries without the memories that were recalled in other turns than this one, but those of these ids."""
    return tuple(
        entry.model_copy(update={"placed": tuple(each for each in entry.placed if each.id in but)})
        if entry.placed and entry.turn != turn
        else entry
        for entry in entries
    )


def _with(entry: Entry, rules: tuple[str, ...]) -> Entry:
    return entry if entry.rules == rules else entry.model_copy(update={"rules": rules})


def standing(entries: Sequence[Entry], constraints: Sequence[Constraint]) -> Mapping[str, tuple[Constraint, ...]]:
    """Give the rules that stand with each message of the window."""
    rules = {constraint.id: constraint for constraint in lasting(constraints)}
    return {e.message: tuple(rules[id_] for id_ in e.rules if id_ in rules) for e in entries if e.rules}
