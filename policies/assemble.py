"""A turn's context as a view that fits: layers in order, giving way in a stated order when they must."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import groupby

from langchain_core.messages import BaseMessage, SystemMessage

from ninefold.state import Constraint, Layer, LayerName, Order, Piece, Placed, Scope, View

from .constraint_layer import render_constraints
from .giving_way import Counter, Draft, Material, cut_anyway, give_way
from .render import block, label, memory_lines, render
from .standing import lasting, never_gives_way, standing
from .summary_layer import render_summary

__all__ = ["Counter", "Material", "assemble"]


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
    rules = standing(material.entries, material.constraints)
    pieces = [(e.turn, Piece(message=e.message, rules=_rules(rules.get(e.message)))) for e in material.entries]
    groups = [(turn, tuple(piece for _, piece in group)) for turn, group in groupby(pieces, key=lambda pair: pair[0])]
    draft = Draft(
        memories=tuple(material.memories),
        summary=material.summary,
        turns=tuple(group for turn, group in groups if turn != material.turn),
        current=tuple(piece for turn, piece in pieces if turn == material.turn),
    )
    layers = _layers(draft, material, tokens, policy.order)
    total, head = _measured(layers, material, tokens)
    needed = total
    gave_way: dict[str, int] = {}
    never = never_gives_way(layers, tokens)
    cut = cut_anyway(draft, material, tokens, budget - never)
    if cut is not draft:
        draft, gave_way[LayerName.CURRENT] = cut, 1
        layers = _layers(draft, material, tokens, policy.order)
        total, head = _measured(layers, material, tokens)
    while total > budget:
        step = give_way(draft, material, tokens, excess=total - budget)
        if step is None:
            break
        draft, gave_way[step.layer] = step.draft, gave_way.get(step.layer, 0) + step.times
        layers = _layers(draft, material, tokens, policy.order)
        total, head = _measured(layers, material, tokens)
    view = View(
        layers=layers,
        tokens=total,
        reserve=reserve,
        needed=needed,
        head=head,
        gave_way=tuple(f"{name}: {count}" for name, count in gave_way.items()),
        over=_largest(layers) if total > budget else None,
    )
    return view, draft.memories


def _rules(constraints: Sequence[Constraint] | None) -> str:
    return render_constraints(constraints) if constraints else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _layers(draft: Draft, material: Material, tokens: Counter, order: Order) -> tuple[Layer, ...]:
    """Give the layers of a draft in the order they are sent, each with the tokens it adds."""
    sent = {piece.message for turn in (*draft.turns, draft.current) for piece in turn}
    rules = standing(material.entries, material.constraints)
    beside = {rule.id for message, placed in rules.items() if message in sent for rule in placed}
    session = [c for c in lasting(material.constraints) if c.id not in beside]
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
    fixed = tokens.message(SystemMessage(material.fixed)) + tokens.overhead(material.tools)
    layers = [Layer(name=LayerName.FIXED, text=_digest(material.fixed), tokens=fixed)]
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
    """Give what the messages of a layer add to the prompt: as counted when they came, or as sent where changed."""
    known = {entry.message: entry for entry in material.entries}
    window = name is LayerName.WINDOW
    changed = tuple(p for p in pieces if p.clip or p.rules or (window and known[p.message].placed))
    sent = _rendered((Layer(name=name, pieces=changed, tokens=0),), material)[1:] if changed else []
    other = {piece.message for piece in changed}
    as_written = sum(known[piece.message].tokens for piece in pieces if piece.message not in other)
    return as_written + sum(tokens.message(message) for message in sent)


def _measured(layers: tuple[Layer, ...], material: Material, tokens: Counter) -> tuple[int, str]:
    """Give the tokens of the rendered prompt, which the layers' own figures only explain, and its head's digest."""
    sent = _rendered(layers, material)
    return tokens.prompt(sent, material.tools), _digest(sent[0].text)


def _rendered(layers: tuple[Layer, ...], material: Material) -> list[BaseMessage]:
    view = View(layers=layers, tokens=0, reserve=0, needed=0)
    return render(view, material.messages, material.entries, fixed=material.fixed, language=material.language)


def _largest(layers: Sequence[Layer]) -> LayerName:
    return max(layers, key=lambda layer: layer.tokens).name
