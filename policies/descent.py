"""When the window is too full, and which strategies are left to make room: one descent a turn, mildest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ninefold.state import AgentSettings
from ninefold.state.turn_state import TurnState

from .apply import over
from .window import movable, people_and_replies

KEPT_PART = 3
"""A cut by recent_keep leaves this part of it: each cut has the server read the rest anew, so it is deep and seldom."""


A_TURN = 2
"""Messages that a turn adds to those that recent_keep counts: the reply to these words, and the next words."""


class Named(Protocol):
    """Anything with a strategy's name."""

    @property
    def name(self) -> str:
        """Its name, as proposals and traces carry it."""
        ...


class Pressure(NamedTuple):
    """How full the window is, with the pending proposals, and what must leave it."""

    needed: int
    """Tokens of the prompt if nothing gave way."""
    window: int
    """Tokens of the window's messages."""
    messages: int
    """Messages of the person and replies in the window."""
    soft: int
    hard: int
    tokens_to_free: int
    messages_to_leave: int
    room_to_make: int
    """Tokens that may leave at all, where a trigger fired; below `smallest_block` a cut is not worth its broken prefix.
    """
    smallest_block: int
    """Half of the way from a high mark to its low one; an eighth where the prompt is over `hard` or a cut has begun."""
    fired: tuple[str, ...]
    """The triggers that are over their number and ask for more to leave: hard, window, recent_keep."""
    soon: bool
    """Whether a trigger is near enough for its cut to be prepared."""
    cut_tokens: int
    """Tokens that the next cut will take: from the window's high mark down to its low one; 0 while that is far."""
    cut_messages: int
    """Messages that the next cut will take, where the next turn brings the window over recent_keep; else 0."""

    @property
    def over(self) -> bool:
        """Whether the window is to be compacted now."""
        return self.wanting and self.room_to_make >= max(self.smallest_block, 1)

    @property
    def wanting(self) -> bool:
        """Whether something is to leave: a trigger fired, or a descent that has begun is above a low mark."""
        return self.tokens_to_free > 0 or self.messages_to_leave > 0

    @property
    def at_the_mark(self) -> Pressure:
        """Give the pressure as it will be when the next trigger fires."""
        return self._replace(tokens_to_free=self.cut_tokens, messages_to_leave=self.cut_messages)


def pressure(state: TurnState, settings: AgentSettings) -> Pressure:
    """Give the pressure on the window: a trigger fires at its high mark, and its descent ends at its low mark.

    Marks: the whole prompt from hard_threshold down to soft_threshold, the window's tokens from
    summary_threshold_tokens down to half, its messages from recent_keep down to a third. A trigger is judged on the
    window before any proposal of this descent, so that the descent goes on until the low mark and not only below the
    high one; once begun for want of tokens it goes down to both of their marks.
    """
    policy = settings.context_policy
    room = settings.model.num_ctx - settings.model.num_predict
    soft, hard = int(room * policy.soft_threshold), int(room * policy.hard_threshold)
    now = over(state, state.proposals)
    freed = sum(proposal.freed for proposal in state.proposals)
    needed = state.view.needed if state.view else 0
    tokens = sum(entry.tokens for entry in now.entries)
    count, count_before = people_and_replies(now), people_and_replies(state)
    gauges = (
        ("hard", needed + freed, needed, hard, soft),
        (
            "window",
            sum(e.tokens for e in state.entries),
            tokens,
            policy.summary_threshold_tokens,
            policy.summary_threshold_tokens // 2,
        ),
        ("recent_keep", count_before, count, policy.recent_keep, policy.recent_keep // KEPT_PART),
    )
    triggered = tuple(name for name, before, _, high, _ in gauges if before > high)
    excess = {name: current - low for name, _, current, _, low in gauges if name in triggered and current > low}
    begun = bool(state.proposals)
    if begun or excess.keys() & {"hard", "window"}:
        # The prompt is read anew from a cut on, so the next one is to be far.
        excess |= {name: current - low for name, _, current, _, low in gauges[:2] if current > low}
    if any(entry.restored for entry in state.entries) and needed + freed <= hard:
        # What the person brought back stays until a prompt needs more than the hard threshold.
        excess = {}
    messages = excess.get("recent_keep", 0)
    # The window's own soft mark stands to its trigger as the prompt's soft threshold stands to its hard one.
    soft_window = int(policy.summary_threshold_tokens * policy.soft_threshold / policy.hard_threshold)
    half = policy.summary_threshold_tokens - policy.summary_threshold_tokens // 2
    near = needed > soft or tokens > soft_window
    next_count = count + A_TURN
    return Pressure(
        needed=needed,
        window=tokens,
        messages=count,
        soft=soft,
        hard=hard,
        tokens_to_free=max(excess.get("hard", 0), excess.get("window", 0)),
        messages_to_leave=messages,
        room_to_make=sum(group.tokens for group in movable(now, settings)) if excess else 0,
        smallest_block=0 if messages else max(64, min(half, hard - soft) // (8 if begun or "hard" in triggered else 2)),
        fired=triggered if excess else (),
        soon=near or next_count > policy.recent_keep,
        cut_tokens=min(half, hard - soft) if near else 0,
        cut_messages=next_count - policy.recent_keep // KEPT_PART if next_count > policy.recent_keep else 0,
    )


def strategies_left(state: TurnState, settings: AgentSettings, strategies: Sequence[Named]) -> tuple[str, ...]:
    """Give the names of the strategies that may still be tried in this turn, mildest first."""
    if state.candidates >= settings.context_policy.max_candidates:
        return ()
    tried = {proposal.strategy for proposal in state.proposals} | {struck.strategy for struck in state.struck}
    return tuple(strategy.name for strategy in strategies if strategy.name not in tried)


def strategy_left(state: TurnState, settings: AgentSettings, strategies: Sequence[Named]) -> bool:
    """Whether compaction is the way to go on: the window is over a mark, and a strategy may still be tried."""
    return bool(strategies_left(state, settings, strategies)) and pressure(state, settings).over
