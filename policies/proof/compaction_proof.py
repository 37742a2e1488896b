"""A proposal against the window it would change: what must stay, stays; what may not be touched, is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from langchain_core.messages import BaseMessage

from ninefold.state import AgentSettings, Language, Missing, Proposal, StepStatus, Summary
from ninefold.state.turn_state import TurnState

from ..apply import over
from ..compaction.chronicle import item_needs, kind, original_of, statements
from ..compaction.digest import cost
from ..compaction.strategy import Counter, Originals
from ..keeping.kept import kept_in
from ..keeping.needs import Need, later_in, lost, needs
from ..render import as_sent
from ..window import groups, movable
from .pairing import unpaired
from .summary_laws import dropped_items, summary_faults

FULL = 0.6
"""Share of its room that a summary must use before values may go behind a reference instead of into it."""


class Faults(NamedTuple):
    """What refutes a proposal."""

    lost: tuple[Need, ...]
    """Spans that can be put back word for word."""
    broken: tuple[Missing, ...]
    """Laws that no repair can mend."""

    @property
    def missing(self) -> tuple[Missing, ...]:
        """Give both as a verdict names them."""
        return (*self.broken, *(need.missing for need in self.lost))


def refuted(
    before: TurnState, proposal: Proposal, *, tokens: Counter, archive: Originals, settings: AgentSettings
) -> Faults:
    """Give what refutes a proposal over a window without pending proposals; empty when it is proven."""
    after = over(before, (proposal,))
    gone = _leaving(before, proposal, archive)
    broken = [
        *_untouchable(before, proposal, settings),
        *unpaired(after.messages),
        *_too_large(before, after, proposal, tokens, settings),
    ]
    if proposal.summary is not None:
        originals = {id_: original for id_, (_, original) in gone.items()}
        broken += summary_faults(before.summary, proposal.summary, originals)
        broken += _reopened(before, proposal.summary)
    if broken:
        return Faults((), tuple(broken))
    missing = lost(_needed(before, proposal, gone), kept_in(after))
    unsaid = _not_by_reference(missing, before, after, proposal, tokens, settings)
    return Faults(unsaid, () if unsaid else _says_nothing(before, proposal, archive, settings))


def _leaving(
    before: TurnState, proposal: Proposal, archive: Originals
) -> Mapping[str, tuple[BaseMessage, BaseMessage]]:
    """Give each message that leaves or is shortened, and its original; a forgotten one needs nothing."""
    ids = {*proposal.removed, *(replacement.message for replacement in proposal.replacements)}
    known = {entry.message: entry for entry in before.entries}
    found: dict[str, tuple[BaseMessage, BaseMessage]] = {}
    for message in before.messages:
        if message.id in ids and message.id in known:
            original = original_of(message, known[message.id], archive)
            if original is not None:
                found[message.id] = (message, original)
    return found


def _needed(
    before: TurnState, proposal: Proposal, gone: Mapping[str, tuple[BaseMessage, BaseMessage]]
) -> Sequence[Need]:
    turn_of = {entry.message: entry.turn for entry in before.entries}
    later = later_in(before)
    found: list[Need] = []
    for id_, (message, original) in gone.items():
        found += needs(message, original, turn_of[id_], later)
    if proposal.summary is not None:
        found += [need for item in dropped_items(before.summary, proposal.summary) for need in item_needs(item)]
    return found


def _untouchable(before: TurnState, proposal: Proposal, settings: AgentSettings) -> list[Missing]:
    """Give what a proposal touches that may not be touched."""
    may = {id_ for group in movable(before, settings) for id_ in group.ids}
    touched = (*proposal.removed, *(replacement.message for replacement in proposal.replacements))
    return [Missing(kind="floor", span=id_[:400], source=id_) for id_ in touched if id_ not in may]


def _says_nothing(
    before: TurnState, proposal: Proposal, archive: Originals, settings: AgentSettings
) -> tuple[Missing, ...]:
    """Give the first statement of the leaving turns, when a summary of them says nothing at all."""
    if proposal.summary is None or proposal.summary.items or proposal.summary.references or not settings.summary:
        return ()
    gone = set(proposal.removed)
    leaving = [group for group in groups(before) if gone.issuperset(group.ids)]
    told = statements(leaving, archive, kept_in(over(before, (proposal,))), later_in(before))
    return tuple(Missing(kind="summary", span=f"empty, without: {t.item.text}"[:400]) for t in told[:1])


def _reopened(before: TurnState, summary: Summary) -> list[Missing]:
    """Give the steps that are called pending although the turn that asked for them was answered."""
    group_of = {entry.message: group for group in groups(before) for entry in group.entries}
    found: list[Missing] = []
    for item in summary.next_steps:
        group = group_of.get(item.sources[0]) if item.sources else None
        if group is None or item.status is StepStatus.DONE:
            continue
        message = next(message for message in group.messages if message.id == item.sources[0])
        if kind(item.text, message, group)[1] is StepStatus.DONE:
            found.append(Missing(kind="status", span=f"done, but pending: {item.text}"[:400], source=message.id))
    return found


def _too_large(
    before: TurnState, after: TurnState, proposal: Proposal, tokens: Counter, settings: AgentSettings
) -> list[Missing]:
    """Give why a proposal makes nothing smaller, or a summary larger than it may be."""
    language = before.language or Language.ENGLISH
    old, new = cost(before.summary, language, tokens), cost(after.summary, language, tokens)
    was = old + sum(entry.tokens for entry in before.entries)
    now = new + _recounted(after, proposal, tokens)
    found = []
    if now >= was:
        found.append(Missing(kind="size", span=f"{now} tokens for {was}"))
    cap = settings.summary_limit
    if proposal.summary is not None and new > max(cap, old):
        found.append(Missing(kind="size", span=f"summary of {new} tokens, {cap} at most"))
    return found


def _recounted(after: TurnState, proposal: Proposal, tokens: Counter) -> int:
    """Give the window's tokens, those of replaced messages counted anew instead of believed."""
    replaced = {replacement.message for replacement in proposal.replacements}
    texts = {message.id: message for message in after.messages}
    return sum(
        tokens.message(as_sent(texts[entry.message])) if entry.message in replaced else entry.tokens
        for entry in after.entries
    )


def _not_by_reference(
    missing: Sequence[Need],
    before: TurnState,
    after: TurnState,
    proposal: Proposal,
    tokens: Counter,
    settings: AgentSettings,
) -> tuple[Need, ...]:
    """Give the lost spans that the proposal neither keeps nor rightly says to be behind a reference only."""
    said = {(named.kind, named.span) for named in proposal.by_reference}
    if not said or (settings.summary and not _full(before, after, tokens, settings)):
        return tuple(missing)
    return tuple(need for need in missing if (need.missing.kind, need.missing.span) not in said)


def _full(before: TurnState, after: TurnState, tokens: Counter, settings: AgentSettings) -> bool:
    """Whether a summary has used its room: its cap, or what the cut allows it to grow by."""
    language = before.language or Language.ENGLISH
    old, new = cost(before.summary, language, tokens), cost(after.summary, language, tokens)
    left = sum(entry.tokens for entry in before.entries) - sum(entry.tokens for entry in after.entries)
    return new >= FULL * settings.summary_limit or new - old >= FULL * 0.7 * left
