"""memory_retrieval: what is known about the person, always; what was said and agreed before, when the intent asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from langchain_core.messages import HumanMessage

from ninefold.policies.cues import ends
from ninefold.policies.notices import notice
from ninefold.policies.recall import CANDIDATES, InView, Limits, Ranking, Scored
from ninefold.policies.text import plain_text, sentences
from ninefold.state import (
    ALWAYS_RECALLED,
    ContextPolicy,
    Degraded,
    Event,
    Fate,
    MemoryKind,
    MemoryRecord,
    MemoryRetrieved,
    MemoryStoreError,
    Step,
)
from ninefold.state.turn_state import TurnState, Update

from .ports import MemoryStore

ON_DEMAND = tuple(kind for kind in MemoryKind if kind not in ALWAYS_RECALLED)
"""The kinds that only a search brings."""


def memory_retrieval(
    state: TurnState, *, memory: MemoryStore | None, policy: ContextPolicy, ranking: Ranking
) -> Update:
    """Give every candidate of this turn's recall with its score and fate; assembly places those that are recalled.

    Preferences and profile come by filter, without an embedding; the rest by search, and only when the intent asks. A
    store that fails leaves the turn without memories, and says so.
    """
    assert state.turn is not None
    if memory is None:
        return Update(recalled=(), trace=(MemoryRetrieved(considered=0, recalled=0, reason="off"),))
    events: list[Event] = []
    always: tuple[MemoryRecord, ...] = ()
    found: tuple[Scored, ...] = ()
    try:
        always = memory.by_kind(state.turn.user, ALWAYS_RECALLED)
        found = _searched(state, memory, policy)
    except MemoryStoreError as error:
        events.append(
            Degraded(
                step=Step.MEMORY_RETRIEVAL,
                what=notice("only_preferences" if always else "nothing_recalled", state.language),
                cause=str(error)[:400],
            )
        )
    minimum = memory.min_score if policy.memory_search_min_score is None else policy.memory_search_min_score
    recalled = ranking.rank(
        always,
        found,
        query=_query(state),
        view=_in_view(state),
        limits=Limits(min_score=minimum, top_k=policy.memory_search_top_k, tokens=policy.memory_tokens),
    )
    count = sum(candidate.fate is Fate.RECALLED for candidate in recalled)
    reason = "" if state.intent and state.intent.search else "preferences and profile only"
    events.append(MemoryRetrieved(considered=len(always) + len(found), recalled=count, reason=reason))
    return Update(recalled=recalled, trace=tuple(events))


def _searched(state: TurnState, memory: MemoryStore, policy: ContextPolicy) -> tuple[Scored, ...]:
    """Twice as many as may be recalled: those that the view holds already, or that are doublets, take no place."""
    assert state.turn is not None
    if state.intent is None or not state.intent.search or not state.intent.query:
        return ()
    limit = min(CANDIDATES, 2 * policy.memory_search_top_k + len(state.entries))
    return memory.search(state.turn.user, state.intent.query, limit=limit, kinds=state.intent.kinds or ON_DEMAND)


def _query(state: TurnState) -> str:
    """What the person wants now: the intent's query, or this turn's words."""
    assert state.turn is not None
    if state.intent is not None and state.intent.query:
        return state.intent.query
    mine = {entry.message for entry in state.entries if entry.turn == state.turn.id}
    return "\n".join(plain_text(m) for m in state.messages if isinstance(m, HumanMessage) and m.id in mine)


def _in_view(state: TurnState) -> InView:
    """What the prompt holds without a recall: placed memories, turns that stand whole in the window, constraints."""
    shortened = {entry.turn for entry in state.entries if entry.compacted or entry.reference is not None}
    people = [m for m in state.messages if isinstance(m, HumanMessage)]
    said = {m.id for m in people}
    return InView(
        ids=frozenset(placed.id for entry in state.entries for placed in entry.placed),
        turns=frozenset(e.turn for e in state.entries if e.message in said and e.turn not in shortened),
        texts=(*(constraint.words for constraint in state.constraints), *_told(people)),
    )


def _told(people: Sequence[HumanMessage]) -> Iterator[str]:
    """What the person states in the window; a question holds the words of its answer without telling it."""
    for message in people:
        for part in ends(plain_text(message)):
            yield from (span.text for span in sentences(part) if not span.text.endswith(("?", "？")))
