"""model_call: send the proven view, keep the reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage

from ninefold.policies.notices import notice
from ninefold.policies.render import as_sent, render
from ninefold.policies.standing import never_gives_way
from ninefold.policies.text import plain_text, storable
from ninefold.state import (
    AgentSettings,
    Degraded,
    Entry,
    Event,
    Language,
    ModelCalled,
    ModelCutOff,
    Outcome,
    OutcomeStatus,
    Step,
    ToolCalled,
)
from ninefold.state.turn_state import TurnState, Update

from .ports import Chat, TokenCounter

SMALL_RESULT = 16
"""Tokens of the smallest result that tells anything."""
TRUNCATION_MARGIN = 0.05
"""Share by which a server may count less than an exact count before its prompt was evidently cut."""


def model_call(state: TurnState, *, chat: Chat, tokens: TokenCounter, settings: AgentSettings, fixed: str) -> Update:
    """Give the model's reply to the view; a reply that was cut off is kept and marked.

    Raises:
        ModelUnavailable: no usable reply; the turn stays where it stands and can be taken again.
    """
    prompt = _prompt(state, fixed)
    try:
        reply = chat.reply(prompt, num_predict=_reserve(state))
    except ModelCutOff as error:
        reply = _partial(error)
    return _taken(state, reply, tokens, settings)


async def amodel_call(
    state: TurnState, *, chat: Chat, tokens: TokenCounter, settings: AgentSettings, fixed: str
) -> Update:
    """Give what `model_call` gives, cancellable while the model writes."""
    prompt = _prompt(state, fixed)
    try:
        reply = await chat.areply(prompt, num_predict=_reserve(state))
    except ModelCutOff as error:
        reply = _partial(error)
    return _taken(state, reply, tokens, settings)


def _prompt(state: TurnState, fixed: str) -> list[BaseMessage]:
    assert state.view is not None
    return render(state.view, state.messages, state.entries, fixed=fixed, language=state.language or Language.ENGLISH)


def _reserve(state: TurnState) -> int:
    assert state.view is not None
    return state.view.reserve


def _partial(error: ModelCutOff) -> AIMessage:
    """Give what the model had written when its stream ended, or pass the error on when that is nothing."""
    if error.partial is None or not plain_text(error.partial).strip():
        raise error
    metadata = {**error.partial.response_metadata, "done_reason": "cut_off"}
    return error.partial.model_copy(update={"response_metadata": metadata})


def _taken(state: TurnState, reply: AIMessage, tokens: TokenCounter, settings: AgentSettings) -> Update:
    """Give the state with the reply in the window, and how the turn stands."""
    assert state.turn is not None
    assert state.view is not None
    language = state.language or Language.ENGLISH
    reply = clean_reply(reply)
    stopped = _stopped(state, reply, tokens, settings)
    if stopped is not None:
        text = "\n\n".join(part for part in (plain_text(reply), stopped.why) if part)
        reply = reply.model_copy(update={"content": text, "tool_calls": []})
    cut = reply.response_metadata.get("done_reason") in ("length", "cut_off")
    if cut:
        reply = reply.model_copy(update={"additional_kwargs": {**reply.additional_kwargs, "partial": True}})
    usage: Mapping[str, Any] = reply.usage_metadata or {}
    server = usage.get("input_tokens")
    written = usage.get("output_tokens")
    sequence = 1 + max((e.sequence for e in state.entries if e.turn == state.turn.id), default=-1)
    count = tokens.message(as_sent(reply))
    events: list[Event] = [
        ModelCalled(
            step=Step.MODEL_CALL,
            purpose="reply",
            prompt_tokens=state.view.tokens,
            server_tokens=server,
            reply_tokens=written,
            cached_tokens=(usage.get("input_token_details") or {}).get("cache_read"),
            reason=tokens.name,
        )
    ]
    if cut:
        cause = str(reply.response_metadata.get("done_reason"))
        events.append(Degraded(step=Step.MODEL_CALL, what=notice("reply_cut", language), cause=cause))
    if tokens.exact and server is not None and server < state.view.tokens * (1 - TRUNCATION_MARGIN):
        events.append(_truncated(server, state.view.tokens, language))
    return Update(
        messages=[reply],
        entries=(
            *state.entries,
            Entry(message=reply.id or "", turn=state.turn.id, sequence=sequence, tokens=count),
        ),
        counters=state.counters.model_copy(
            update={
                "prompt_tokens": state.counters.prompt_tokens + state.view.tokens,
                "reply_tokens": state.counters.reply_tokens + (written or count),
                "correction": _correction(state, server, tokens),
            }
        ),
        outcome=stopped.outcome if stopped else _outcome(state, reply),
        trace=tuple(events),
    )


def clean_reply(reply: AIMessage) -> AIMessage:
    """Give the reply without what no database and no later request keeps; a JSON escape can bring it in."""
    held = {"content": reply.content, "tool_calls": reply.tool_calls}
    clean = {name: storable(value) for name, value in held.items()}
    return reply if clean == held else reply.model_copy(update=clean)


def _truncated(server: int, ours: int, language: Language) -> Degraded:
    what = notice("prompt_cut", language)
    return Degraded(step=Step.MODEL_CALL, what=what, cause=f"prompt_eval_count {server} < {ours}")


def _correction(state: TurnState, server: int | None, tokens: TokenCounter) -> float:
    """Give the factor for later counts: raised when the server counted more than we did, never lowered."""
    assert state.view is not None
    if tokens.exact or server is None or server <= state.view.tokens:
        return state.counters.correction
    return min(16.0, state.counters.correction * server / max(state.view.tokens, 1))


def _outcome(state: TurnState, reply: AIMessage) -> Outcome | None:
    if reply.tool_calls:
        return None
    lost = any(isinstance(event, ToolCalled) and event.interrupted for event in state.trace)
    return Outcome(status=OutcomeStatus.INTERRUPTED if lost else OutcomeStatus.ANSWERED)


class _Stopped(NamedTuple):
    """Why a reply's calls are not run."""

    why: str
    outcome: Outcome


def _stopped(state: TurnState, reply: AIMessage, tokens: TokenCounter, settings: AgentSettings) -> _Stopped | None:
    """Give why a reply's calls are not run: too many rounds, or more than fits beside what never gives way."""
    assert state.view is not None
    if not reply.tool_calls:
        return None
    rounds = settings.context_policy.max_tool_rounds
    if state.tool_rounds >= rounds:
        why = notice("tool_limit", state.language, limit=rounds)
        return _Stopped(why, Outcome(status=OutcomeStatus.STEP_LIMIT))
    room = settings.model.num_ctx - state.view.reserve - never_gives_way(state.view.layers, tokens)
    needed = tokens.message(as_sent(reply)) + SMALL_RESULT * len(reply.tool_calls)
    if needed <= room:
        return None
    why = notice("calls_too_large", state.language, count=len(reply.tool_calls), needed=needed, room=room)
    return _Stopped(why, Outcome(status=OutcomeStatus.OVER_BUDGET, layer="tool_calls"))
