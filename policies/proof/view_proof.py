"""The prompt about to be sent, read back: every constraint word for word, calls with results, within the window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from ninefold.state import Constraint, Language, Missing, Scope

from ..constraint_layer import read_constraints
from ..neutralise import anchors
from .pairing import unpaired


class PromptCounter(Protocol):
    """The part of a token counter that the proof of a prompt needs."""

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]] = ()) -> int:
        """Give the tokens of the whole rendered prompt."""
        ...


def unproven(
    prompt: Sequence[BaseMessage],
    constraints: Sequence[Constraint],
    language: Language,
    *,
    tokens: PromptCounter,
    tools: Sequence[Mapping[str, Any]],
    reserve: int,
    num_ctx: int,
) -> tuple[Missing, ...]:
    """Give what keeps a rendered prompt from being sent; nothing when it is proven.

    Every law is checked on the messages as they go over the wire, not on the view they were made of.
    """
    found = [*unread(prompt, constraints, language), *unpaired(prompt)]
    systems = [place for place, message in enumerate(prompt) if isinstance(message, SystemMessage)]
    if systems != [0]:
        found.append(Missing(kind="budget", span=f"system messages at {systems}: exactly one, first"))
    counted = tokens.prompt(prompt, tools)
    if counted + reserve > num_ctx:
        found.append(Missing(kind="budget", span=f"{counted} + {reserve} > {num_ctx}"))
    return tuple(found)


def unread(prompt: Sequence[BaseMessage], constraints: Sequence[Constraint], language: Language) -> tuple[Missing, ...]:
    """Give the constraints that the rendered layers do not say, word for word, and words that no constraint has."""
    label = anchors(language)
    head = prompt[0].text if prompt and isinstance(prompt[0], SystemMessage) else ""
    spoken = [message.text for message in prompt if isinstance(message, HumanMessage)]
    last = spoken[-1] if spoken else ""
    beside = [layer for text in spoken for layer in _layers(text, label.constraints)]
    session = tuple(c for c in constraints if c.scope is not Scope.TURN)
    this_turn = tuple(c for c in constraints if c.scope is Scope.TURN)
    return (
        *_unread(session, [_layer(head, label.constraints), *beside]),
        *_unread(this_turn, [_layer(last, label.turn_constraints) or _layer(head, label.turn_constraints)]),
    )


def _layer(text: str, anchor: str) -> str:
    """Give the lines under an anchor up to the next empty one; no rendered constraint holds an empty line."""
    at = text.rfind(f"\n{anchor}\n") + 1 if f"\n{anchor}\n" in text else 0 if text.startswith(f"{anchor}\n") else -1
    if at < 0:
        return ""
    body = text[at + len(anchor) + 1 :]
    return body.split("\n\n", 1)[0]


def _layers(text: str, anchor: str) -> list[str]:
    """Give the lines under each such anchor in a message; one that a person wrote is escaped and is none."""
    parts = f"\n{text}".split(f"\n{anchor}\n")
    return [part.split("\n\n", 1)[0] for part in parts[1:]]


def _unread(expected: Sequence[Constraint], layers: Sequence[str]) -> tuple[Missing, ...]:
    try:
        read = [words for layer in layers for words in read_constraints(layer, expected)]
    except ValueError as error:
        return (Missing(kind="constraint", span=f"unreadable layer: {error}"[:400]),)
    wanted = [constraint.words for constraint in expected]
    # Where a rule stands with its message, the order of the whole is that of the messages.
    if Counter(read) == Counter(wanted):
        return ()
    gone = tuple(
        Missing(kind="constraint", span=c.words[:400], source=c.message) for c in expected if c.words not in read
    )
    strange = tuple(
        Missing(kind="constraint", span=f"not in force: {words}"[:400]) for words in read if words not in wanted
    )
    return gone + strange or (Missing(kind="constraint", span="the number of the rendered constraints differs"),)
