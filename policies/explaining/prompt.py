"""Where words stand in the prompt of a turn, and what in it speaks against them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import cast

from langchain_core.messages import BaseMessage

from ninefold.state import Cause, Finding, Language, Layer, LayerName
from ninefold.state.turn_state import TurnState

from ..negation import is_negated
from ..neutralise import restore
from ..render import sent_text
from ..subject import skeleton
from ..text import plain_text, sentences
from .evidence import Evidence, Sought


def in_prompt(evidence: Evidence, sought: Sought) -> Iterator[Finding]:
    """Give each layer of the prompt that holds the words, what contradicts them there, and messages sent cut."""
    view = evidence.now.view
    if view is None:
        return
    for position, layer in enumerate(view.layers, start=1):
        for name, said, text in _texts(evidence, layer):
            found = sought.spot(text)
            if found is None:
                continue
            yield Finding(
                cause=Cause.IN_PROMPT,
                text=found,
                turn=said,
                layer=name,
                position=position,
                tokens=layer.tokens,
            )
            if name is not LayerName.CONSTRAINTS:
                yield from _contradicted(evidence.now, found, said)
        yield from _cut(evidence, layer, sought)


def _texts(evidence: Evidence, layer: Layer) -> Iterator[tuple[LayerName, int | None, str]]:
    """Give what a layer says, each text with the layer it belongs to and the turn in which it was said.

    A rule may stand with the message that brought it, and memories stay with the message that they were sent with.
    """
    if layer.name is not LayerName.FIXED:
        yield from ((layer.name, None, text) for text in _parts(layer.text))
    placed = {entry.message: entry.placed for moment in evidence.moments[-2:] for entry in moment.entries}
    language = evidence.now.language or Language.ENGLISH
    for piece in layer.pieces:
        message = _as_window(evidence, piece.message)
        if message is None:
            continue
        number = evidence.originals[piece.message].number if piece.message in evidence.originals else None
        yield from ((LayerName.CONSTRAINTS, number, text) for text in _parts(piece.rules))
        yield layer.name, number, restore(sent_text(message, piece.clip, language))
        if layer.name is LayerName.WINDOW:
            yield from ((LayerName.MEMORIES, number, memory.text) for memory in placed.get(piece.message, ()))


def _parts(text: str) -> Iterator[str]:
    """Give the strings of a layer that is JSON, and the lines of another; a rule or an item of the summary is one."""
    for line in text.splitlines():
        try:
            yield from _strings(json.loads(line))
        except ValueError:
            yield restore(line)


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield restore(value)
        case dict():
            for part in cast("dict[str, object]", value).values():
                yield from _strings(part)
        case list():
            for part in cast("list[object]", value):
                yield from _strings(part)
        case _:
            pass


def _as_window(evidence: Evidence, message: str) -> BaseMessage | None:
    """Give a message as the window held it when the prompt was made: it may have left the window after the answer."""
    for moment in reversed(evidence.moments[-2:]):
        found = next((each for each in moment.messages if each.id == message), None)
        if found is not None:
            return found
    return evidence.originals[message].message if message in evidence.originals else None


def _cut(evidence: Evidence, layer: Layer, sought: Sought) -> Iterator[Finding]:
    """Give the messages that were sent shortened, without the words that they hold."""
    for piece in layer.pieces:
        message = _as_window(evidence, piece.message)
        if piece.clip is None or message is None:
            continue
        whole = plain_text(message)
        sent = sent_text(message, piece.clip, evidence.now.language or Language.ENGLISH)
        found = sought.spot(whole)
        if found is not None and sought.spot(restore(sent)) is None:
            said = evidence.originals.get(piece.message)
            yield Finding(
                cause=Cause.CLIPPED,
                text=found,
                turn=said.number if said else None,
                layer=layer.name,
                reference=piece.clip.reference,
            )


def _contradicted(state: TurnState, text: str, said: int | None) -> Iterator[Finding]:
    """Give the constraints that say the opposite of a sentence in the prompt."""
    for constraint in state.constraints:
        for sentence in sentences(text):
            opposite = is_negated(sentence.text) != is_negated(constraint.words)
            if opposite and skeleton(sentence.text) == skeleton(constraint.words):
                yield Finding(cause=Cause.CONTRADICTED, text=sentence.text[:400], turn=said, by=constraint.words[:400])
