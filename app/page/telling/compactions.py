"""The compactions of a session: what the window held before and after, and what the proof found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.messages import BaseMessage

from ninefold.policies.text import plain_text
from ninefold.state import Assembled, Compacted, FidelityChecked, ThresholdChecked, reference_id
from ninefold.state.turn_state import TurnState

from ...kept_turns import moments, number
from ...translation import translated
from ..requests import Asked
from .session import role

SHOWN = 2_000
"""Characters of a message before and after."""


def compactions(asked: Asked) -> list[dict[str, Any]]:
    """Give each kept turn in which a compaction was tried, the last one first.

    Raises:
        InputError: the person has no such session.
        StorageError: a database failed.
    """
    if not asked.place.exists(asked.thread):
        return []
    kept = moments(asked.place, asked.thread, asked.served.user)
    before = TurnState()
    found: list[dict[str, Any]] = []
    for moment in kept:
        if any(isinstance(event, Compacted) for event in moment.trace):
            found.append(_compaction(before, moment, asked))
        before = moment
    return found[::-1]


def _compaction(before: TurnState, after: TurnState, asked: Asked) -> dict[str, Any]:
    sizes = [event for event in after.trace if isinstance(event, Assembled)]
    checked = [event for event in after.trace if isinstance(event, ThresholdChecked)]
    known = {item.text for item in before.summary.items}
    return {
        "turn": number(after),
        "before": sizes[0].needed if sizes else sum(entry.tokens for entry in before.entries),
        "after": sizes[-1].needed if sizes else sum(entry.tokens for entry in after.entries),
        "hard": checked[0].hard if checked else None,
        "why": translated(checked[0].reason, asked.wording.language) if checked else "",
        "tries": [*_tries(after, asked)],
        "messages": [*_messages(before, after)],
        "summary": [item.text for item in after.summary.items if item.text not in known],
    }


def _tries(moment: TurnState, asked: Asked) -> Iterator[dict[str, Any]]:
    """Give each strategy that was tried, with what its proof found."""
    events = [event for event in moment.trace if isinstance(event, Compacted | FidelityChecked)]
    for at, event in enumerate(events):
        if not isinstance(event, Compacted):
            continue
        proof = next((each for each in events[at:] if isinstance(each, FidelityChecked)), None)
        reason = " ".join(filter(None, (event.reason, proof.reason if proof else "")))
        yield {
            "strategy": event.strategy,
            "messages": event.messages,
            "freed": event.freed,
            "proven": proof is not None and event.strategy in proof.committed,
            "missing": [{"kind": each.kind, "span": each.span} for each in proof.missing] if proof else [],
            "reason": translated(reason, asked.wording.language),
        }


def _messages(before: TurnState, after: TurnState) -> Iterator[dict[str, Any]]:
    """Give each message that reads otherwise afterwards, or is gone from the window."""
    left: Mapping[str | None, BaseMessage] = {message.id: message for message in after.messages}
    entries = {entry.message: entry for entry in before.entries}
    for message in before.messages:
        text, now = plain_text(message), left.get(message.id)
        if now is not None and plain_text(now) == text:
            continue
        entry = entries.get(message.id or "")
        yield {
            "role": role(message),
            "before": text[:SHOWN],
            "after": None if now is None else plain_text(now)[:SHOWN],
            "reference": reference_id(entry.turn, entry.sequence) if entry else "",
        }
