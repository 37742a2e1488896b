"""memory_retrieval: what is known about the person, always; what was said and agreed before, when the intent asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from langchain_core.messages import HumanMessage

from ninefold.policies.bounded import within
from ninefold.policies.constraints import is_rule
from ninefold.policies.dates import Span, said_when
from ninefold.policies.forget_texts import any_of
from ninefold.policies.intent import QUERY_CHARACTERS, asks_for_a_reply
from ninefold.policies.memory_merge import without_placed
from ninefold.policies.notices import notice
from ninefold.policies.recall import CANDIDATES, Found, InView, Ranking
from ninefold.policies.references import references_in
from ninefold.policies.text import plain_text
from ninefold.state import (
    ALWAYS_RECALLED,
    AgentSettings,
    ConstraintsUpdated,
    Degraded,
    Entry,
    Event,
    Fate,
    MemoryKind,
    MemoryRecord,
    MemoryRetrieved,
    MemoryStatus,
    MemoryStoreError,
    NinefoldError,
    Recalled,
    Said,
    Step,
    StorageError,
)
from ninefold.state.turn_state import TurnState, Update

from .forgetting import asked
from .hiding import without
from .ports import MemoryStore, Past, TokenCounter
from .recall_bounds import in_view, limits_of
from .rules_elsewhere import rules_elsewhere

ON_DEMAND = tuple(kind for kind in MemoryKind if kind not in ALWAYS_RECALLED)
"""The kinds that only a search brings."""
CHANGES = 24
CHANGES_BYTES = 4096
"""Changes of constraints that one event shows, in number and as JSON."""
EARLIER = 12
"""Messages of earlier turns that are looked at."""


def memory_retrieval(
    state: TurnState,
    *,
    memory: MemoryStore | None,
    past: Past | None,
    settings: AgentSettings,
    ranking: Ranking,
    tokens: TokenCounter,
) -> Update:
    """Give every candidate of this turn's recall with its score and fate; assembly places those that are recalled.

    Preferences and profile come by filter, without an embedding; the rest, and what earlier turns of the thread hold,
    by search, and only when the intent asks. What fails is left out, and the turn says so. A memory that stands in the
    window from an earlier turn, and was forgotten or replaced since, on whichever thread, leaves it; a rule for all
    time that was replaced or taken back gives way to the one that holds. What the person asks to be forgotten now goes
    first, and the prompt says so.
    """
    forgetting = asked(state, memory, past, tokens)
    if forgetting is None:
        return _recall(state, memory, past, settings, ranking)
    update = _recall(forgetting.state, memory, past, settings, ranking)
    recalled = (forgetting.told, *update.get("recalled", ()))
    return Update(
        **{**forgetting.update, **update, "recalled": recalled, "trace": (*forgetting.events, *update.get("trace", ()))}
    )


def _recall(
    state: TurnState,
    memory: MemoryStore | None,
    past: Past | None,
    settings: AgentSettings,
    ranking: Ranking,
) -> Update:
    assert state.turn is not None
    holds = any_of(state.forgetting)
    memory = without(memory, holds) if memory is not None and state.forgetting else memory
    if memory is None and past is None:
        return Update(recalled=(), trace=(MemoryRetrieved(considered=0, recalled=0, reason="off"),))
    view = in_view(state, state.entries)
    when = said_when(_query(state), state.turn.at)
    events: list[Event] = []
    said: tuple[Said, ...] = ()
    try:
        said = tuple(each for each in _said(state, past, view, when) if not holds(each.text))
    except StorageError as error:
        events.append(_degraded(state, "nothing_recalled", error))
    always: tuple[MemoryRecord, ...] = ()
    found = Found(said=said, when=when)
    entries = None
    constraints = state.constraints
    try:
        entries = _still_true(state, memory)
        in_force = rules_elsewhere(state.constraints, memory, state.turn.user, state.turn.id)
        constraints = in_force.constraints
        if in_force.changes:
            events.append(
                ConstraintsUpdated(
                    step=Step.MEMORY_RETRIEVAL,
                    changes=within(in_force.changes[:CHANGES], CHANGES_BYTES),
                    reason="its memory was replaced or taken back",
                )
            )
        always = memory.by_kind(state.turn.user, ALWAYS_RECALLED) if memory is not None else ()
        found = _searched(state, memory, settings, found)
    except MemoryStoreError as error:
        # Without the memories nobody knows what of the earlier turns was replaced or taken back since.
        found = Found()
        unchecked = "placed_unchecked" if entries is None else "nothing_recalled"
        events.append(_degraded(state, "only_preferences" if always else unchecked, error))
    entries = state.entries if entries is None else entries
    view = in_view(state.model_copy(update={"constraints": constraints}), entries)
    recalled = ranking.rank(always, found, query=_query(state), view=view, limits=limits_of(state, memory, settings))
    events += _rules_left(state, always, recalled)
    count = sum(candidate.fate is Fate.RECALLED for candidate in recalled)
    reason = "" if state.intent and state.intent.search else "preferences and profile only"
    considered = len(always) + len({r.id for r, _ in (*found.near, *found.matching)}) + len(found.said)
    events.append(MemoryRetrieved(considered=considered, recalled=count, reason=reason))
    update = Update(recalled=recalled, trace=tuple(events))
    if entries != state.entries:
        update["entries"] = entries
    if constraints != state.constraints:
        update["constraints"] = constraints
    return update


def _still_true(state: TurnState, memory: MemoryStore | None) -> tuple[Entry, ...]:
    """The entries without placed memories that no longer hold; no embedding is made.

    What came from an earlier turn has no record of its own and stays.
    """
    assert state.turn is not None
    ids = dict.fromkeys(p.id for p in chain.from_iterable(e.placed for e in state.entries) if not references_in(p.id))
    if memory is None or not ids:
        return state.entries
    found = memory.get(state.turn.user, list(ids))
    return without_placed(state.entries, ids.keys() - {r.id for r in found if r.status is MemoryStatus.ACTIVE})


def _searched(state: TurnState, memory: MemoryStore | None, settings: AgentSettings, found: Found) -> Found:
    """More than may be recalled: those that the view holds already, or that are doublets, take no place."""
    assert state.turn is not None
    if memory is None or state.intent is None or not state.intent.search or not state.intent.query:
        return found
    user, query = state.turn.user, state.intent.query
    # The preferences and the profile are known already; the search tells which of them bear on the question.
    kinds = (*(state.intent.kinds or ON_DEMAND), *ALWAYS_RECALLED)
    limit = min(CANDIDATES, 6 * settings.context_policy.memory_search_top_k + len(state.entries))
    turns = list(dict.fromkeys(each.turn for each in found.said))
    return replace(
        found,
        near=memory.search(user, query, limit=limit, kinds=kinds),
        matching=memory.matching(user, _words(state), limit=limit, kinds=kinds),
        of_their_turns=_of_their_turns(memory, user, turns) if turns else (),
    )


def _of_their_turns(memory: MemoryStore, user: str, turns: Sequence[str]) -> tuple[MemoryRecord, ...]:
    """What became of the turns' statements; one that was said twice has its record in the turn that said it first."""
    known = (*memory.of_turns(user, turns), *memory.records(user, status=MemoryStatus.SUPERSEDED))
    return tuple({record.id: record for record in known}.values())


def _said(state: TurnState, past: Past | None, view: InView, when: Span | None) -> tuple[Said, ...]:
    if past is None or state.intent is None or not state.intent.search or not state.intent.query:
        return ()
    query, replies = _words(state), asks_for_a_reply(state.intent.query)
    then = past.matching(query, limit=EARLIER, without=view.turns, between=when, replies=replies) if when else ()
    return then or past.matching(query, limit=EARLIER, without=view.turns, replies=replies)


def _rules_left(state: TurnState, always: Sequence[MemoryRecord], recalled: Sequence[Recalled]) -> Iterator[Degraded]:
    """Say of a thread's first turn that rules for all time found no room in it: they do not hold there."""
    if state.turn is None or state.turn.number > 1:
        return
    fates = {each.id: each.fate for each in recalled}
    rules = [each for each in always if is_rule(each) and each.role == "user"]
    left = [each.text[:60] for each in rules if fates.get(each.id, Fate.OVER_BUDGET) is Fate.OVER_BUDGET]
    if left:
        what = notice("rules_not_brought", state.language, count=len(left))
        yield Degraded(step=Step.MEMORY_RETRIEVAL, what=what, cause="; ".join(left[:6]))


def _degraded(state: TurnState, what: str, error: NinefoldError) -> Degraded:
    return Degraded(step=Step.MEMORY_RETRIEVAL, what=notice(what, state.language), cause=str(error)[:400])


def _query(state: TurnState) -> str:
    """What the person wants now: the intent's query, or this turn's words."""
    return (state.intent.query if state.intent is not None else "") or _told_now(state)


def _words(state: TurnState) -> str:
    """The words to search by: all that the person wrote, where it is short; what stands beside the question helps.

    A follow-up that says too little alone comes with the message before it, and of a long message the question counts.
    """
    assert state.intent is not None
    told = _told_now(state)
    return told if len(state.intent.query) <= len(told) <= QUERY_CHARACTERS else state.intent.query


def _told_now(state: TurnState) -> str:
    assert state.turn is not None
    mine = {entry.message for entry in state.entries if entry.turn == state.turn.id}
    return "\n".join(plain_text(m) for m in state.messages if isinstance(m, HumanMessage) and m.id in mine)
