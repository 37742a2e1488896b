"""Proposals over a window: what it would be with them, and the update that makes it so.

Law: `applied(m, e, s, ())` is the window itself, and `applied(m, e, s, (*a, *b))` is b applied over a.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import BaseMessage, RemoveMessage

from ninefold.state import Entry, Proposal, Replacement, Struck, Summary
from ninefold.state.turn_state import TurnState, Update

from .standing import cleared


class Applied(NamedTuple):
    """A window under proposals."""

    messages: tuple[BaseMessage, ...]
    entries: tuple[Entry, ...]
    summary: Summary


def applied(
    messages: Sequence[BaseMessage], entries: Sequence[Entry], summary: Summary, proposals: Sequence[Proposal]
) -> Applied:
    """Give the window as it would be if the proposals were committed in this order; nothing given is changed."""
    window = Applied(tuple(messages), tuple(entries), summary)
    for proposal in proposals:
        window = _with(window, proposal)
    return window


def over(state: TurnState, proposals: Sequence[Proposal]) -> TurnState:
    """Give the state with the proposals' window, so that a strategy builds on what milder ones achieved."""
    window = applied(state.messages, state.entries, state.summary, proposals)
    return state.model_copy(
        update={
            "messages": list(window.messages),
            "entries": window.entries,
            "summary": window.summary,
            "proposals": (),
        }
    )


def commit(state: TurnState, proposals: Sequence[Proposal]) -> Update:
    """Give the update that makes proven proposals the state; their strategies are not tried again in this turn.

    The prompt is read anew behind its fixed text, so the rules that stood in the window stand in its head from now on.
    """
    if not proposals:
        return Update()
    window = applied(state.messages, state.entries, state.summary, proposals)
    before = {message.id: message for message in state.messages}
    left = {message.id for message in window.messages}
    removed: list[BaseMessage] = [RemoveMessage(id=id_) for id_ in before if id_ is not None and id_ not in left]
    replaced = [message for message in window.messages if message is not before[message.id]]
    struck = tuple(Struck(strategy=proposal.strategy, span=proposal.span) for proposal in proposals)
    return Update(
        messages=[*replaced, *removed],
        entries=cleared(window.entries, state.turn.id if state.turn else ""),
        summary=window.summary,
        next_cut=() if any(id_ not in left for id_ in state.next_cut) else state.next_cut,
        proposals=(),
        struck=(*state.struck, *struck),
        counters=state.counters.model_copy(update={"compactions": state.counters.compactions + len(proposals)}),
    )


def _with(window: Applied, proposal: Proposal) -> Applied:
    removed = set(proposal.removed)
    texts = {replacement.message: replacement for replacement in proposal.replacements}
    return Applied(
        tuple(
            message.model_copy(update={"content": texts[message.id].text}) if message.id in texts else message
            for message in window.messages
            if message.id not in removed
        ),
        tuple(
            _compacted(entry, texts[entry.message]) if entry.message in texts else entry
            for entry in window.entries
            if entry.message not in removed
        ),
        window.summary if proposal.summary is None else proposal.summary,
    )


def _compacted(entry: Entry, replacement: Replacement) -> Entry:
    tokens = entry.tokens if replacement.tokens is None else replacement.tokens
    return entry.model_copy(update={"reference": replacement.reference, "compacted": True, "tokens": tokens})
