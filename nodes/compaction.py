"""compaction: one proposal to make room, by the mildest strategy that makes enough; nothing is changed yet."""

from __future__ import annotations

from collections.abc import Sequence

from ninefold.policies.compaction import Completion, Strategy
from ninefold.policies.descent import Pressure, pressure, strategies_left
from ninefold.policies.spending import affordable, worth_asking
from ninefold.state import AgentSettings, Compacted, Degraded, Event, Language, NinefoldError, Proposal, Step, Struck
from ninefold.state.turn_state import Counters, TurnState, Update

from .internal_calls import Noted, counted
from .last_prompt import last_prompt
from .ports import Archive, Assistant, Schema, TokenCounter

LITTLE = 8
"""A proposal that frees less than this part of what must be freed gives its place to a stronger strategy."""
SELDOM_ASKED = "by rules: the model's last summaries were refused, it is asked again later"
NOT_A_TAIL = "by rules: the prompt's head is new, a model call would read all of it first"
TOO_DEAR = "by rules: internal calls have taken their share"
_ALONE = {
    Language.CHINESE: "摘要由规则完成，没有用模型",
    Language.ENGLISH: "the summary was made by rules, without the model",
}
_FAILED = {
    Language.CHINESE: "一种压缩方法失败",
    Language.ENGLISH: "a compaction strategy failed",
}


def compaction(
    state: TurnState,
    *,
    tokens: TokenCounter,
    archive: Archive,
    assistant: Assistant | None,
    settings: AgentSettings,
    strategies: Sequence[Strategy],
    fixed: str,
    tools: Sequence[Schema] = (),
) -> Update:
    """Give one more proposal on top of those pending, and strike out the strategies that had nothing to give.

    Each strategy is tried once a turn. One that fails changes nothing and is struck out.
    """
    full = pressure(state, settings)
    left = set(strategies_left(state, settings, strategies))
    may = [strategy for strategy in strategies if strategy.name in left]
    struck: list[Struck] = []
    events: list[Event] = []
    noted = Noted(assistant, Step.COMPACTION, tokens, tools) if assistant is not None else None
    model, alone = completion(state, noted, tokens=tokens, settings=settings, fixed=fixed, tools=tools)
    last = state.candidates + 1 >= settings.context_policy.max_candidates
    for place, strategy in enumerate(may if full.wanting else ()):
        try:
            found = strategy.propose(state, tokens=tokens, archive=archive, assistant=model, settings=settings)
        except NinefoldError as error:
            events.append(_degraded(state, _FAILED, f"{strategy.name}: {error}"))
            found = None
        stronger = place + 1 < len(may)
        if found is None or (stronger and _too_little(found, full, last=last)):
            struck.append(Struck(strategy=strategy.name, span=found.span if found else ()))
            continue
        if found.reason:
            events.append(_degraded(state, _ALONE, found.reason))
        events.append(_event(found, alone))
        return Update(
            proposals=(*state.proposals, found),
            candidates=state.candidates + 1,
            struck=(*state.struck, *struck),
            counters=_refusals(counted(state.counters, noted), noted, found),
            trace=(*(noted.calls if noted else ()), *events),
        )
    events.append(Compacted(strategy="none", messages=0, freed=0, reason=_nothing(full, may)))
    return Update(
        struck=(*state.struck, *struck),
        counters=counted(state.counters, noted),
        trace=(*(noted.calls if noted else ()), *events),
    )


def _too_little(found: Proposal, full: Pressure, *, last: bool) -> bool:
    """Whether a stronger strategy should take this one's place: it leaves the pressure as it is, or is the last try."""
    enough = found.freed >= full.tokens_to_free and (full.messages_to_leave == 0 or bool(found.removed))
    if enough:
        return False
    if last or (full.messages_to_leave > 0 and full.tokens_to_free == 0 and not found.removed):
        return True
    return found.freed * LITTLE < full.tokens_to_free


def completion(
    state: TurnState,
    assistant: Assistant | None,
    *,
    tokens: TokenCounter,
    settings: AgentSettings,
    fixed: str,
    tools: Sequence[Schema],
) -> tuple[Completion | None, str]:
    """Give the model for this call, or None and why rules do the work alone where there is a model.

    It is not asked where its summaries were refused, and where the chat's own server would have to read all anew or has
    served internal calls enough. What a milder strategy proposes was not sent yet, so the call is a tail of the prompt
    without it. Where that has another head than the one sent last, or would not fit whole, no call is a tail of what
    the server has read.
    """
    if assistant is None or state.view is None:
        return None, ""
    if not worth_asking(state.counters.refused_summaries):
        return None, SELDOM_ASKED
    if not assistant.shares_prefix:
        return Completion(assistant), ""
    view, sent = last_prompt(state, tokens=tokens, settings=settings, fixed=fixed, tools=tools)
    if view.gave_way or state.head not in ("", view.head):
        return None, NOT_A_TAIL
    if not affordable(state.counters, view.tokens):
        return None, TOO_DEAR
    return Completion(assistant, sent, tuple(tools)), ""


def _refusals(counters: Counters, noted: Noted | None, found: Proposal) -> Counters:
    """Give the counters with what became of a model's summary: one more refused or not asked for, or none since."""
    if noted is None or not noted.calls:
        skipped = 0 if worth_asking(counters.refused_summaries) else 1
        return counters.model_copy(update={"refused_summaries": counters.refused_summaries + skipped})
    return counters.model_copy(update={"refused_summaries": counters.refused_summaries + 1 if found.reason else 0})


def _event(found: Proposal, alone: str) -> Compacted:
    behind = f"{len(found.by_reference)} values by reference" if found.by_reference else ""
    touched = len(found.removed) + len(found.replacements)
    reason = "; ".join(note for note in (behind, alone) if note)
    return Compacted(strategy=found.strategy, messages=touched, freed=found.freed, reason=reason)


def _nothing(full: Pressure, may: Sequence[Strategy]) -> str:
    if not full.wanting:
        return "the window is below its marks"
    return "no strategy can free anything" if may else "no strategy is left in this turn"


def _degraded(state: TurnState, what: dict[Language, str], cause: str) -> Degraded:
    return Degraded(step=Step.COMPACTION, what=what[state.language or Language.ENGLISH], cause=cause[:400])
