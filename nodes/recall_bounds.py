"""What bounds a recall: what the prompt holds without it, and how much may come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from langchain_core.messages import HumanMessage

from ninefold.policies.constraints import values_claimed
from ninefold.policies.cues import ends
from ninefold.policies.recall import InView, Limits
from ninefold.policies.text import only_asks, plain_text, sentences
from ninefold.state import AgentSettings, Entry, MemorySettings, Scope
from ninefold.state.turn_state import TurnState

from .ports import MemoryStore


def in_view(state: TurnState, entries: Sequence[Entry]) -> InView:
    """Give what the prompt holds anyway: placed memories, turns that stand whole, constraints, the summary."""
    shortened = {entry.turn for entry in entries if entry.compacted or entry.reference is not None}
    people = [m for m in state.messages if isinstance(m, HumanMessage)]
    said = {m.id for m in people}
    mine = [each for each in state.constraints if each.task is None and each.scope is Scope.SESSION]
    return InView(
        ids=frozenset(placed.id for entry in entries for placed in entry.placed),
        turns=frozenset(e.turn for e in entries if e.message in said and e.turn not in shortened),
        texts=(
            *(constraint.words for constraint in state.constraints),
            *(item.text for item in state.summary.items),
            *_told(people),
        ),
        claims=frozenset(claim for each in mine for claim in values_claimed(each)),
    )


def _told(people: Sequence[HumanMessage]) -> Iterator[str]:
    """What the person states in the window."""
    for message in people:
        for part in ends(plain_text(message)):
            yield from (span.text for span in sentences(part) if not only_asks(span.text))


def limits_of(state: TurnState, memory: MemoryStore | None, settings: AgentSettings) -> Limits:
    """Give the threshold, the number and the tokens of what this turn may recall."""
    assert state.turn is not None
    policy = settings.context_policy
    minimum = policy.memory_search_min_score
    if minimum is None:
        minimum = memory.min_score if memory is not None else 1.0
    ageing = settings.memory if isinstance(settings.memory, MemorySettings) else MemorySettings()
    return Limits(
        min_score=minimum,
        top_k=policy.memory_search_top_k,
        tokens=settings.memory_limit,
        now=state.turn.at,
        fade_days=ageing.fade_days,
        archive_days=ageing.archive_days,
    )
