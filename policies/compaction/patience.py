"""How often a model whose summaries are refused is asked: rules do the work, and the server's time is not spent."""

from __future__ import annotations

from ninefold.state.turn_state import Counters

PATIENCE = 2
"""Summaries of a model that are refused one after the other until it is asked less often."""
SELDOM = 8
"""From then on it is asked at one compaction of so many, until one of its summaries is taken."""


def worth_asking(counters: Counters) -> bool:
    """Whether a model is asked for a summary now: one that was refused again and again is asked seldom."""
    return counters.refused_summaries < PATIENCE or (counters.refused_summaries - PATIENCE) % SELDOM == SELDOM - 1
