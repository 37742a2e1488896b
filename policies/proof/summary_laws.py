"""A new summary against the old one and what left: everything grounded, nothing forgotten, nothing turned round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langchain_core.messages import BaseMessage, HumanMessage

from ninefold.state import Item, Missing, StepStatus, Summary

from ..keeping.cues import heard
from ..keeping.held import folded, same_values
from ..negation import is_negated
from ..text import plain_text, sentences


def summary_faults(old: Summary, new: Summary, sources: Mapping[str, BaseMessage]) -> tuple[Missing, ...]:
    """Give what is wrong with a new summary; nothing when it keeps the laws.

    Laws: an item of the old summary stays word for word or is gone as a whole; a new item is a span of one of its
    sources, cut at no negation; a finished step is never pending again, unless a leaving message asks for it anew.

    Args:
        old: the summary before.
        new: the proposed one.
        sources: the originals of the leaving messages by id.
    """
    before = {folded(item.text): item for item in old.items}
    faults: list[Missing] = []
    for item in new.items:
        known = before.get(folded(item.text)) or _rewritten(item, old)
        if known is not None and not _asked_anew(known, item, sources):
            faults += _reopened(known, item)
        else:
            faults += _ungrounded(item, sources)
    gone = set(old.preferences) - set(new.preferences)
    faults += [Missing(kind="reference", span=id_[:400]) for id_ in sorted(gone)]
    return tuple(faults)


def dropped_items(old: Summary, new: Summary) -> tuple[Item, ...]:
    """Give the items of the old summary that the new one no longer has."""
    plain = {folded(item.text) for item in new.items}
    same = {same_values(item.text) for item in new.items}
    return tuple(item for item in old.items if folded(item.text) not in plain and same_values(item.text) not in same)


def _rewritten(item: Item, old: Summary) -> Item | None:
    """Give the old item that says the same with its values written another way."""
    same = same_values(item.text)
    return next((known for known in old.items if same_values(known.text) == same), None)


def _asked_anew(old: Item, new: Item, sources: Mapping[str, BaseMessage]) -> bool:
    """Whether the person says a finished step again as a sentence of its own, when what finished it has left before."""
    if old.status is not StepStatus.DONE or not new.sources or set(old.sources) & set(sources):
        return False
    plain = folded(new.text)
    said = [sources.get(id_) for id_ in new.sources]
    return all(
        isinstance(each, HumanMessage) and any(folded(one.text) == plain for one in sentences(plain_text(each)))
        for each in said
    )


def _reopened(old: Item, new: Item) -> tuple[Missing, ...]:
    if old.status is StepStatus.DONE and new.status is not StepStatus.DONE:
        return (Missing(kind="status", span=f"done, now {new.status}: {new.text}"[:400], source=_first(new)),)
    return ()


def _ungrounded(item: Item, sources: Mapping[str, BaseMessage]) -> tuple[Missing, ...]:
    """Give why a new item does not stand on its sources."""
    texts = [plain_text(sources[id_]) for id_ in item.sources if id_ in sources]
    within = [text for text in texts if _stands_in(item.text, text)]
    if not within:
        return (Missing(kind="source", span=f"stands nowhere: {item.text}"[:400], source=_first(item)),)
    if all(_cut_at_negation(item.text, text) for text in within):
        return (Missing(kind="negation", span=f"cut from a negation: {item.text}"[:400], source=_first(item)),)
    if item.status is StepStatus.PENDING and heard("done", item.text) and not heard("todo", item.text):
        return (Missing(kind="status", span=f"done, but pending: {item.text}"[:400], source=_first(item)),)
    return ()


def _stands_in(text: str, source: str) -> bool:
    return folded(text) in folded(source) or same_values(text) in same_values(source)


def _cut_at_negation(text: str, source: str) -> bool:
    """Whether words without a negation were cut out of a sentence that has one: 要用红色 out of 不要用红色."""
    if is_negated(text):
        return False
    plain = folded(text)
    around: Sequence[str] = [span.text for span in sentences(source) if plain in folded(span.text)]
    return bool(around) and all(_said_no_just_before(plain, sentence) for sentence in around)


def _said_no_just_before(plain: str, sentence: str) -> bool:
    """Whether the words, with the few letters before them, say no, which they alone do not."""
    whole = folded(sentence)
    at = whole.find(plain)
    return any(is_negated(whole[max(0, at - reach) : at + len(plain)]) for reach in range(1, _REACH + 1))


_REACH = 6
"""Letters before a span in which a negation turns it round."""


def _first(item: Item) -> str | None:
    return item.sources[0] if item.sources else None
