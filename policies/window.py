"""What of the working window may leave it: whole turns, oldest first, never a part of a call's group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from ninefold.state import AgentSettings, Entry
from ninefold.state.turn_state import TurnState

FLOOR_TURNS = 2
"""The present turn and the one before it stay as they are."""


class Group(NamedTuple):
    """One turn in the window, or several that a call and its result tie together; it leaves whole or not at all."""

    turns: tuple[str, ...]
    messages: tuple[BaseMessage, ...]
    entries: tuple[Entry, ...]

    @property
    def tokens(self) -> int:
        """Give what the group adds to a prompt."""
        return sum(entry.tokens for entry in self.entries)

    @property
    def ids(self) -> tuple[str, ...]:
        """Give the ids of its messages."""
        return tuple(entry.message for entry in self.entries)

    @property
    def counted(self) -> int:
        """Give how many of its messages `recent_keep` counts."""
        return sum(1 for message in self.messages if _counts(message))


def groups(state: TurnState) -> tuple[Group, ...]:
    """Give the window as groups, oldest first; messages without an entry belong to the group before them."""
    known = {entry.message: entry for entry in state.entries}
    turn_of: list[tuple[str, BaseMessage]] = []
    turn = ""
    for message in state.messages:
        entry = known.get(message.id or "")
        turn = entry.turn if entry else turn
        turn_of.append((turn, message))
    single = [
        Group((turn,), tuple(m for _, m in part), tuple(known[m.id] for _, m in part if m.id in known))
        for turn, part in ((t, list(p)) for t, p in groupby(turn_of, key=lambda pair: pair[0]))
    ]
    return _tied(single)


def movable(state: TurnState, settings: AgentSettings) -> tuple[Group, ...]:
    """Give the groups that may leave, oldest first.

    The floor stays: the present turn and the one before it, groups with a call that waits for its result, key turns
    within their limits, and whatever the archive does not hold yet.
    """
    window = groups(state)
    floor = {turn for group in window[-FLOOR_TURNS:] for turn in group.turns}
    if state.turn is not None:
        floor.add(state.turn.id)
    floor |= key_turns(window, settings)
    return tuple(
        group
        for group in window
        if not floor.intersection(group.turns) and archived(group) and not open_calls(group.messages)
    )


def oldest(candidates: Sequence[Group], *, tokens: int, messages: int) -> tuple[Group, ...]:
    """Give the oldest groups that together hold this many tokens and counted messages, or all there are."""
    taken: list[Group] = []
    for group in candidates:
        if tokens <= 0 and messages <= 0:
            break
        taken.append(group)
        tokens -= group.tokens
        messages -= group.counted
    return tuple(taken)


def key_turns(window: Sequence[Group], settings: AgentSettings) -> set[str]:
    """Give the key turns that stay: the newest ones within key_turns and key_turn_tokens."""
    policy = settings.context_policy
    kept: set[str] = set()
    spent = 0
    for group in reversed(window):
        if any(entry.key for entry in group.entries):
            spent += group.tokens
            if len(kept) >= policy.key_turns or spent > policy.key_turn_tokens:
                break
            kept.update(group.turns)
    return kept


def archived(group: Group) -> bool:
    """Whether the archive holds every message of the group."""
    return len(group.entries) == len(group.messages) and all(entry.archived for entry in group.entries)


def open_calls(messages: Iterable[BaseMessage]) -> bool:
    """Whether a call among the messages has no result among them, or a result no call before it."""
    waiting: set[str] = set()
    for message in messages:
        if isinstance(message, AIMessage):
            waiting.update(call["id"] or "" for call in message.tool_calls)
        elif isinstance(message, ToolMessage):
            if message.tool_call_id not in waiting:
                return True
            waiting.discard(message.tool_call_id)
    return bool(waiting)


def people_and_replies(state: TurnState) -> int:
    """Give how many messages of the window `recent_keep` counts: the person's, and replies without calls."""
    return sum(1 for message in state.messages if _counts(message))


def _counts(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) or (isinstance(message, AIMessage) and not message.tool_calls)


def _tied(window: list[Group]) -> tuple[Group, ...]:
    """Give the groups with those joined between which a call and its result are split, and those between them."""
    made: list[Group] = []
    called_in: dict[str, int] = {}
    for group in window:
        needs = {m.tool_call_id for m in group.messages if isinstance(m, ToolMessage)}
        own = {call["id"] or "" for m in group.messages if isinstance(m, AIMessage) for call in m.tool_calls}
        first = min((called_in[id_] for id_ in needs - own if id_ in called_in), default=len(made))
        joined = [*made[first:], group]
        made[first:] = [
            Group(
                tuple(dict.fromkeys(t for g in joined for t in g.turns)),
                tuple(m for g in joined for m in g.messages),
                tuple(e for g in joined for e in g.entries),
            )
        ]
        called_in = {id_: min(place, first) for id_, place in called_in.items()} | dict.fromkeys(own, len(made) - 1)
    return tuple(made)
