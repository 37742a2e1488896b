"""What was not recalled because the prompt held it, and that a cut of the same turn took out of the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import HumanMessage

from ninefold.state import ALWAYS_RECALLED, Constraint, Fate, Recalled, reference_id

from .apply import Applied
from .memory_ids import folded
from .recall import tokens_at_most
from .text import plain_text


def left_view(
    recalled: Sequence[Recalled],
    window: Applied,
    constraints: Sequence[Constraint],
    *,
    turn: str,
    gone: Sequence[str],
    most: int,
    tokens: int,
) -> tuple[Recalled, ...]:
    """Give the candidates of the recall that were in view and stand neither in this window nor in the summary.

    Preferences and profile are none of them: they come by themselves in every turn.

    Args:
        recalled: this turn's candidates, best first.
        window: the window as it is about to be sent.
        constraints: the rules beside it.
        turn: the present one; what stands with its own message is this recall.
        gone: rules that this turn replaced or took back; what holds their words was in view with them.
        most: how many there may be of these and of those that the search brought.
        tokens: what all that is recalled may take; the cut has made room for more than that.
    """
    ids = {placed.id for entry in window.entries if entry.turn != turn for placed in entry.placed}
    ids |= {reference_id(entry.turn, entry.sequence) for entry in window.entries if not entry.compacted}
    items = (*window.summary.decisions, *window.summary.next_steps, *window.summary.other_facts)
    texts = [plain_text(message) for message in window.messages if isinstance(message, HumanMessage)]
    texts += [*(item.text for item in items), *(constraint.words for constraint in constraints)]
    there = [folded(text) for text in texts]
    there_already = [each for each in recalled if each.fate in (Fate.RECALLED, Fate.GAVE_WAY)]
    left = tokens - sum(tokens_at_most(each.text) for each in there_already)
    most -= sum(each.kind not in ALWAYS_RECALLED for each in there_already)
    found: list[Recalled] = []
    for each in recalled:
        text = folded(each.text.strip("…"))
        stays = each.id in ids or any(text in other for other in there)
        if each.fate is not Fate.IN_VIEW or each.kind in ALWAYS_RECALLED or stays:
            continue
        if any(folded(words) in text for words in gone):
            continue
        left -= tokens_at_most(each.text)
        if left < 0 or len(found) >= most:
            break
        found.append(each)
    return tuple(found)
