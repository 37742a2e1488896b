"""A turn's context as a view that fits: layers in order, giving way in a stated order when they must."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Protocol

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ninefold.state import (
    AgentSettings,
    Constraint,
    Entry,
    Language,
    Layer,
    LayerName,
    Order,
    Piece,
    Placed,
    Scope,
    Summary,
    View,
    reference_id,
)

from .clipping import clipped, extent
from .constraint_layer import render_constraints
from .render import as_sent, block, label, memory_lines, render, sent_text
from .summary_layer import render_summary
from .text import plain_text

SMALLEST_CLIP = 96
"""Tokens of a message below which clipping it further would leave nothing to read."""
MARKER = 48
"""Tokens that the marker in a clipped message takes."""
NEVER = (LayerName.FIXED, LayerName.CONSTRAINTS, LayerName.TURN_CONSTRAINTS)
"""The layers that never give way."""
SMALLEST_RESULT = 160
"""Tokens to which the results of the present turn may be cut before the person's own long text is."""


class Counter(Protocol):
    """The part of a token counter that fitting needs."""

    def message(self, message: BaseMessage) -> int:
        """Give what a message adds to a rendered prompt."""
        ...

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, object]] = ()) -> int:
        """Give the tokens of the whole rendered prompt."""
        ...

    def overhead(self, tools: Sequence[Mapping[str, object]] = ()) -> int:
        """Give what the tools and the reply primer add."""
        ...

    def text(self, text: str) -> int:
        """Give the tokens of a bare text."""

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        """Give the longest head, or tail, of at most `limit` tokens."""
        ...


@dataclass(frozen=True, kw_only=True)
class Material:
    """Everything a view is made of, before anything gives way."""

    messages: Sequence[BaseMessage]
    entries: Sequence[Entry]
    turn: str
    constraints: Sequence[Constraint]
    summary: Summary
    memories: Sequence[Placed]
    fixed: str
    tools: Sequence[Mapping[str, object]]
    language: Language
    settings: AgentSettings


@dataclass(frozen=True, kw_only=True)
class _Draft:
    """What is still in the view while it is being fitted."""

    memories: tuple[Placed, ...]
    summary: Summary
    turns: tuple[tuple[Piece, ...], ...]
    current: tuple[Piece, ...]


def assemble(material: Material, tokens: Counter) -> tuple[View, tuple[Placed, ...]]:
    """Give the view of the next call and the memories that it places.

    A text of the person's that could never fit is cut first, between its ends and by reference. When the prompt and the
    reserve still exceed num_ctx, layers give way in this order: memories, summary, oldest window turns, tool results of
    this turn, and last more of the person's text, each by reference; the fixed layer and the constraints never do.
    `needed` tells what nothing giving way would have taken. `over` names the layer that cannot fit at all.
    """
    policy = material.settings.context_policy
    reserve = material.settings.model.num_predict
    budget = material.settings.model.num_ctx - reserve
    groups = [tuple(group) for _, group in groupby(material.entries, key=lambda entry: entry.turn)]
    draft = _Draft(
        memories=tuple(material.memories),
        summary=material.summary,
        turns=tuple(tuple(Piece(message=e.message) for e in g) for g in groups if g[0].turn != material.turn),
        current=tuple(Piece(message=e.message) for e in material.entries if e.turn == material.turn),
    )
    layers = _layers(draft, material, tokens, policy.order)
    needed = total = _total(layers, material, tokens)
    gave_way: dict[str, int] = {}
    never = sum(each.tokens for each in layers if each.name in NEVER)
    cut = _cut_anyway(draft, material, tokens, budget - never)
    if cut is not draft:
        draft, gave_way[LayerName.CURRENT] = cut, 1
        layers = _layers(draft, material, tokens, policy.order)
        total = _total(layers, material, tokens)
    while total > budget:
        step = _give_way(draft, material, tokens, excess=total - budget)
        if step is None:
            break
        draft, name = step
        gave_way[name] = gave_way.get(name, 0) + 1
        layers = _layers(draft, material, tokens, policy.order)
        total = _total(layers, material, tokens)
    view = View(
        layers=layers,
        tokens=total,
        reserve=reserve,
        needed=needed,
        gave_way=tuple(f"{name}: {count}" for name, count in gave_way.items()),
        over=_largest(layers) if total > budget else None,
    )
    return view, draft.memories


def _layers(draft: _Draft, material: Material, tokens: Counter, order: Order) -> tuple[Layer, ...]:
    """Give the layers of a draft in the order they are sent, each with the tokens it adds."""
    session = [c for c in material.constraints if c.scope is not Scope.TURN]
    this_turn = [c for c in material.constraints if c.scope is Scope.TURN]
    texts = {
        LayerName.CONSTRAINTS: render_constraints(session) if session else "",
        LayerName.SUMMARY: "" if draft.summary.empty else render_summary(draft.summary, material.language),
        LayerName.MEMORIES: memory_lines(draft.memories),
        LayerName.TURN_CONSTRAINTS: render_constraints(this_turn) if this_turn else "",
    }
    pieces = {
        LayerName.WINDOW: tuple(piece for turn in draft.turns for piece in turn),
        LayerName.CURRENT: draft.current,
    }
    digest = hashlib.sha256(material.fixed.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    fixed = tokens.message(SystemMessage(material.fixed)) + tokens.overhead(material.tools)
    layers = [Layer(name=LayerName.FIXED, text=digest, tokens=fixed)]
    head = material.fixed
    for name in ORDERS[order]:
        if name in pieces:
            # An empty window stands in the view too: it tells what goes into the head and what to the request.
            anchor = label(name, material.language) if name is LayerName.CURRENT else ""
            cost = _messages_cost(name, pieces[name], material, tokens)
            layers.append(Layer(name=name, anchor=anchor, pieces=pieces[name], tokens=cost))
            continue
        text = texts[name]
        if not text:
            continue
        anchor = label(name, material.language)
        longer = f"{head}\n\n{block(anchor, text)}"
        cost = tokens.message(SystemMessage(longer)) - tokens.message(SystemMessage(head))
        layers.append(Layer(name=name, anchor=anchor, text=text, tokens=max(cost, 0)))
        if name in (LayerName.CONSTRAINTS, LayerName.SUMMARY):
            head = longer
    return tuple(layers)


ORDERS: Mapping[Order, tuple[LayerName, ...]] = {
    Order.STABLE: (
        LayerName.CONSTRAINTS,
        LayerName.SUMMARY,
        LayerName.WINDOW,
        LayerName.MEMORIES,
        LayerName.TURN_CONSTRAINTS,
        LayerName.CURRENT,
    ),
    Order.RECALL_FIRST: (
        LayerName.CONSTRAINTS,
        LayerName.SUMMARY,
        LayerName.MEMORIES,
        LayerName.WINDOW,
        LayerName.TURN_CONSTRAINTS,
        LayerName.CURRENT,
    ),
}
"""The two orders of a prompt behind the fixed layer: S3 §6.1's and S0 §3.3's."""


def _messages_cost(name: LayerName, pieces: tuple[Piece, ...], material: Material, tokens: Counter) -> int:
    layer = Layer(name=name, pieces=pieces, tokens=0)
    view = View(layers=(layer,), tokens=0, reserve=0, needed=0)
    return sum(tokens.message(message) for message in _rendered(view, material)[1:])


def _total(layers: tuple[Layer, ...], material: Material, tokens: Counter) -> int:
    """Give the tokens of the rendered prompt itself; the layers' own figures only explain it."""
    view = View(layers=layers, tokens=0, reserve=0, needed=0)
    sent = _rendered(view, material)
    return tokens.prompt(sent, material.tools)


def _rendered(view: View, material: Material) -> list[BaseMessage]:
    return render(view, material.messages, material.entries, fixed=material.fixed, language=material.language)


def _largest(layers: Sequence[Layer]) -> LayerName:
    return max(layers, key=lambda layer: layer.tokens).name


def _give_way(draft: _Draft, material: Material, tokens: Counter, *, excess: int) -> tuple[_Draft, str] | None:
    """Give the draft with the next thing out or shortened, and the layer it belongs to; None when nothing is left."""
    if draft.memories:
        return replace(draft, memories=draft.memories[:-1]), LayerName.MEMORIES
    if not draft.summary.empty:
        return replace(draft, summary=_shorter(draft.summary)), LayerName.SUMMARY
    if draft.turns:
        return replace(draft, turns=draft.turns[1:]), LayerName.WINDOW
    return _clip_current(
        draft, material, tokens, excess, ToolMessage, SMALLEST_RESULT, "tool_results"
    ) or _clip_current(draft, material, tokens, excess, HumanMessage, SMALLEST_CLIP, LayerName.CURRENT)


def _shorter(summary: Summary) -> Summary:
    """Give the summary without its least needed item: facts, then decisions, then next steps, oldest first."""
    if summary.other_facts:
        return summary.model_copy(update={"other_facts": summary.other_facts[1:]})
    if summary.decisions:
        return summary.model_copy(update={"decisions": summary.decisions[1:]})
    if summary.next_steps:
        return summary.model_copy(update={"next_steps": summary.next_steps[1:]})
    return Summary(covers=summary.covers)


def _clip_current(
    draft: _Draft,
    material: Material,
    tokens: Counter,
    excess: int,
    role: type[BaseMessage],
    smallest: int,
    name: str,
) -> tuple[_Draft, str] | None:
    """Give the draft with this turn's longest message of a role cut to what is needed, not below the smallest clip."""
    known = {message.id: message for message in material.messages}
    sizes: dict[str, int] = {}
    for piece in draft.current:
        message = known[piece.message]
        if isinstance(message, role):
            sizes[piece.message] = tokens.message(HumanMessage(sent_text(message, piece.clip, material.language)))
    for longest in sorted(sizes, key=lambda message: sizes[message], reverse=True):
        limit = max(smallest, min(sizes[longest] - excess - MARKER, int(sizes[longest] * 0.9)))
        cut = _cut(draft, material, tokens, longest, limit) if limit < sizes[longest] else None
        if cut is not None:
            return cut, name
    return None


def _cut(draft: _Draft, material: Material, tokens: Counter, message: str, limit: int) -> _Draft | None:
    """Give the draft with one message of this turn cut to a limit, or None when that sends no less of it than now."""
    text = plain_text(next(m for m in material.messages if m.id == message))
    entry = next(e for e in material.entries if e.message == message)
    before = next(p.clip for p in draft.current if p.message == message)
    clip = clipped(text, limit, entry.reference or reference_id(entry.turn, entry.sequence), tokens)
    if extent(clip) >= (len(text) if before is None else extent(before)):
        return None
    pieces = tuple(Piece(message=p.message, clip=clip) if p.message == message else p for p in draft.current)
    return replace(draft, current=pieces)


def _cut_anyway(draft: _Draft, material: Material, tokens: Counter, room: int) -> _Draft:
    """Give the draft with each text of the person's that could never fit cut to half of the room.

    It is cut whatever else gives way, so nothing else has to for its sake; and it is cut alike in each call of a turn.
    """
    known = {message.id: message for message in material.messages}
    for piece in draft.current:
        message = known[piece.message]
        if isinstance(message, HumanMessage) and tokens.message(as_sent(message)) > room:
            draft = _cut(draft, material, tokens, piece.message, max(room // 2, SMALLEST_CLIP)) or draft
    return draft
