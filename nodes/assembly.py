"""assembly: build this call's context anew from the layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ninefold.policies.apply import Applied, applied
from ninefold.policies.assemble import Material, assemble
from ninefold.policies.bounded import beside
from ninefold.policies.left_view import left_view
from ninefold.policies.notices import notice
from ninefold.policies.render import memory_line
from ninefold.policies.standing import cleared, never_gives_way, with_rules, without_recalled, without_rules
from ninefold.state import (
    AgentSettings,
    Assembled,
    ChangeKind,
    Compacted,
    ConstraintsUpdated,
    Degraded,
    Entry,
    Fate,
    Language,
    Order,
    Placed,
    Recalled,
    Step,
    View,
)
from ninefold.state.turn_state import TurnState, Update

from .ports import Schema, TokenCounter


def assembly(
    state: TurnState, *, tokens: TokenCounter, settings: AgentSettings, fixed: str, tools: Sequence[Schema] = ()
) -> Update:
    """Give the view of the next call: a new one for each call, over the window as the pending proposals would leave it.

    What was recalled is noted on the message it is sent with, so that the same bytes are sent again next turn. So is a
    new rule, until the head of the prompt is rewritten: by a compaction, or because a rule in it was withdrawn.
    """
    assert state.turn is not None
    language = state.language or Language.ENGLISH
    window = applied(state.messages, state.entries, state.summary, state.proposals)
    if state.proposals:
        window = window._replace(entries=cleared(window.entries, state.turn.id))
    entries = _placed_rules(state, tokens, settings)
    material = Material(
        messages=window.messages,
        entries=window.entries if state.proposals else entries,
        turn=state.turn.id,
        constraints=state.constraints,
        summary=window.summary,
        memories=_memories(state, window, language, settings),
        fixed=fixed,
        tools=tools,
        language=language,
        settings=settings,
    )
    view, placed = assemble(material, tokens)
    if not state.proposals and view.head != state.head and any(entry.rules for entry in entries):
        entries = without_rules(entries)
        view, placed = assemble(replace(material, entries=entries), tokens)
    if not state.proposals and view.gave_way:
        # What only an earlier question asked for gives way before what this one found, there or anew.
        found = {memory.id for memory in state.recalled if memory.fate in (Fate.IN_VIEW, Fate.GAVE_WAY)}
        fewer = without_recalled(entries, state.turn.id, but=found)
        if fewer != entries:
            entries = fewer
            view, placed = assemble(replace(material, entries=entries), tokens)
    there, gone = _beside_earlier(view, window.entries if state.proposals else entries, state.turn.id)
    kept = {memory.id for memory in placed}
    fates = [_with_fate(memory, kept, there, gone) for memory in state.recalled]
    return Update(
        view=view,
        entries=_place(state, entries, placed) if settings.context_policy.order is Order.STABLE else entries,
        recalled=beside(view, fates),
        trace=(
            Assembled(tokens=view.tokens, needed=view.needed, gave_way=view.gave_way),
            *_told(state, view, tokens, settings),
        ),
    )


CROWDED = 0.6
"""Share of the budget that fixed text and constraints may take before the person is asked to merge some."""


def _told(state: TurnState, view: View, tokens: TokenCounter, settings: AgentSettings) -> tuple[Degraded, ...]:
    """Give what the person must hear of a view, once a turn: crowding rules (S3 §3.2), a message that was clipped."""
    if any(isinstance(event, Assembled) for event in state.trace):
        return ()
    people = {message.id for message in state.messages if message.type == "human"}
    clips = [p.clip for layer in view.layers for p in layer.pieces if p.clip is not None and p.message in people]
    clipped = notice("message_clipped", state.language)
    told = tuple(Degraded(step=Step.ASSEMBLY, what=clipped, cause=clip.reference) for clip in clips)
    return (*_crowded(state, view, tokens, settings), *told)


def _crowded(state: TurnState, view: View, tokens: TokenCounter, settings: AgentSettings) -> tuple[Degraded, ...]:
    budget = settings.model.num_ctx - settings.model.num_predict
    share = never_gives_way(view.layers, tokens) / budget
    if share <= CROWDED:
        return ()
    what = notice("constraints_large", state.language, share=round(share * 100))
    cause = "; ".join(constraint.words for constraint in state.constraints)
    return (Degraded(step=Step.ASSEMBLY, what=what, cause=cause[:400]),)


def _memories(state: TurnState, window: Applied, language: Language, settings: AgentSettings) -> tuple[Placed, ...]:
    """Give what was recalled, and what needed no recall until a cut of this turn took it out of the window."""
    assert state.turn is not None
    wanted = {each.id for each in state.recalled if each.fate in (Fate.RECALLED, Fate.GAVE_WAY)}
    if state.proposals or any(isinstance(event, Compacted) for event in state.trace):
        policy = settings.context_policy
        back = left_view(
            state.recalled,
            window,
            state.constraints,
            turn=state.turn.id,
            gone=_gone(state),
            most=2 * policy.memory_search_top_k,
            tokens=2 * settings.memory_limit,
        )
        wanted.update(each.id for each in back)
    # In one order in every call of the turn, so that the message stays as it was sent; the last one gives way first.
    best = sorted(state.recalled, key=lambda each: -(each.words or 0.0) if each.source == "turn" else -math.inf)
    wanted -= {each.id for entry in window.entries if entry.turn != state.turn.id for each in entry.placed}
    return tuple(Placed(id=each.id, text=memory_line(each, language)) for each in best if each.id in wanted)


def _gone(state: TurnState) -> tuple[str, ...]:
    """Give the words of the rules that this turn replaced or took back."""
    changes = [change for event in state.trace if isinstance(event, ConstraintsUpdated) for change in event.changes]
    words = [change.replaces or change.words for change in changes if change.change is not ChangeKind.ADDED]
    return tuple(part for each in words for part in each.split("; "))


def _beside_earlier(view: View, entries: Sequence[Entry], turn: str) -> tuple[set[str], set[str]]:
    """Give the memories that stand with earlier messages of a view, and those whose message gave way."""
    sent = {piece.message for layer in view.layers for piece in layer.pieces}
    earlier = [entry for entry in entries if entry.placed and entry.turn != turn]
    there = {each.id for entry in earlier if entry.message in sent for each in entry.placed}
    return there, {each.id for entry in earlier for each in entry.placed} - there


def _with_fate(memory: Recalled, placed: set[str], there: set[str], gone: set[str]) -> Recalled:
    """Give a candidate as the view has it: given up for want of room, or brought back behind a cut."""
    if memory.fate is Fate.GAVE_WAY and memory.id in there:
        return memory.model_copy(update={"fate": Fate.IN_VIEW})
    if memory.fate in (Fate.IN_VIEW, Fate.GAVE_WAY) and memory.id in placed:
        return memory.model_copy(update={"fate": Fate.RECALLED})
    if memory.fate is Fate.IN_VIEW and memory.id in gone:
        return memory.model_copy(update={"fate": Fate.GAVE_WAY})
    if memory.fate is Fate.RECALLED and memory.id not in placed:
        return memory.model_copy(update={"fate": Fate.GAVE_WAY})
    return memory


def _placed_rules(state: TurnState, tokens: TokenCounter, settings: AgentSettings) -> tuple[Entry, ...]:
    """Give the entries with this turn's new rules placed on its request; in the other order all stand in the head."""
    assert state.turn is not None
    if settings.context_policy.order is not Order.STABLE:
        return without_rules(state.entries)
    return with_rules(
        state.entries,
        state.constraints,
        turn=state.turn.id,
        message=_request(state),
        limit=settings.context_policy.constraint_tokens,
        tokens=tokens,
    )


def _place(state: TurnState, entries: tuple[Entry, ...], placed: tuple[Placed, ...]) -> tuple[Entry, ...]:
    """Give the entries with the memories noted on this turn's request."""
    request = _request(state)
    return tuple(
        e.model_copy(update={"placed": placed}) if e.message == request and e.placed != placed else e for e in entries
    )


def _request(state: TurnState) -> str | None:
    """Give the last message that the person wrote in this turn."""
    assert state.turn is not None
    people = {m.id for m in state.messages if m.type == "human"}
    mine = [e.message for e in state.entries if e.turn == state.turn.id and e.message in people]
    return mine[-1] if mine else None
