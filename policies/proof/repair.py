"""Missing spans back, word for word: the sentence that carries each becomes a fact of the summary."""

from __future__ import annotations

from collections.abc import Sequence

from ninefold.state import AgentSettings, Item, Language, Proposal, Summary, reference_id
from ninefold.state.turn_state import TurnState

from ..apply import over
from ..compaction.chronicle import carriers, original_of
from ..compaction.digest import cost
from ..compaction.strategy import Counter, Originals
from ..keeping.needs import Need
from ..text import plain_text

LEAST = 32
"""Tokens that a repaired proposal still frees."""


def repaired(
    before: TurnState,
    proposal: Proposal,
    lost: Sequence[Need],
    *,
    tokens: Counter,
    archive: Originals,
    settings: AgentSettings,
) -> Proposal | None:
    """Give the proposal with what it lost put back, or None when that is not possible or frees too little."""
    if proposal.repaired or not settings.summary:
        return None
    items = _items(before, lost, archive)
    if items is None:
        return None
    base = before.summary if proposal.summary is None else proposal.summary
    kept = {item.text for item in base.other_facts}
    facts = (*base.other_facts, *(item for item in items if item.text not in kept))
    made = proposal.model_copy(update={"summary": base.model_copy(update={"other_facts": facts}), "repaired": True})
    language = before.language or Language.ENGLISH
    new = cost(made.summary or Summary(), language, tokens)
    freed = _freed(before, made, new - cost(before.summary, language, tokens))
    if new > settings.summary_limit or freed < LEAST:
        return None
    return made.model_copy(update={"freed": freed})


def _items(before: TurnState, lost: Sequence[Need], archive: Originals) -> tuple[Item, ...] | None:
    """Give one item for each sentence that carries a lost span; None when one stands in no leaving message."""
    known = {entry.message: entry for entry in before.entries}
    messages = {message.id: message for message in before.messages}
    old = {item.sources[0]: item for item in before.summary.items if item.sources}
    items: dict[str, Item] = {}
    for need in lost:
        if need.source in known and need.source in messages:
            entry = known[need.source]
            original = original_of(messages[need.source], entry, archive)
            if original is None:
                continue
            text = plain_text(original)
            for span in carriers(text, (need,), whole=False):
                if span.start <= need.place[0] and need.place[1] <= span.end:
                    reference = reference_id(entry.turn, entry.sequence)
                    items[span.text] = Item(text=span.text[:1000], sources=(need.source,), reference=reference)
        elif need.source in old:
            items[old[need.source].text] = old[need.source]
        else:
            return None
    return tuple(items.values())


def _freed(before: TurnState, proposal: Proposal, growth: int) -> int:
    after = over(before, (proposal,))
    left = sum(entry.tokens for entry in before.entries) - sum(entry.tokens for entry in after.entries)
    return max(0, left - growth)
