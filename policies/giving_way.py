"""What gives way when a prompt does not fit, one thing at a time in a stated order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from ninefold.state import AgentSettings, Constraint, Entry, Language, LayerName, Piece, Placed, Summary, reference_id

from .clipping import clipped, extent
from .render import as_sent, sent_text
from .text import plain_text

SMALLEST_CLIP = 96
"""Tokens of a message below which clipping it further would leave nothing to read."""
MARKER = 48
"""Tokens that the marker in a clipped message takes."""
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
        ...

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
class Draft:
    """What is still in the view while it is being fitted."""

    memories: tuple[Placed, ...]
    summary: Summary
    turns: tuple[tuple[Piece, ...], ...]
    current: tuple[Piece, ...]


class Given(NamedTuple):
    """A draft after something gave way."""

    draft: Draft
    layer: str
    times: int = 1
    """How many things of the layer gave way."""


def give_way(draft: Draft, material: Material, tokens: Counter, *, excess: int) -> Given | None:
    """Give the draft with the next things out or shortened; None when nothing is left.

    Several things of one kind go together where it is plain that fewer would not do: each step has the whole prompt
    counted again, and a long turn's calls would take minutes one by one.
    """
    if draft.memories:
        return Given(replace(draft, memories=draft.memories[:-1]), LayerName.MEMORIES)
    if not draft.summary.empty:
        return Given(replace(draft, summary=_shorter(draft.summary)), LayerName.SUMMARY)
    if draft.turns:
        gone = _too_little(draft.turns, material, tokens, excess)
        return Given(replace(draft, turns=draft.turns[gone:]), LayerName.WINDOW, gone)
    return (
        _clip_current(draft, material, tokens, excess, ToolMessage, SMALLEST_RESULT, "tool_results")
        or _without_oldest_calls(draft, material, tokens, excess)
        or _clip_current(draft, material, tokens, excess, HumanMessage, SMALLEST_CLIP, LayerName.CURRENT)
    )


def _too_little(parts: Sequence[Sequence[Piece]], material: Material, tokens: Counter, excess: int) -> int:
    """Give how many of the parts, from the first, free less than the excess together; at least one.

    What stands with a message, rules or memories, is not in its count: a part with any is the last of its step.
    """
    entries = {entry.message: entry for entry in material.entries}
    known = {message.id: message for message in material.messages}
    freed = 0
    for number, part in enumerate(parts):
        freed += sum(
            _size(piece, known[piece.message], material, tokens) if piece.clip else entries[piece.message].tokens
            for piece in part
        )
        if freed >= excess or any(piece.rules or entries[piece.message].placed for piece in part):
            return max(number, 1)
    return max(len(parts), 1)


def _size(piece: Piece, message: BaseMessage, material: Material, tokens: Counter) -> int:
    return tokens.message(HumanMessage(sent_text(message, piece.clip, material.language)))


def _without_oldest_calls(draft: Draft, material: Material, tokens: Counter, excess: int) -> Given | None:
    """Give the draft without this turn's oldest calls and their results; the newest ones always stay."""
    known = {message.id: message for message in material.messages}
    rounds = _rounds(draft, known)
    if len(rounds) < 2:
        return None
    gone = _too_little(rounds[:-1], material, tokens, excess)
    out = {piece.message for part in rounds[:gone] for piece in part}
    return Given(replace(draft, current=tuple(p for p in draft.current if p.message not in out)), "tool_results", gone)


def _rounds(draft: Draft, known: Mapping[str | None, BaseMessage]) -> list[list[Piece]]:
    """Give this turn's calls, each with its results, oldest first."""
    rounds: list[list[Piece]] = []
    waiting: dict[str, list[Piece]] = {}
    for piece in draft.current:
        message = known[piece.message]
        if calls := _calls(message):
            rounds.append([piece])
            waiting |= dict.fromkeys(calls, rounds[-1])
        elif isinstance(message, ToolMessage) and message.tool_call_id in waiting:
            waiting.pop(message.tool_call_id).append(piece)
    return rounds


def _calls(message: BaseMessage) -> list[str]:
    return [call["id"] or "" for call in message.tool_calls] if isinstance(message, AIMessage) else []


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
    draft: Draft,
    material: Material,
    tokens: Counter,
    excess: int,
    role: type[BaseMessage],
    smallest: int,
    name: str,
) -> Given | None:
    """Give the draft with this turn's longest messages of a role cut to what is needed, not below the smallest clip."""
    known = {message.id: message for message in material.messages}
    sizes: dict[str, int] = {}
    for piece in draft.current:
        message = known[piece.message]
        if isinstance(message, role):
            sizes[piece.message] = _size(piece, message, material, tokens)
    count = 0
    for longest in sorted(sizes, key=lambda message: sizes[message], reverse=True):
        limit = max(smallest, min(sizes[longest] - excess - MARKER, int(sizes[longest] * 0.9)))
        cut = _cut(draft, material, tokens, longest, limit) if limit < sizes[longest] else None
        if cut is None:
            continue
        draft, count = cut, count + 1
        excess -= sizes[longest] - limit
        if excess <= 0:
            break
    return Given(draft, name, count) if count else None


def _cut(draft: Draft, material: Material, tokens: Counter, message: str, limit: int) -> Draft | None:
    """Give the draft with one message of this turn cut to a limit, or None when that sends no less of it than now."""
    text = plain_text(next(m for m in material.messages if m.id == message))
    entry = next(e for e in material.entries if e.message == message)
    before = next(p.clip for p in draft.current if p.message == message)
    clip = clipped(text, limit, entry.reference or reference_id(entry.turn, entry.sequence), tokens)
    if extent(clip) >= (len(text) if before is None else extent(before)):
        return None
    pieces = tuple(p.model_copy(update={"clip": clip}) if p.message == message else p for p in draft.current)
    return replace(draft, current=pieces)


def cut_anyway(draft: Draft, material: Material, tokens: Counter, room: int) -> Draft:
    """Give the draft with each text of the person's that could never fit cut to half of the room.

    It is cut whatever else gives way, so nothing else has to for its sake; and it is cut alike in each call of a turn.
    """
    known = {message.id: message for message in material.messages}
    for piece in draft.current:
        message = known[piece.message]
        if isinstance(message, HumanMessage) and tokens.message(as_sent(message)) > room:
            draft = _cut(draft, material, tokens, piece.message, max(room // 2, SMALLEST_CLIP)) or draft
    return draft
