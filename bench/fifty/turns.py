"""Where the tokens of each turn go: layers, where a prompt leaves what the server has read, compactions, calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ninefold.adapters.tokens.template import segments
from ninefold.policies.neutralise import anchors
from ninefold.state import Assembled, Compacted, Event, FidelityChecked, LayerName, ModelCalled, ThresholdChecked
from ninefold.state import Language as Tongue
from tests.turn.agents import Body, from_wire

from .conversation import Language
from .measures import Measured, Sent
from .server import encoded, read_by_server
from .systems import Told

LAYERS = tuple(LayerName)
PRIMER = 8
"""Tokens at the end of a prompt that give way to what follows."""


def turn_lines(figures: Measured) -> Iterator[str]:
    """Give a table of the turns: what each prompt held and cost, and what was done about it."""
    yield "turn context " + " ".join(f"{name.value[:8]:>8}" for name in LAYERS) + "  requests: tokens (read anew from)"
    places: Counter[str] = Counter()
    for number, told in enumerate(figures.played.told, 1):
        sizes = {layer.name: layer.tokens for layer in told.view.layers}
        shown = " ".join(f"{sizes.get(name, 0):>8,}" for name in LAYERS)
        calls = [call for call in figures.sent if call.request.turn == number]
        parts: list[str] = []
        for call in calls:
            where = _where(call, figures.played.num_ctx, figures.played.language)
            places[f"{_purpose(call.request.body)}: {where}"] += call.fresh
            parts.append(f"{_purpose(call.request.body)} {call.tokens:,} ({call.fresh:,} {where})")
        yield f"{number:>4} {figures.turns[number - 1].context:>7,} {shown}  {', '.join(parts)}"
        yield from (f"       {line}" for line in _done(told))
    yield "read anew a turn, by where the prompt leaves what was read:"
    yield from (f"    {tokens / len(figures.turns):>6,.0f} {place}" for place, tokens in places.most_common())


def _purpose(body: Body) -> str:
    asked = body["format"]["properties"] if "format" in body else ()
    known = {"constraints": "constraints", "supported": "veto", "decisions": "summary"}
    return next((name for key, name in known.items() if key in asked), "reply")


def _where(call: Sent, num_ctx: int | None, language: Language) -> str:
    """Say in which part of the prompt the first token stands that was not read before."""
    body, reused = call.request.body, call.tokens - call.fresh
    if call.before - reused <= PRIMER:
        return "its end" if call.before else "first prompt"
    text = read_by_server(body, num_ctx)
    pieces = segments([from_wire(message) for message in body["messages"]], body.get("tools") or ())
    if text != "".join(pieces):
        return "cut by the server"
    if reused < len(encoded(pieces[0])):
        label = anchors(Tongue(language))
        marks = {"constraints": label.constraints, "summary": label.summary}
        begun = [
            name
            for name, mark in marks.items()
            if f"\n{mark}\n" in pieces[0] and len(encoded(pieces[0].split(f"\n{mark}\n")[0])) <= reused + 3
        ]
        return f"head, {begun[-1] if begun else 'fixed'}"
    at = len(encoded(pieces[0]))
    for place, piece in enumerate(pieces[1:], 1):
        at += len(encoded(piece))
        if reused < at:
            return f"message {place} of {len(pieces) - 1}"
    return "its end"


def _done(told: Told) -> Iterator[str]:
    for event in told.trace:
        if line := _line(event):
            yield line


def _line(event: Event) -> str:
    match event:
        case ThresholdChecked() if event.reason != "below every threshold":
            return f"threshold: needed {event.needed:,}, window {event.window:,}, {event.reason}"
        case Compacted():
            return f"{event.strategy}: {event.messages} messages, {event.freed:,} freed {event.reason}"
        case FidelityChecked() if event.reason != "nothing to commit":
            missing = "; ".join(f"{each.kind} {each.span[:60]}" for each in event.missing)
            return f"proof: {event.proven} {', '.join(event.committed)} {event.reason} {missing}"
        case ModelCalled() if event.purpose != "reply":
            return f"call: {event.step.value}, {event.purpose}, {event.prompt_tokens:,} tokens"
        case Assembled() if event.gave_way:
            return f"gave way: {', '.join(event.gave_way)}"
        case _:
            return ""
