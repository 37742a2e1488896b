"""What the person asks to be forgotten, within the turn: out of what the turn works with and is shown.

What is to go is noted in the state before anything is deleted, so that a turn that breaks off is gone on with.
Memories, files, earlier states, other threads and the request itself follow when the turn is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from langchain_core.messages import HumanMessage

from ninefold.policies.forget_request import asked_to_forget, takes_back
from ninefold.policies.forget_texts import Asked, any_of, phrases
from ninefold.policies.forgetting import Holds, forgotten
from ninefold.policies.notices import notice
from ninefold.policies.render import as_sent
from ninefold.policies.text import plain_text
from ninefold.state import (
    Degraded,
    Event,
    Fate,
    Forgot,
    MemoryKind,
    MemoryRecord,
    MemoryStoreError,
    Recalled,
    Step,
    StorageError,
)
from ninefold.state.turn_state import TurnState, Update

from .ports import MemoryStore, Past, TokenCounter

_CHANGED = frozenset({"messages", "entries", "constraints", "conflicts", "summary", "task", "unwritten", "taken_back"})
"""What forgetting changes within a turn; what it would begin anew is of this turn."""
SEARCHED = 50
"""Messages of earlier turns that are looked at for whether there is anything to forget."""


@dataclass(frozen=True)
class Forgetting:
    """What became of a request to forget."""

    state: TurnState
    """The turn without it; the request stays until the turn is over."""
    update: Update
    told: Recalled
    """What the model is told, so that it can confirm truthfully."""
    events: tuple[Event, ...]


def asked(state: TurnState, memory: MemoryStore | None, past: Past | None, tokens: TokenCounter) -> Forgetting | None:
    """Note what this turn's messages ask to be forgotten, and give the turn without it.

    None where nothing is asked. A store that fails is said; nothing is claimed then, and the turn's end tries again.
    """
    assert state.turn is not None
    # A turn that broke off left its message unheard.
    mine = {entry.message for entry in state.entries if entry.turn == state.turn.id} | {*state.unprocessed.memories}
    now = [m for m in state.messages if isinstance(m, HumanMessage) and m.id in mine]
    things = [thing for message in now for thing in asked_to_forget(plain_text(message))]
    if not things:
        return None
    failed: MemoryStoreError | StorageError | None = None
    records: tuple[MemoryRecord, ...] = ()
    try:
        records = memory.records(state.turn.user) if memory is not None else ()
    except MemoryStoreError as error:
        failed = error
    sure, unsure, texts = _meant(state, things, records, [plain_text(m) for m in now], bare=memory is None)
    doubt = _doubt(state, unsure) if unsure else None
    if not sure:
        return Forgetting(state, Update(), _told(state, doubt.what), (doubt,)) if doubt else None
    holds = any_of(texts)
    gone = [record.id for record in records if holds(record.text) or holds(record.description)]
    update, found = forgotten(state, state.turn, holds, lambda m: tokens.message(as_sent(m)), but=mine)
    anything = bool(gone or any(found))
    try:
        anything = anything or _is_in_the_past(past, sure, holds)
    except StorageError as error:
        failed = error
    words = _words(sure)
    key, reason = _became(anything=anything, texts=texts)
    what = notice(key, state.language, words=words, memories=len(gone), constraints=found.constraints)
    event: Event = Forgot(what=what, memories=len(gone), constraints=found.constraints, reason=reason)
    if failed is not None:
        what = notice("not_forgotten", state.language, words=words)
        event = Degraded(step=Step.MEMORY_RETRIEVAL, what=what, cause=str(failed)[:400])
    changed = {name: value for name, value in update.items() if name in _CHANGED}
    waiting = tuple(dict.fromkeys((*state.forgetting, *texts)))
    window = update.get("messages", [])[1:]
    after = state.model_copy(update={**changed, "messages": window, "forgetting": waiting})
    kept = cast("Update", {**changed, "forgetting": waiting})
    events = (event, doubt) if doubt else (event,)
    return Forgetting(after, kept, _told(state, "\n".join((what, doubt.what) if doubt else (what,))), events)


def _meant(
    state: TurnState, things: Sequence[Asked], records: Sequence[MemoryRecord], said: Sequence[str], *, bare: bool
) -> tuple[list[Asked], list[Asked], tuple[str, ...]]:
    """Give what is surely asked, what may be asked, and the texts by which the first is forgotten.

    What may be asked is nothing where nothing of the person's holds it. A rule that is taken back in other words than
    it was given in is taken back, and not forgotten. Without memories, what is in the window says what is meant.
    """
    assert state.turn is not None
    rules = [constraint.words for constraint in state.constraints]
    earlier = {entry.message for entry in state.entries if bare and entry.turn != state.turn.id}
    told = [*rules, *(plain_text(message) for message in state.messages if message.id in earlier)]
    texts = {thing: phrases(thing, records, rules if thing.rule else told) for thing in things}
    taken_back = any(map(takes_back, said))
    sure = [each for each in things if each.sure and (texts[each] or not (each.rule and taken_back))]
    unsure = [each for each in things if not each.sure and texts[each]]
    return sure, unsure, tuple(text for each in sure for text in texts[each])


def _doubt(state: TurnState, things: Sequence[Asked]) -> Forgot:
    """Give what the person and the model are told of what may be asked."""
    what = notice("forget_unsure", state.language, words=_words(things))
    return Forgot(what=what, reason="it may not be meant")


def _words(things: Sequence[Asked]) -> str:
    return ", ".join(thing.words for thing in things)[:200]


def _became(*, anything: bool, texts: tuple[str, ...]) -> tuple[str, str]:
    """Give the notice that says what was found, and why nothing was."""
    if anything:
        return "forgot", ""
    if texts:
        return "forgot_nothing_here", "nothing here holds it; the other threads are looked through after the turn"
    return "forgot_nothing", "nothing holds it"


def _is_in_the_past(past: Past | None, things: Sequence[Asked], holds: Holds) -> bool:
    """Whether an earlier turn of the thread holds it; raises StorageError where that cannot be read."""
    if past is None:
        return False
    found = past.matching(" ".join(thing.words for thing in things), limit=SEARCHED)
    return any(holds(each.text) for each in found)


def _told(state: TurnState, what: str) -> Recalled:
    assert state.turn is not None
    return Recalled(
        id=f"forgot-{state.turn.id}"[:200],
        kind=MemoryKind.FACT,
        text=what,
        created=state.turn.at,
        score=None,
        fate=Fate.RECALLED,
        role="assistant",
    )
