"""What a model adds to the wishes that the rules found in a message; only spans of the message count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import BaseMessage, HumanMessage

from ninefold.policies.constraints import REPLY_SCHEMA, Candidate, Extraction, grounded
from ninefold.policies.json_reply import parse_json
from ninefold.policies.neutralise import neutralise
from ninefold.policies.notices import notice
from ninefold.policies.prompt_files import prompt
from ninefold.policies.spending import affordable, worth_asking
from ninefold.policies.text import detect_language
from ninefold.state import AgentSettings, Degraded, Event, NinefoldError, Step
from ninefold.state.turn_state import TurnState

from .internal_calls import Noted
from .last_prompt import last_prompt
from .ports import Schema, TokenCounter

_REPLY_TOKENS = 512
SELDOM_ASKED = "rules alone: the model found no wish lately, it is asked again later"
TOO_DEAR = "rules alone: internal calls have taken their share"


class Asked(NamedTuple):
    """The wishes of a message with the model's, or why there are none of its."""

    found: Extraction
    events: tuple[Event, ...] = ()
    alone: str = ""
    """Why no model was asked although a clause sounds like a wish."""
    in_vain: int = 0
    """How often in a row it found none, or was not asked because of that."""


def with_wishes_asked(
    state: TurnState,
    text: str,
    found: Extraction,
    assistant: Noted,
    *,
    tokens: TokenCounter,
    settings: AgentSettings,
    fixed: str,
    tools: Sequence[Schema],
) -> Asked:
    """Give the rules' wishes and beside them what the model proposes and the message proves.

    A model that found none again and again is asked seldom; one on the chat's own server, within what internal calls
    may cost there. It is asked behind the prompt that the chat is about to be sent.
    """
    in_vain = state.counters.wishes_not_found
    if not worth_asking(in_vain):
        return Asked(found, alone=SELDOM_ASKED, in_vain=in_vain + 1)
    before: Sequence[BaseMessage] = ()
    if assistant.shares_prefix:
        _, before = last_prompt(state, tokens=tokens, settings=settings, fixed=fixed, tools=tools)
    instruction = prompt("extract_constraints", detect_language(text))
    request = [*before, HumanMessage(f"{instruction}\n\n{neutralise(text)}")]
    size = tokens.prompt(request, tools if before else ())
    if size + _REPLY_TOKENS > assistant.num_ctx:
        return Asked(found, (_degraded(state, "the message is too long for the assistant's context"),), "", in_vain)
    if assistant.shares_prefix and not affordable(state.counters, size):
        return Asked(found, alone=TOO_DEAR, in_vain=in_vain)
    try:
        reply = assistant.complete(request, purpose="constraints", num_predict=_REPLY_TOKENS, schema=REPLY_SCHEMA)
    except NinefoldError as error:
        return Asked(found, (*assistant.calls, _degraded(state, str(error))), "", in_vain)
    parsed = parse_json(reply)
    if parsed is None:
        cause = "the assistant's reply holds no JSON"
        return Asked(found, (*assistant.calls, _degraded(state, cause)), "", in_vain + 1)
    added = _beside(found, grounded(parsed, text))
    wishes = (*found.wishes, *added)
    return Asked(found._replace(wishes=wishes), tuple(assistant.calls), "", 0 if added else in_vain + 1)


def _beside(found: Extraction, proposed: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Give the proposals that lie beside the rules' wishes."""
    return tuple(
        each for each in proposed if not any(each.start < wish.end and wish.start < each.end for wish in found.wishes)
    )


def _degraded(state: TurnState, cause: str) -> Degraded:
    return Degraded(step=Step.CONSTRAINT_UPDATE, what=notice("rules_alone", state.language), cause=cause[:400])
