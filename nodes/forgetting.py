"""What the person asks to be forgotten, within the turn: out of the memories and of what the turn works with.

Files, earlier states, other threads and the request itself follow when the turn is over: its answer still needs them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from langchain_core.messages import HumanMessage

from ninefold.policies.forget_request import Asked, any_of, asked_to_forget, phrases
from ninefold.policies.forgetting import Holds, forgotten
from ninefold.policies.notices import notice
from ninefold.policies.recall import Found
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

_CHANGED = frozenset({"messages", "entries", "constraints", "conflicts", "summary", "task", "unwritten"})
"""What forgetting changes within a turn; what it would begin anew is of this turn."""
SEARCHED = 50
"""Messages of earlier turns that are looked at for whether there is anything to forget."""


@dataclass(frozen=True)
class Forgetting:
    """What became of a request to forget."""

    state: TurnState
    """The turn without it; the request stays until the turn is over."""
    update: Update
    holds: Holds
    told: Recalled
    """What the model is told, so that it can confirm truthfully."""
    events: tuple[Event, ...]

    def without(self, found: Found) -> Found:
        """Give what was found less what is to be forgotten."""
        return replace(found, said=tuple(each for each in found.said if not self.holds(each.text)))


def asked(state: TurnState, memory: MemoryStore | None, past: Past | None, tokens: TokenCounter) -> Forgetting | None:
    """Forget in the memories what this turn's messages ask to be forgotten, and give the turn without it.

    None where nothing is asked. A store that fails is said; nothing is claimed then, and the next turn tries again.
    """
    assert state.turn is not None
    # A turn that broke off left its message unheard.
    mine = {entry.message for entry in state.entries if entry.turn == state.turn.id} | {*state.unprocessed.memories}
    now = [m for m in state.messages if isinstance(m, HumanMessage) and m.id in mine]
    things = [thing for message in now for thing in asked_to_forget(plain_text(message))]
    if not things:
        return None
    failed: MemoryStoreError | None = None
    records: tuple[MemoryRecord, ...] = ()
    try:
        records = memory.records(state.turn.user) if memory is not None else ()
    except MemoryStoreError as error:
        failed = error
    texts = _texts(state, things, records, bare=memory is None)
    holds = any_of(texts)
    gone = [record.id for record in records if holds(record.text) or holds(record.description)]
    try:
        if memory is not None and gone:
            memory.delete(state.turn.user, gone)
    except MemoryStoreError as error:
        failed = error
    update, found = forgotten(state, state.turn, holds, lambda m: tokens.message(as_sent(m)), but=mine)
    anything = bool(gone or any(found)) or _is_in_the_past(past, things, holds)
    words = ", ".join(thing.words for thing in things)
    key = "forgot" if anything else "forgot_nothing"
    what = notice(key, state.language, words=words[:200], memories=len(gone), constraints=found.constraints)
    reason = "" if anything else "nothing holds it"
    event: Event = Forgot(what=what, memories=len(gone), constraints=found.constraints, reason=reason)
    if failed is not None:
        what = notice("not_forgotten", state.language, words=words[:200])
        event = Degraded(step=Step.MEMORY_RETRIEVAL, what=what, cause=str(failed)[:400])
    changed = {name: value for name, value in update.items() if name in _CHANGED}
    waiting = tuple(dict.fromkeys((*state.forgetting, *texts)))
    window = update.get("messages", [])[1:]
    after = state.model_copy(update={**changed, "messages": window, "forgetting": waiting})
    kept = cast("Update", {**changed, "forgetting": waiting})
    return Forgetting(after, kept, holds, _told(state, what), (event,))


def _texts(state: TurnState, things: list[Asked], records: tuple[MemoryRecord, ...], *, bare: bool) -> tuple[str, ...]:
    """Give the texts by which the things are forgotten; without memories, what is in the window says what is meant."""
    assert state.turn is not None
    told = [constraint.words for constraint in state.constraints]
    if bare:
        earlier = {entry.message for entry in state.entries if entry.turn != state.turn.id}
        told += [plain_text(message) for message in state.messages if message.id in earlier]
    return tuple(text for thing in things for text in phrases(thing, records, told))


def _is_in_the_past(past: Past | None, things: list[Asked], holds: Holds) -> bool:
    """Whether an earlier turn of the thread holds it."""
    if past is None:
        return False
    try:
        found = past.matching(" ".join(thing.words for thing in things), limit=SEARCHED)
    except StorageError:
        return False
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
