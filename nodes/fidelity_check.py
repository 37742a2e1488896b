"""fidelity_check: the proof before every call; a compaction becomes state here, or it never was."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from ninefold.policies.apply import commit, over
from ninefold.policies.bounded import within
from ninefold.policies.proof import Faults, refuted, repaired, unproven
from ninefold.policies.render import render
from ninefold.policies.standing import cleared
from ninefold.policies.veto import vetoed
from ninefold.state import (
    AgentSettings,
    Degraded,
    Event,
    FidelityChecked,
    Language,
    LayerName,
    Missing,
    NinefoldError,
    Outcome,
    OutcomeStatus,
    Proposal,
    Step,
    StorageError,
    Struck,
    Verdict,
)
from ninefold.state.turn_state import TurnState, Update

from .internal_calls import Noted, counted
from .ports import Archive, Assistant, Schema, TokenCounter

VIEW = "view"
"""The name under which a refuted view, made again once, is struck out."""
_UNASKED = {
    Language.CHINESE: "压缩结果没有经过模型复核",
    Language.ENGLISH: "the compaction was not reviewed by the model",
}


def fidelity_check(
    state: TurnState,
    *,
    tokens: TokenCounter,
    archive: Archive,
    assistant: Assistant | None,
    settings: AgentSettings,
    fixed: str,
    tools: Sequence[Schema] = (),
) -> Update:
    """Prove the view about to be sent and every pending compaction; commit what is proven, roll back what is not.

    A compaction that lost spans is repaired once, word for word; one that cannot be repaired is struck out together
    with what was built on it, and the window is as it was before. A model, where one is set, may veto; it proves
    nothing.
    """
    assert state.view is not None
    if state.view.over is not None:
        return _cannot_fit(state, state.view.over)
    for place, proposal in enumerate(state.proposals):
        before = over(state, state.proposals[:place])
        try:
            faults = refuted(before, proposal, tokens=tokens, archive=archive, settings=settings)
        except StorageError as error:
            # What cannot be compared with its original is not proven.
            return _strike(state, place, (Missing(kind="original", span=str(error)[:400]),))
        if faults.missing:
            mended = (
                repaired(before, proposal, faults.lost, tokens=tokens, archive=archive, settings=settings)
                if faults.lost
                else None
            )
            return _repair(state, place, mended, faults) if mended else _strike(state, place, faults.missing)
    prompt = _rendered(state, fixed)
    missing = unproven(
        prompt,
        state.constraints,
        state.language or Language.ENGLISH,
        tokens=tokens,
        tools=tools,
        reserve=state.view.reserve,
        num_ctx=settings.model.num_ctx,
    )
    if missing:
        return _strike(state, len(state.proposals) - 1, missing) if state.proposals else _refuted_view(state, missing)
    if not state.proposals or assistant is None or not settings.fidelity.model:
        return _proven(state)
    noted = Noted(assistant, Step.FIDELITY_CHECK, tokens, tools)
    return _with_calls(_reviewed(state, prompt, noted, tokens, tools), state, noted)


def _reviewed(
    state: TurnState, prompt: Sequence[BaseMessage], model: Noted, tokens: TokenCounter, tools: Sequence[Schema]
) -> Update:
    """Give what a model's look at a proven compaction makes of it: a veto strikes it out, nothing else counts."""
    try:
        objection = vetoed(over(state, state.proposals), prompt, tokens=tokens, model=model, tools=tools)
    except NinefoldError as error:
        what = _UNASKED[state.language or Language.ENGLISH]
        return _proven(state, Degraded(step=Step.FIDELITY_CHECK, what=what, cause=str(error)[:400]))
    if objection is None:
        return _proven(state)
    return _strike(state, len(state.proposals) - 1, (Missing(kind="veto", span=objection[:400]),))


def _with_calls(update: Update, state: TurnState, noted: Noted) -> Update:
    """Give the update with the calls that were made for it."""
    update["trace"] = (*noted.calls, *update.get("trace", ()))
    update["counters"] = counted(update.get("counters", state.counters), noted)
    return update


def _shown(missing: Sequence[Missing]) -> tuple[Missing, ...]:
    """Give the missing spans that an event shows; the verdict holds more of them."""
    return within([each.model_copy(update={"span": each.span[:120]}) for each in missing[:8]], 1024)


def _rendered(state: TurnState, fixed: str) -> list[BaseMessage]:
    """Give the prompt about to be sent: the window as the pending proposals would leave it, once they are state."""
    assert state.view is not None
    assert state.turn is not None
    window = over(state, state.proposals)
    entries = cleared(window.entries, state.turn.id) if state.proposals else window.entries
    language = state.language or Language.ENGLISH
    return render(state.view, window.messages, entries, fixed=fixed, language=language)


def _proven(state: TurnState, *events: Event) -> Update:
    committed = tuple(proposal.strategy for proposal in state.proposals)
    behind = sum(len(proposal.by_reference) for proposal in state.proposals)
    event = FidelityChecked(
        proven=True,
        committed=committed,
        reason=f"{behind} values stand behind a reference" if behind else "" if committed else "nothing to commit",
    )
    update = commit(state, state.proposals)
    update["verdict"] = Verdict(proven=True, reason=event.reason)
    update["head"] = state.view.head if state.view else state.head
    update["trace"] = (*events, event)
    return update


def _repair(state: TurnState, place: int, mended: Proposal, faults: Faults) -> Update:
    """Give the proposal with its lost spans back; the view is made again over it and proven again."""
    missing = faults.missing
    reason = f"{mended.strategy}: {len(missing)} spans put back"
    return Update(
        proposals=(*state.proposals[:place], mended),
        verdict=Verdict(proven=False, missing=missing[:32], reason=reason),
        trace=(FidelityChecked(proven=False, missing=_shown(missing), reason=reason),),
    )


def _strike(state: TurnState, place: int, missing: Sequence[Missing]) -> Update:
    """Give the state without a refuted proposal and what was built on it; the strategy is not tried again this turn."""
    refuted_one = state.proposals[place]
    reason = f"{refuted_one.strategy} refuted, rolled back"
    return Update(
        proposals=state.proposals[:place],
        struck=(*state.struck, Struck(strategy=refuted_one.strategy, span=refuted_one.span)),
        verdict=Verdict(proven=False, strategy=refuted_one.strategy, missing=tuple(missing[:32]), reason=reason),
        trace=(FidelityChecked(proven=False, strategy=refuted_one.strategy, missing=_shown(missing), reason=reason),),
    )


def _refuted_view(state: TurnState, missing: tuple[Missing, ...]) -> Update:
    """Give a view that is made again once; refuted again it is never sent."""
    event = FidelityChecked(proven=False, missing=_shown(missing), reason="the view is refuted")
    verdict = Verdict(proven=False, missing=missing[:32], reason=event.reason)
    if all(struck.strategy != VIEW for struck in state.struck):
        return Update(struck=(*state.struck, Struck(strategy=VIEW, span=())), verdict=verdict, trace=(event,))
    layer = LayerName.CONSTRAINTS if missing[0].kind == "constraint" else LayerName.WINDOW
    return Update(verdict=verdict, trace=(event,), outcome=Outcome(status=OutcomeStatus.OVER_BUDGET, layer=layer.value))


def _cannot_fit(state: TurnState, layer: LayerName) -> Update:
    """Give the end of a turn whose layers that never give way are larger than the window."""
    assert state.view is not None
    missing = (Missing(kind="budget", span=f"{state.view.tokens} tokens do not fit; largest: {layer.value}"),)
    reason = f"over budget: {layer.value}"
    return Update(
        proposals=(),
        verdict=Verdict(proven=False, missing=missing, reason=reason),
        outcome=Outcome(status=OutcomeStatus.OVER_BUDGET, layer=layer.value),
        trace=(FidelityChecked(proven=False, missing=missing, reason=reason),),
    )
