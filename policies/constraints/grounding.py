"""What a model proposes becomes a candidate only when it is the person's own words, on the side they took.

Law: a proposal whose words are no span of the message, stand in quoted, reported or doubted speech, or are given the
other polarity, is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ninefold.state import Origin, Polarity, Scope

from .candidates import Candidate, polarity_of
from .cues import find, says
from .hearing import hear
from .keys import keyed
from .one_off import asks_once, bounds_the_work

REPLY_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "constraints": {
            "type": "array",
            "maxItems": 8,
            "items": {
                "type": "object",
                "properties": {
                    "words": {"type": "string"},
                    "polarity": {"type": "string", "enum": [each.value for each in Polarity]},
                    "scope": {"type": "string", "enum": [each.value for each in Scope]},
                },
                "required": ["words", "polarity", "scope"],
            },
        }
    },
    "required": ["constraints"],
}
"""The form of the model's answer."""

_SHORTEST = 2
_LONGEST = 400
_STATED = re.compile(r"[\s\"'“”‘’「」，。,.!?！？;；]+")


def grounded(reply: object, text: str) -> tuple[Candidate, ...]:
    """Give the proposals that the message proves, in its own letters."""
    found: list[Candidate] = []
    for item in _items(reply):
        candidate = _grounded(item, text)
        if candidate and not any(candidate.start < each.end and each.start < candidate.end for each in found):
            found.append(candidate)
    return tuple(found)


def _items(reply: object) -> Iterator[Mapping[str, Any]]:
    items = reply.get("constraints") if isinstance(reply, Mapping) else reply
    if isinstance(items, list):
        yield from (item for item in items if isinstance(item, Mapping))


def _grounded(item: Mapping[str, Any], text: str) -> Candidate | None:
    words = item.get("words")
    if not isinstance(words, str) or not _SHORTEST <= len(words.strip()) <= _LONGEST:
        return None
    words = words.strip()
    start = text.find(words)
    if start < 0 or not _STATED.sub("", words):
        return None
    end = start + len(words)
    if not _own(text, start, end):
        return None
    polarity = polarity_of(words, preference=item.get("polarity") == Polarity.PREFER)
    if (item.get("polarity") == Polarity.FORBID) is not (polarity is Polarity.FORBID):
        return None
    lasting = says("lasting", words)
    this_turn = says("this_turn", words) or (not lasting and _asked_once(text, start, end))
    condition = find("when", words)
    scope = Scope.TURN if this_turn else Scope.WHEN if condition and condition[0].strip() != words else Scope.SESSION
    named = keyed(words)
    return Candidate(
        words=words,
        start=start,
        end=end,
        polarity=polarity,
        key=named.key.name if named else None,
        value=named.value if named else None,
        scope=scope,
        condition=condition[0].strip() if condition and scope is Scope.WHEN else None,
        lasting=lasting,
        change=says("change", words),
        origin=Origin.MODEL,
    )


def _asked_once(text: str, start: int, end: int) -> bool:
    """Whether the span bounds one piece of work that the message asks for."""
    return any(asks_once(sentence) and bounds_the_work(start, end, sentence) for sentence in hear(text))


def _own(text: str, start: int, end: int) -> bool:
    """Whether every clause the span touches is the person's own, and none of them only asks."""
    touched = [
        clause
        for sentence in hear(text)
        for clause in sentence.clauses
        if clause.span.start < end and start < clause.span.end
    ]
    return bool(touched) and all(clause.own and not clause.asks for clause in touched)
