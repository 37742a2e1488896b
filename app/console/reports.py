"""What a chat tells about itself, as lines of text that fit a narrow terminal and a pipe alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size

from ninefold.policies.constraints import is_permission, lifted_from
from ninefold.state import (
    Constraint,
    Event,
    Language,
    Layer,
    LayerName,
    MemoryStoreError,
    Origin,
    Polarity,
    Scope,
    View,
)

from ..translation import told, translated
from ..wording import Wording

if TYPE_CHECKING:
    from .conversation import Conversation

_SHOWN = 60
"""Characters of a layer's text that a report shows."""


def commands(wording: Wording, names: Mapping[str, Sequence[str]]) -> str:
    """Give the list of commands, each under its name in the person's language."""
    chinese = wording.language is Language.CHINESE
    shown = {
        name: f"/{others[0] if chinese else name} {wording.name('argument', name, '')}".rstrip()
        for name, others in names.items()
    }
    width = max(cell_len(word) for word in shown.values())
    lines = [f"  {set_cell_size(word, width)}  {wording.say(f'help.{name}')}" for name, word in shown.items()]
    return "\n".join([wording.say("help.title"), *lines])


def constraints(conversation: Conversation, wording: Wording) -> str:
    """Give the constraints that hold, each in the person's own words on a line of its own."""
    held, unread = conversation.constraints()
    lines = [f"- {constraint.words}  ({about(constraint, held, wording)})" for constraint in held]
    title = wording.say("constraints.title" if held else "constraints.none")
    return "\n".join([title, *lines, *([unchecked(unread, wording)] if unread else [])])


def unchecked(unread: MemoryStoreError, wording: Wording) -> str:
    """Give the line that says why what another session changed may still stand among the constraints."""
    return wording.say("constraints.unchecked", cause=told(unread, wording.language))


def context(conversation: Conversation, wording: Wording) -> str:
    """Give the layers of the last prompt in the order sent, with what each costs."""
    view = conversation.view()
    if view is None:
        return wording.say("context.none" if conversation.state().get("turn") is None else "context.gone")
    return prompt(view, conversation.num_ctx, wording)


def prompt(view: View, num_ctx: int, wording: Wording) -> str:
    """Give the layers of a prompt in the order sent, with what each costs."""
    title = wording.say("context.title", tokens=view.tokens, reserve=view.reserve, num_ctx=num_ctx)
    names = [wording.name("layer", layer.name.value) for layer in view.layers]
    width = max(map(cell_len, names))
    lines = [
        f"  {set_cell_size(name, width)}{layer.tokens:>7}  {_holds(layer, wording)}".rstrip()
        for name, layer in zip(names, view.layers, strict=True)
    ]
    return "\n".join([title, *lines, *gave_way(view, wording)])


def why(conversation: Conversation, wording: Wording) -> str:
    """Give what each step of the last turn did, and its reason."""
    trace = conversation.state().get("trace", ())
    return "\n".join([wording.say("why.title"), *steps(trace, wording)]) if trace else wording.say("why.none")


def steps(trace: Sequence[Event], wording: Wording) -> list[str]:
    """Give a line for each event of a turn: the step, its reason, what else it says."""
    events = [event.model_dump(mode="json") for event in trace]
    names = [wording.name("step", event["step"]) for event in events]
    width = max(map(cell_len, names)) + 1
    return [
        f"  {set_cell_size(name, width)}{_told(event, wording.language)}".rstrip()
        for name, event in zip(names, events, strict=True)
    ]


def about(constraint: Constraint, held: Sequence[Constraint], wording: Wording) -> str:
    """Give what one of the constraints that hold is: required or not, how long it holds, what it is about.

    What it goes before is named: a part of a rule that is allowed again, with that rule, or an older wish.
    """
    standing = constraint.origin is Origin.PREFERENCE and constraint.scope is Scope.SESSION
    lasting = constraint.lasting and constraint.scope is Scope.SESSION
    long = "preference" if standing else "lasting" if lasting else constraint.scope.value
    parts = [
        wording.say(f"constraints.{constraint.polarity.value}"),
        wording.say(f"constraints.{long}", condition=constraint.condition or ""),
    ]
    if constraint.key and constraint.scope is not Scope.TURN:
        parts.append(wording.name("key", constraint.key))
    if constraint.overrules is None:
        return ", ".join(parts)
    rule = lifted_from(held, constraint) if is_permission(constraint) else None
    if rule is None:
        return ", ".join([*parts, wording.say("constraints.before", words=constraint.overrules)])
    allowed = wording.say("constraints.allowed", part=constraint.overrules, rule=rule.words)
    # A mere permission asks for nothing.
    return ", ".join([allowed, *parts[1:]] if constraint.polarity is Polarity.PREFER else [*parts, allowed])


def _holds(layer: Layer, wording: Wording) -> str:
    if layer.pieces:
        return wording.say("context.messages", count=len(layer.pieces))
    if layer.name is LayerName.FIXED:
        return wording.say("context.fixed")
    text = " ".join(f"{layer.anchor} {layer.text}".split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def gave_way(view: View, wording: Wording) -> list[str]:
    """Give the line that tells what was left out of a prompt or cut; none where everything is whole."""
    layers = [layer.partition(": ") for layer in view.gave_way]
    what = ", ".join(f"{wording.name('layer', name)}{colon}{count}" for name, colon, count in layers)
    return [wording.say("context.gave_way", what=what)] if what else []


def _told(event: Mapping[str, Any], language: Language) -> str:
    """Give an event's content in one line: its reason first, then whatever else it says."""
    reason = translated(str(event.get("reason") or event.get("what") or ""), language)
    passed_over = {"kind", "step", "reason", "what", "turn", "at"}
    facts = [
        f"{name}={_flat(value)}"
        for name, value in event.items()
        if name not in passed_over and value not in (None, "", [])
    ]
    return " · ".join(filter(None, [reason, " ".join(facts)]))


def _flat(value: object) -> str:
    if isinstance(value, list):
        return f"[{'; '.join(_flat(item) for item in value)}]"
    if isinstance(value, Mapping):
        return " ".join(str(part) for part in value.values() if part not in (None, ""))
    return str(value)
