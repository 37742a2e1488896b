"""memory_write: the turn goes to the archive, what is worth keeping to the memories; after the answer, in one batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from langchain_core.messages import BaseMessage, HumanMessage

from ninefold.policies.ageing import due
from ninefold.policies.constraints import SUBJECT, Source, constraint_of, extract, is_rule, restates
from ninefold.policies.forget_request import beside
from ninefold.policies.forget_texts import any_of
from ninefold.policies.memory_ids import folded, memory_id, record_id
from ninefold.policies.memory_merge import Merge, merged, without_placed
from ninefold.policies.notices import notice
from ninefold.policies.secrets import masked
from ninefold.policies.text import plain_text
from ninefold.policies.write_judge import Statement, WriteJudge
from ninefold.state import (
    ALWAYS_RECALLED,
    AgentSettings,
    ChangeKind,
    Constraint,
    Degraded,
    Entry,
    Event,
    Fate,
    MemoryKind,
    MemoryRecord,
    MemorySettings,
    MemoryStatus,
    MemoryStoreError,
    MemoryWritten,
    Origin,
    Recalled,
    Scope,
    Step,
    StorageError,
    Turn,
    Unprocessed,
)
from ninefold.state.turn_state import TurnState, Update

from .ports import Archive, MemoryStore

NEAR = 8
"""Known memories that each new statement is compared with."""
UNWRITTEN = 50
"""Statements that wait at most for a store that fails; the newest stay."""
EVENT_IDS = 32
FIRST = 1
"""The turn of a thread in which memories that nobody asks for any more are archived: once in a while is enough."""

_HOLD_ONE_VALUE = (MemoryKind.PREFERENCE, MemoryKind.PROFILE, MemoryKind.CONFIG)
"""The kinds whose statements are compared by subject, however far apart their texts lie."""


def memory_write(
    state: TurnState,
    *,
    memory: MemoryStore | None,
    archive: Archive,
    judge: WriteJudge,
    settings: AgentSettings,
    thread: str,
) -> Update:
    """Give the window with every original archived, and what became of the person's statements.

    Running it again changes nothing: the archive keeps keys, the memories ids that derive from their content. What a
    store that fails did not take waits in `unwritten` for the next turn, and is never reported as stored.
    """
    assert state.turn is not None
    entries, archived, events = _archived(state, archive)
    if memory is None or settings.memory == "off":
        events.append(MemoryWritten(archived=archived, reason="memory is off"))
        return Update(entries=entries, unprocessed=_processed(state), taken_back=(), trace=tuple(events))
    holds = any_of(state.forgetting)
    waiting = (*state.unwritten, *(each for each in _statements(state, judge, thread) if not holds(each.text)))
    try:
        merge = _merge(state, memory, waiting, settings.memory)
        if merge.rows:
            memory.write(tuple(merge.rows.values()))
    except MemoryStoreError as error:
        events.append(Degraded(step=Step.MEMORY_WRITE, what=_unwritten(state, len(waiting)), cause=str(error)[:400]))
        events.append(MemoryWritten(archived=archived, reason="the memory store failed"))
        return Update(
            entries=entries, unprocessed=_processed(state), unwritten=waiting[-UNWRITTEN:], trace=tuple(events)
        )
    events.append(_written(merge, archived))
    update = Update(
        entries=without_placed(entries, merge.superseded),
        unprocessed=_processed(state),
        unwritten=(),
        taken_back=(),
        trace=tuple(events),
    )
    constraints = tuple(_kept_by(each, merge, state.turn.user) for each in state.constraints)
    if constraints != state.constraints:
        update["constraints"] = constraints
    return update


def _kept_by(constraint: Constraint, merge: Merge, user: str) -> Constraint:
    """Give a rule that was said before, on whichever thread, as one that the memory of then keeps."""
    twin = merge.twins.get(record_id(constraint, user)) if constraint.lasting else None
    return constraint.model_copy(update={"record": twin}) if twin else constraint


def _archived(state: TurnState, archive: Archive) -> tuple[tuple[Entry, ...], int, list[Event]]:
    """Every entry, marked where the archive has taken its original; a failing archive leaves the rest as it is."""
    assert state.turn is not None
    messages = {message.id: message for message in state.messages}
    by_turn: dict[str, list[tuple[Entry, BaseMessage]]] = {}
    for entry in state.entries:
        if not entry.archived and entry.message in messages:
            by_turn.setdefault(entry.turn, []).append((entry, messages[entry.message]))
    done: set[str] = set()
    events: list[Event] = []
    try:
        for turn, originals in by_turn.items():
            archive.record(_turn(state, turn), originals)
            done.update(entry.message for entry, _ in originals)
    except StorageError as error:
        events.append(
            Degraded(step=Step.MEMORY_WRITE, what=notice("turn_unarchived", state.language), cause=str(error)[:400])
        )
    entries = tuple(
        entry.model_copy(update={"archived": True}) if entry.message in done else entry for entry in state.entries
    )
    return entries, len(done), events


def _turn(state: TurnState, turn: str) -> Turn:
    """The present turn, or what the window's order tells of one before it that was never finished."""
    present = state.turn
    assert present is not None
    if turn == present.id:
        return present
    line = list(dict.fromkeys(entry.turn for entry in state.entries))
    place = line.index(turn)
    number = max(present.number - (len(line) - 1 - place), 0)
    return Turn(id=turn, parent=line[place - 1] if place else None, number=number, at=present.at, user=present.user)


def _statements(state: TurnState, judge: WriteJudge, thread: str) -> Iterator[MemoryRecord]:
    """What the person's own messages hold; nobody else's words are looked at."""
    turns = {entry.message: entry.turn for entry in state.entries}
    rules = _rules_of_this_turn(state)
    for constraint in rules:
        if constraint.lasting:
            statement = Statement(
                kind=MemoryKind.PREFERENCE, text=masked(constraint.words), subject=f"{SUBJECT}{constraint.key or ''}"
            )
            yield _record(state, thread, constraint.turn, statement)
    holds = any_of(state.forgetting)
    spoken = [message for message in state.messages if isinstance(message, HumanMessage)]
    for index, message in enumerate(spoken):
        if message.id in state.unprocessed.memories:
            before = [plain_text(earlier) for earlier in spoken[:index]]
            for statement in judge.statements(beside(plain_text(message), holds), before=before):
                kept = _beside(statement, rules)
                if kept is not None and not _restated(state, kept, message):
                    yield _record(state, thread, turns.get(message.id or "", ""), kept)


def _rules_of_this_turn(state: TurnState) -> tuple[Constraint, ...]:
    """The constraints that the person said in this turn.

    Those that came back from the memories are no news, and a note on which of two wishes holds is none of them.
    """
    assert state.turn is not None
    mine = (c for c in state.constraints if c.turn == state.turn.id and not (c.scope is Scope.TURN and c.overrules))
    return tuple(c for c in mine if c.origin is not Origin.PREFERENCE)


def _beside(statement: Statement, rules: Sequence[Constraint]) -> Statement | None:
    """A statement beside the constraints found in the same words: a lasting one is kept as such, a turn's own is not.

    A rule of the session is kept as what was asked for then, found on demand, and never imposed on later sessions.
    """
    said = folded(statement.text)
    for rule in rules:
        words = folded(masked(rule.words))
        if words in said or said in words:
            if rule.lasting or rule.scope is Scope.TURN:
                return None
            if statement.kind is MemoryKind.PREFERENCE:
                return Statement(MemoryKind.CONFIG, statement.text, statement.subject, statement.description)
    return statement


def _restated(state: TurnState, statement: Statement, message: HumanMessage) -> bool:
    """Whether a statement says again a rule for all time that holds: a memory of its own would outlive that rule.

    The message that brought the rule does not say it again: after a turn that broke off it is still to be kept.
    """
    assert state.turn is not None
    kept = [each for each in state.constraints if each.lasting and each.message != message.id]
    source = Source(state.turn.id, state.turn.id, state.turn.at, None)
    said = [constraint_of(wish, source) for wish in extract(statement.text).wishes] if kept else []
    return any(restates(old, new) for old in kept for new in said)


def _record(state: TurnState, thread: str, turn: str, statement: Statement) -> MemoryRecord:
    assert state.turn is not None
    user = state.turn.user
    return MemoryRecord(
        id=memory_id(user, turn or state.turn.id, statement.text),
        user=user,
        kind=statement.kind,
        text=statement.text,
        description=statement.description,
        subject=statement.subject,
        created=state.turn.at,
        sequence=state.turn.number,
        thread=thread,
        turn=turn or state.turn.id,
    )


def _merge(state: TurnState, memory: MemoryStore, waiting: Sequence[MemoryRecord], settings: MemorySettings) -> Merge:
    """One merge of everything this turn changes: new statements, withdrawn rules, hits of what was recalled."""
    assert state.turn is not None
    user = state.turn.user
    known: tuple[MemoryRecord, ...] = ()
    withdrawn, records = _withdrawn(state)
    if withdrawn or any(record.subject for record in waiting):
        known = memory.by_kind(user, _HOLD_ONE_VALUE)
    near = memory.nearest(user, [record.text for record in waiting], limit=NEAR) if waiting else ()
    merge = merged(
        waiting,
        known,
        {record.id: found for record, found in zip(waiting, near, strict=True)},
        same=settings.dedupe_score,
    )
    for record in known:
        gone = record.id in records or folded(record.text).startswith(withdrawn)
        if is_rule(record) and gone and record.id not in merge.rows:
            merge.rows[record.id] = record.model_copy(update={"status": MemoryStatus.SUPERSEDED})
            merge.superseded.append(record.id)
    hits = [m.id for m in state.recalled if m.fate is Fate.RECALLED and _searched(m)]
    for record in memory.get(user, hits):
        if record.id not in merge.rows and record.last_hit != state.turn.at:
            merge.rows[record.id] = record.model_copy(update={"hits": record.hits + 1, "last_hit": state.turn.at})
    if state.turn.number <= FIRST:
        on_demand = tuple(kind for kind in MemoryKind if kind not in ALWAYS_RECALLED)
        for record in due(memory.by_kind(user, on_demand), state.turn.at, settings.archive_days):
            merge.rows.setdefault(record.id, record)
    return merge


def _searched(memory: Recalled) -> bool:
    """Whether it is a memory that a search brought: what comes by filter every turn is no hit."""
    return memory.source == "memory" and (memory.score is not None or memory.words is not None)


def _withdrawn(state: TurnState) -> tuple[tuple[str, ...], frozenset[str]]:
    """How the words of the rules begin that the person took back, or replaced for all time.

    And the memories of earlier statements that keep those taken back: they may say it in other words.
    """
    lasting = {constraint.id for constraint in state.constraints if constraint.lasting}
    taken: list[str] = []
    records: set[str] = set()
    for change in state.taken_back:
        if change.change is ChangeKind.REMOVED:
            taken.append(change.words)
            records.update(filter(None, (change.record,)))
        elif change.constraint in lasting:
            taken += change.replaces.split("; ")
    return tuple(folded(masked(words)) for words in taken if folded(words)), frozenset(records)


def _processed(state: TurnState) -> Unprocessed:
    return state.unprocessed.model_copy(update={"memories": ()})


def _unwritten(state: TurnState, count: int) -> str:
    if count > UNWRITTEN:
        return notice("memories_given_up", state.language, count=UNWRITTEN, lost=count - UNWRITTEN)
    return notice("memories_unwritten", state.language, count=count)


def _written(merge: Merge, archived: int) -> MemoryWritten:
    reason = "" if merge.stored else "nothing worth keeping was said"
    if not merge.stored and merge.repeated:
        reason = "it was known already"
    return MemoryWritten(
        stored=tuple(merge.stored[:EVENT_IDS]),
        superseded=tuple(merge.superseded[:EVENT_IDS]),
        archived=archived,
        reason=reason,
    )
