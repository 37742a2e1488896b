"""The constraint layer as it stands in a prompt: one JSON array, and the way back.

Law: `read_constraints(render_constraints(cs)) == tuple(c.words for c in cs)` for every text, and what is rendered holds
no anchor and no control token, whatever the person wrote.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ninefold.state import Constraint, Scope

from .constraints.keys import keyed
from .neutralise import neutralise, restore


def render_constraints(constraints: Sequence[Constraint]) -> str:
    """Give the constraints as a JSON array in their order: the bare words, or an object where there is more to say.

    A prompt carries the layer in every turn, so nothing stands in it twice: a key, a thing looked for or a condition
    is written only where the words do not name it, a scope only where it is not the session.
    """
    if not constraints:
        return ""
    items = [_item(constraint) for constraint in constraints]
    return neutralise(json.dumps(items, ensure_ascii=False, separators=(",", ":")))


def read_constraints(text: str) -> tuple[str, ...]:
    """Give the words of a rendered layer, as the person wrote them.

    Raises:
        ValueError: the text is no rendered constraint layer.
    """
    if not text:
        return ()
    items = json.loads(restore(text))
    if not isinstance(items, list):
        raise ValueError(f"no constraints: {text[:80]}")
    return tuple(_words(item) for item in items)


def _words(item: Any) -> str:
    words = item.get("words") if isinstance(item, dict) else item
    if not isinstance(words, str):
        raise ValueError(f"no constraint: {str(item)[:80]}")
    return words


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
