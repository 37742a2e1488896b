"""What a chat tells about itself, as lines of text that fit a narrow terminal and a pipe alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ninefold.state import Constraint, Layer, LayerName, Scope, View

from ..wording import Wording

if TYPE_CHECKING:
    from .conversation import Conversation

_SHOWN = 60
"""Characters of a layer's text that a report shows."""


def commands(wording: Wording, reports: Sequence[str], actions: Sequence[str]) -> str:
    """Give the list of commands."""
    lines = [f"  /{name:<12} {wording.say(f'help.{name}')}" for name in (*reports, *actions)]
    return "\n".join([wording.say("help.title"), *lines])


def constraints(conversation: Conversation, wording: Wording) -> str:
    """Give the constraints that hold, each in the person's own words on a line of its own."""
    held = conversation.constraints()
    if not held:
        return wording.say("constraints.none")
    lines = [f"- {constraint.words}  ({_about(constraint, wording)})" for constraint in held]
    return "\n".join([wording.say("constraints.title"), *lines])


def context(conversation: Conversation, wording: Wording) -> str:
    """Give the layers of the last prompt in the order sent, with what each costs."""
    view = conversation.view()
    if view is None:
        return wording.say("context.none")
    window = conversation.num_ctx
    title = wording.say("context.title", tokens=view.tokens, reserve=view.reserve, num_ctx=window)
    lines = [f"  {layer.name.value:<17}{layer.tokens:>7}  {_holds(layer, wording)}".rstrip() for layer in view.layers]
    return "\n".join([title, *lines, *_gave_way(view, wording)])


def why(conversation: Conversation, wording: Wording) -> str:
    """Give what each step of the last turn did, and its reason."""
    trace = conversation.state().get("trace", ())
    if not trace:
        return wording.say("why.none")
    lines = [f"  {event.step.value:<22}{_told(event.model_dump(mode='json'))}".rstrip() for event in trace]
    return "\n".join([wording.say("why.title"), *lines])


def _about(constraint: Constraint, wording: Wording) -> str:
    scope = wording.say(f"constraints.{constraint.scope.value}", condition=constraint.condition or "")
    parts = [wording.say(f"constraints.{constraint.polarity.value}"), scope]
    return ", ".join([*parts, constraint.key] if constraint.key and constraint.scope is not Scope.TURN else parts)


def _holds(layer: Layer, wording: Wording) -> str:
    if layer.pieces:
        return wording.say("context.messages", count=len(layer.pieces))
    if layer.name is LayerName.FIXED:
        return wording.say("context.fixed")
    text = " ".join(f"{layer.anchor} {layer.text}".split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _gave_way(view: View, wording: Wording) -> list[str]:
    return [wording.say("context.gave_way", what=", ".join(view.gave_way))] if view.gave_way else []


def _told(event: Mapping[str, Any]) -> str:
    """Give an event's content in one line: its reason first, then whatever else it says."""
    reason = event.get("reason") or event.get("what") or ""
    passed_over = {"kind", "step", "reason", "what", "turn", "at"}
    facts = [
        f"{name}={_flat(value)}"
        for name, value in event.items()
        if name not in passed_over and value not in (None, "", [])
    ]
    return " · ".join(filter(None, [str(reason), " ".join(facts)]))


def _flat(value: object) -> str:
    if isinstance(value, list):
        return f"[{'; '.join(_flat(item) for item in value)}]"
    if isinstance(value, Mapping):
        return " ".join(str(part) for part in value.values() if part not in (None, ""))
    return str(value)
