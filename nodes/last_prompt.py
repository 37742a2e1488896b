"""The chat's prompt as the state has it, before anything is proposed: what an internal call must be a tail of."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from ninefold.policies.assemble import Material, assemble
from ninefold.policies.constraints import expired
from ninefold.policies.render import render
from ninefold.state import AgentSettings, Language, View
from ninefold.state.turn_state import TurnState

from .ports import Schema, TokenCounter


def last_prompt(
    state: TurnState, *, tokens: TokenCounter, settings: AgentSettings, fixed: str, tools: Sequence[Schema]
) -> tuple[View, tuple[BaseMessage, ...]]:
    """Give the view and the messages that the chat would be sent now, with the recalled memories that are placed.

    The server has read them up to this turn's request, so a call behind them costs little more than its own words.
    """
    assert state.turn is not None
    language = state.language or Language.ENGLISH
    material = Material(
        messages=state.messages,
        entries=state.entries,
        turn=state.turn.id,
        constraints=expired(state.constraints, state.turn.id).constraints,
        summary=state.summary,
        memories=tuple(memory for entry in state.entries if entry.turn == state.turn.id for memory in entry.placed),
        fixed=fixed,
        tools=tools,
        language=language,
        settings=settings,
    )
    view, _ = assemble(material, tokens)
    return view, tuple(render(view, state.messages, state.entries, fixed=fixed, language=language))
