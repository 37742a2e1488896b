"""The constraint layer as it stands in a prompt: one compact JSON object a line, and the way back.

Law: `read_constraints(render_constraints(cs)) == tuple(c.words for c in cs)` for every text, and what is rendered holds
no anchor and no control token, whatever the person wrote.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ninefold.state import Constraint, Scope

from .neutralise import neutralise, restore


def render_constraints(constraints: Sequence[Constraint]) -> str:
    """Give the constraints as JSON lines: key, words, scope where it is not the session, condition."""
    return neutralise("\n".join(_line(constraint) for constraint in constraints))


def read_constraints(text: str) -> tuple[str, ...]:
    """Give the words of a rendered layer, as the person wrote them.

    Raises:
        ValueError: the text is no rendered constraint layer.
    """
    words: list[str] = []
    for line in restore(text).split("\n"):
        if not line:
            continue
        item = json.loads(line)
        if not isinstance(item, dict) or not isinstance(item.get("words"), str):
            raise ValueError(f"no constraint: {line[:80]}")
        words.append(item["words"])
    return tuple(words)


def _line(constraint: Constraint) -> str:
    item: dict[str, str] = {}
    if constraint.key is not None:
        item["key"] = constraint.key
    if constraint.about is not None:
        item["about"] = constraint.about
    item["words"] = constraint.words
    if constraint.scope is not Scope.SESSION:
        item["scope"] = constraint.scope.value
    if constraint.condition is not None:
        item["condition"] = constraint.condition
    if constraint.overrules is not None:
        item["overrules"] = constraint.overrules
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))
