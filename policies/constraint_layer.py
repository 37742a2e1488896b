"""The constraint layer as it stands in a prompt: one JSON array, and the way back.

Law: `read_constraints(render_constraints(cs), cs) == tuple(c.words for c in cs)` for every text, and what is rendered
holds no anchor and no control token, whatever the person wrote.
"""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from typing import Any

from ninefold.state import Constraint, Scope

from .constraints.joints import joins, undivided
from .constraints.keys import keyed
from .neutralise import neutralise, restore


def render_constraints(constraints: Sequence[Constraint]) -> str:
    """Give the constraints as a JSON array in their order: the bare words, or an object where there is more to say.

    A prompt carries the layer in every turn, so nothing stands in it twice: a key, a thing looked for or a condition
    is written only where the words do not name it, a scope only where it is not the session. Rules said in one breath
    stand in one item, with the person's own marks between them and the heading before them.
    """
    if not constraints:
        return ""
    every = {constraint.words for constraint in constraints}
    items = [item for said in _breaths(constraints) for item in _items(said, every)]
    return neutralise(json.dumps(items, ensure_ascii=False, separators=(",", ":")))


def read_constraints(text: str, known: Sequence[Constraint] = ()) -> tuple[str, ...]:
    """Give the words of a rendered layer, as the person wrote them; rules in one item are told apart by those known.

    Raises:
        ValueError: the text is no rendered constraint layer.
    """
    if not text:
        return ()
    items = json.loads(restore(text))
    if not isinstance(items, list):
        raise ValueError(f"no constraints: {text[:80]}")
    every = {constraint.words for constraint in known}
    said = [_words(item) for item in items]
    return tuple(part for words in said for part in ((words,) if words in every else _parted(words, known) or (words,)))


def _words(item: Any) -> str:
    words = item.get("words") if isinstance(item, dict) else item
    if not isinstance(words, str):
        raise ValueError(f"no constraint: {str(item)[:80]}")
    return words


def _breaths(constraints: Sequence[Constraint]) -> list[list[Constraint]]:
    """Give the constraints in their order, those together that one message says one right after the other."""
    said: list[list[Constraint]] = []
    for constraint in constraints:
        before = said[-1][-1] if said else None
        if before is not None and before.message == constraint.message and joins(constraint.lead):
            said[-1].append(constraint)
        else:
            said.append([constraint])
    return said


def _items(said: Sequence[Constraint], every: Container[str]) -> list[str | dict[str, str]]:
    items = [_item(constraint) for constraint in said]
    # A mark within the words would leave open where one rule ends and the next begins.
    if len(said) == 1 or not all(isinstance(item, str) and undivided(item) for item in items):
        return items
    first, *others = said
    heading = "" if joins(first.lead) else first.lead
    whole = heading + first.words + "".join(each.lead + each.words for each in others) + said[-1].tail
    return [whole] if whole not in every and _parted(whole, said) == tuple(items) else items


def _parted(whole: str, known: Sequence[Constraint]) -> tuple[str, ...]:
    """Give the words of the rules of one message that an item joins; none where something else stands in it."""
    told: dict[str, list[Constraint]] = {}
    for constraint in known:
        told.setdefault(constraint.message, []).append(constraint)
    return next((parts for said in told.values() if (parts := _chain(whole, said, None))), ())


def _chain(rest: str, known: Sequence[Constraint], before: Constraint | None) -> tuple[str, ...]:
    """Give the words that a text consists of, in the order of the rules known."""
    for place, each in enumerate(known):
        joined = joins(each.lead)
        said = ("" if joined and before is None else each.lead) + each.words
        if (before is not None and not joined) or not rest.startswith(said):
            continue
        if rest[len(said) :] == each.tail and before is not None:
            return (each.words,)
        if others := _chain(rest[len(said) :], known[place + 1 :], each):
            return (each.words, *others)
    return ()


def _item(constraint: Constraint) -> str | dict[str, str]:
    words = constraint.words
    more: dict[str, str] = {}
    if constraint.key is not None and not _names(words, constraint.key):
        more["key"] = constraint.key
    if constraint.about is not None and constraint.about not in words:
        more["about"] = constraint.about
    if constraint.scope is not Scope.SESSION:
        more["scope"] = constraint.scope.value
    if constraint.condition is not None and constraint.condition not in words:
        more["condition"] = constraint.condition
    if constraint.overrules is not None:
        more["overrules"] = constraint.overrules
    return {"words": words, **more} if more else words


def _names(words: str, key: str) -> bool:
    """Whether the words say themselves what they are about."""
    found = keyed(words, search=True)
    return found is not None and found.key.name == key
