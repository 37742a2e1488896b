"""The prompt of a turn: its layers in the order sent, what recall weighed, what each step did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import BaseMessage

from ninefold.policies.text import plain_text
from ninefold.state import Clip, Language, Layer, LayerName, Piece, Recalled
from ninefold.state.turn_state import TurnState

from ...console.reports import gave_way, steps
from ...kept_turns import moments_until, number, said
from ...translation import translated
from ..requests import Asked
from .session import role

SHOWN = 4_000
"""Characters of a layer's text, and of a message in it."""


def prompt(asked: Asked) -> dict[str, Any]:
    """Give the prompt of a session's turn; without a number its last one.

    Raises:
        InputError: there is no such session or turn.
        StorageError: a database failed.
    """
    place, thread, wording = asked.place, asked.thread, asked.wording
    moment = moments_until(place, thread, asked.served.user, asked.number("turn"))[-1]
    known = {each.message.id or "": each.message for each in said(place, thread, moment)}
    known |= {each.id or "": each for each in moment.messages}
    view = moment.view
    memory = asked.served.parts.memory
    return {
        "turn": number(moment),
        "at": moment.turn.at if moment.turn else "",
        "tokens": view.tokens if view else 0,
        "reserve": view.reserve if view else 0,
        "needed": view.needed if view else 0,
        "num_ctx": asked.served.num_ctx,
        "layers": [_layer(each, moment, known, asked) for each in view.layers] if view else [],
        "gave_way": gave_way(view, wording) if view else [],
        "recalled": [_candidate(each, asked) for each in moment.recalled],
        "minimum": memory.min_score if memory else None,
        "intent": translated(moment.intent.reason, wording.language) if moment.intent else "",
        "steps": [*steps(moment.trace, wording)],
        "status": moment.outcome.status.value if moment.outcome else None,
    }


def _layer(layer: Layer, moment: TurnState, known: Mapping[str, BaseMessage], asked: Asked) -> dict[str, Any]:
    text = layer.text
    if layer.name is LayerName.FIXED:
        # The view keeps a digest of it.
        text = asked.served.parts.fixed(moment.language or Language.ENGLISH)
    return {
        "name": layer.name.value,
        "label": asked.wording.name("layer", layer.name.value),
        "tokens": layer.tokens,
        "text": text[:SHOWN],
        "pieces": [_piece(each, known) for each in layer.pieces],
    }


def _piece(piece: Piece, known: Mapping[str, BaseMessage]) -> dict[str, Any]:
    message = known.get(piece.message)
    text = _sent(plain_text(message), piece.clip) if message else ""
    return {
        "role": role(message) if message else "data",
        "text": text[:SHOWN],
        "clipped": piece.clip is not None,
        "rules": piece.rules,
    }


def _sent(text: str, clip: Clip | None) -> str:
    """Give what is sent of a text: all of it, or its kept parts around the marks of what is left out."""
    if clip is None:
        return text
    kept = [text[: clip.head], *(text[start:end] for start, end in clip.kept), text[len(text) - clip.tail :]]
    return " […] ".join(part for part in kept if part)


def _candidate(candidate: Recalled, asked: Asked) -> dict[str, Any]:
    return {
        "id": candidate.id,
        "kind": asked.wording.name("kind", candidate.kind.value),
        "text": candidate.text,
        "created": candidate.created,
        "score": candidate.score,
        "words": candidate.words,
        "fate": candidate.fate.value,
        "label": asked.wording.name("fate", candidate.fate.value),
        "source": candidate.source,
    }
