"""Forgetting for good: words, in all that is kept of a person; in their memories and on every thread of theirs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from ninefold.adapters.archive import turn_messages
from ninefold.adapters.archive.forgetting import forget_places, places_holding
from ninefold.adapters.checkpoints.lineage import at
from ninefold.adapters.checkpoints.rows import rows_of, threads_of
from ninefold.policies.forget_texts import any_of, told_by
from ninefold.policies.forgetting import Holds, forgotten, holding, kept_holds, message_holds
from ninefold.policies.notices import notice
from ninefold.policies.render import as_sent
from ninefold.policies.secrets import MASK, secrets
from ninefold.policies.text import plain_text, sentences
from ninefold.state import Constraint, IdentityError, InputError, MemoryRecord, NinefoldError, StorageError, ThreadBusy
from ninefold.state.turn_state import TurnState, Update

from .calls import Call
from .changes import Standing, change, changed, parts_of
from .guard import TurnGraph
from .in_force import rules_in_force

_log = logging.getLogger(__name__)

_SECRET = 5
"""Letters of a secret that nobody's sentence holds by chance."""
BRIEFLY = 2.0
"""Seconds that another thread's turn is waited for: it may itself be waiting for this one."""


class Forgotten(NamedTuple):
    """What was forgotten, counted over all threads."""

    constraints: int = 0
    items: int = 0
    """Statements of summaries."""
    messages: int = 0
    """Messages, in windows and in archives."""
    memories: int = 0
    left: tuple[str, ...] = ()
    """Threads that may still hold the words: a turn runs on them or waits, or they cannot be read."""
    texts: tuple[str, ...] = ()
    """What was looked for; whatever held one of them is gone."""

    @property
    def anything(self) -> bool:
        """Whether there was anything to forget."""
        return any(self[:4])

    def also(self, other: Forgotten) -> Forgotten:
        """Give both together."""
        return Forgotten(
            self.constraints + other.constraints,
            self.items + other.items,
            self.messages + other.messages,
            self.memories + other.memories,
            self.left + other.left,
            self.texts + other.texts,
        )


def forget(graph: TurnGraph, config: RunnableConfig, what: str) -> Forgotten:
    """Forget words: in the user's memories, and in the rules, summary, window, archive and earlier states of threads.

    All threads of the user are gone through, the named one first. A message that holds the words keeps its place and
    none of them. A thread on which something was found cannot be gone back to an earlier turn afterwards, because those
    states may hold the words too: only the present one stays; of the named thread whatever was found.

    Args:
        graph: what `build_graph` gave.
        config: names the thread and its user.
        what: the words, in either width or case; or the id of a memory or a constraint, whose words are meant then,
            and the exact values that a memory tells.

    Raises:
        InputError: the words are too few to forget by, or the last turn of the named thread is not finished.
        StorageError: a store failed; what was forgotten until then stays so, and the same call goes on. Or the saver
            keeps every earlier state; nothing was forgotten then.
    """
    call = graph._read_update(config, ())

    def make(standing: Standing) -> tuple[Forgotten, Update | None]:
        records = _records(graph, standing.stamp.user)
        texts = _with_secrets(graph, records, meant(what, records, _rules(standing)))
        done, update = _in_thread(standing, any_of(texts))
        return done._replace(texts=texts), update

    done = change(graph, config, make, alone=True)
    holds = any_of(done.texts)
    done = done.also(_elsewhere(graph, call.saver, call.identity.user, holds, without=call.identity.thread))
    return _finished(graph, call.identity.user, what, done)


def forget_asked(graph: TurnGraph, call: Call) -> None:
    """Forget for good what a turn was asked to, on a thread that is held; the request and its reply go too.

    What fails is logged, and the words wait in the state for the beginning of the next turn. A thread that cannot be
    reached is named in the turn's outcome, and not waited for: what is said later may hold the words again.
    """
    named = call.config.get("configurable", {})
    kept = {key: value for key, value in named.items() if key not in ("checkpoint_id", "turn_id")}
    try:
        latest = graph._read_update({**call.config, "configurable": kept}, ())
        head = graph._head(latest)
        texts: tuple[str, ...] = head.values.get("forgetting", ())
        if not texts or head.unfinished or latest.identity.namespace:
            return
        user, thread = latest.identity.user, latest.identity.thread
        texts = _with_secrets(graph, _records(graph, user), texts)
        holds = any_of(texts)
        done = _elsewhere(graph, latest.saver, user, holds, without=thread)
        memory = parts_of(graph).memory

        def make(standing: Standing) -> tuple[None, Update | None]:
            _, update = _in_thread(standing, holds)
            # Whatever breaks off before the end begins again with these texts: the memories that gave some may be gone.
            after = Update(**{**(update or {}), "forgetting": texts})
            if done.left and (outcome := after.get("outcome")):
                left = notice("forgotten_left", standing.state.language, threads=", ".join(done.left)[:200])
                after["outcome"] = outcome.model_copy(update={"notes": (*outcome.notes, left)})
            return None, after

        changed(graph, latest, make, alone=True)
        gone = [record.id for record in _records(graph, user) if holds(record.text) or holds(record.description)]
        if memory and gone:
            memory.delete(user, gone)
        changed(graph, latest, lambda _: (None, Update(forgetting=())), alone=True)
        erase(graph.checkpointer, graph.store, memory)
        if done.left:
            _log.warning("what was asked to be forgotten may still stand on the threads %s", ", ".join(done.left))
    except NinefoldError:
        _log.warning("what was asked to be forgotten on %r is not gone yet", call.identity.thread, exc_info=True)


def forget_everywhere(graph: TurnGraph, user: str, what: str) -> Forgotten:
    """Do `forget` for a person, whatever threads they have; without any, in their memories.

    Raises:
        InputError: the words are too few to forget by.
        StorageError: a store failed, or keeps every earlier state; the same call goes on.
    """
    records = _records(graph, user)
    texts = _with_secrets(graph, records, meant(what, records))
    saver = graph.checkpointer if isinstance(graph.checkpointer, BaseCheckpointSaver) else None
    done = Forgotten(texts=texts).also(_elsewhere(graph, saver, user, any_of(texts)))
    return _finished(graph, user, what, done)


def _finished(graph: TurnGraph, user: str, what: str, done: Forgotten) -> Forgotten:
    """Forget the memories, and leave nothing of deleted rows in any file.

    They go last, and the one that gave the words last of them: a call by its id that broke off can be repeated.
    """
    memory, holds = parts_of(graph).memory, any_of(done.texts)
    gone = [record.id for record in _records(graph, user) if holds(record.text) or holds(record.description)]
    for some in ([id_ for id_ in gone if id_ != what], [id_ for id_ in gone if id_ == what]):
        if memory and some:
            memory.delete(user, some)
    erase(graph.checkpointer, graph.store, memory)
    return done.also(Forgotten(memories=len(gone)))


def meant(what: str, records: Sequence[MemoryRecord], constraints: Sequence[Constraint] = ()) -> tuple[str, ...]:
    """Give the texts by which something is forgotten: words, or those of what stands under an id and what it tells.

    Raises:
        InputError: the words are too few to forget by.
    """
    for record in records:
        if record.id == what:
            return told_by(record)
    words = next((each.words for each in constraints if each.id == what), what)
    holding(words)
    return (words,)


def _rules(standing: Standing) -> tuple[Constraint, ...]:
    """Give the thread's rules, and those of other threads that hold on it."""
    return (*standing.state.constraints, *rules_in_force(standing.state, standing.turn, standing.parts))


def told_with(graph: TurnGraph, user: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Give the texts that a turn is asked to forget with the secrets that go with them, while their memories are there.

    Raises:
        MemoryStoreError: the memories cannot be read.
        StorageError: the archive cannot be read.
    """
    return _with_secrets(graph, _records(graph, user), tuple(texts))


def _with_secrets(graph: TurnGraph, records: Sequence[MemoryRecord], texts: tuple[str, ...]) -> tuple[str, ...]:
    """Give the texts with the secrets that memories which hold them were masked of: what was said has them still."""
    holds, store = any_of(texts), graph.store
    found: list[str] = []
    for record in records:
        if store is not None and MASK in record.text and holds(record.text):
            told = holding(record.text)
            for message in turn_messages(store, record.thread, record.turn):
                texts_of = [each.text for each in sentences(plain_text(message)) if told(each.text)]
                found += [secret for each in texts_of for secret in secrets(each)]
    return tuple(dict.fromkeys((*texts, *(secret for secret in found if len(secret) >= _SECRET))))


def _records(graph: TurnGraph, user: str) -> tuple[MemoryRecord, ...]:
    memory = parts_of(graph).memory
    return memory.records(user) if memory else ()


def _in_thread(standing: Standing, holds: Holds) -> tuple[Forgotten, Update | None]:
    """Forget on one thread that is held: its archive, its prompt log, and what its state is to become."""
    state, thread = standing.state, standing.stamp.thread
    found = places_holding(standing.store, thread, lambda message: message_holds(message, holds))
    forget_places(standing.store, thread, found.holding)
    if standing.parts.log:
        standing.parts.log.forget(thread, holds)
    tokens = standing.parts.tokens
    update, went = forgotten(
        state, standing.turn, holds, lambda m: tokens.message(as_sent(m)), found.holding | found.emptied
    )
    archived = {entry.message for entry in state.entries if (entry.turn, entry.sequence) in found.holding}
    messages = len(found.holding) + len(went.messages - archived)
    done = Forgotten(went.constraints, went.items, messages)
    return done, update if state != TurnState() else None


def _elsewhere(
    graph: TurnGraph, saver: BaseCheckpointSaver[Any] | None, user: str, holds: Holds, without: str | None = None
) -> Forgotten:
    """Forget on the person's other threads; one that nothing is found on stays as it is, with its earlier states."""
    done = Forgotten()
    for thread in _threads(graph, saver, user):
        config: RunnableConfig = {"configurable": {"thread_id": thread, "user_id": user}}
        try:
            if thread != without and _touched(graph, saver, thread, holds):
                make: Callable[[Standing], tuple[Forgotten, Update | None]] = partial(_in_thread, holds=holds)
                done = done.also(change(graph, config, make, alone=True, wait=BRIEFLY))
        except (InputError, ThreadBusy, StorageError):
            done = done.also(Forgotten(left=(thread,)))
    return done


def _threads(graph: TurnGraph, saver: BaseCheckpointSaver[Any] | None, user: str) -> Iterator[str]:
    """Give the person's threads."""
    for thread in threads_of(saver) if saver else ():
        owners = {row.user for row in rows_of(saver, thread) if row.user} if saver else set()
        if owners:
            if user in owners:
                yield thread
            continue
        config: RunnableConfig = {"configurable": {"thread_id": thread, "user_id": user}}
        try:
            owner = graph.get_state(config).values.get("owner")
        except (IdentityError, StorageError):
            continue
        if owner == user:
            yield thread


def _touched(graph: TurnGraph, saver: BaseCheckpointSaver[Any] | None, thread: str, holds: Holds) -> bool:
    """Whether a thread holds the words: in its archive, on whichever branch, or in one of its states."""
    if graph.store is not None and places_holding(graph.store, thread, lambda m: message_holds(m, holds)).holding:
        return True
    states = saver.list(at(thread)) if saver else ()
    return any(
        any(kept_holds(value, holds) for value in each.checkpoint["channel_values"].values())
        or any(kept_holds(value, holds) for _, _, value in each.pending_writes or ())
        for each in states
    )


@runtime_checkable
class _Erasing(Protocol):
    """A database that can be written anew without what was deleted."""

    def vacuum(self) -> None:
        """Give the disk back what deleted rows held."""


def erase(*databases: object) -> None:
    """Leave nothing of deleted rows in the files of a database that keeps them there."""
    for database in databases:
        if isinstance(database, _Erasing):
            database.vacuum()
