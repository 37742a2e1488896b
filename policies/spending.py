"""What internal calls may cost, and how often a model is asked whose answers bring nothing."""

from __future__ import annotations

from ninefold.state.turn_state import Counters

AHEAD = 3072
"""Tokens that internal calls may take before the replies have earned them: rules are told at the beginning."""
SHARE = 0.08
"""Of the tokens of the replies' prompts; with what is given ahead it stays under a tenth in a session of any length."""
PATIENCE = 2
"""Answers of one kind that bring nothing, one after the other, until the model is asked for it less often."""
SELDOM = 8
"""From then on it is asked at one occasion of so many, until an answer brings something."""


def affordable(counters: Counters, tokens: int) -> bool:
    """Whether a call of so many tokens keeps all internal calls of the thread within what they may cost."""
    return counters.internal_tokens + tokens <= AHEAD + SHARE * counters.prompt_tokens


def worth_asking(in_vain: int) -> bool:
    """Whether a model is asked at this occasion, after so many in a row that brought nothing or passed unasked."""
    return in_vain < PATIENCE or (in_vain - PATIENCE) % SELDOM == SELDOM - 1
