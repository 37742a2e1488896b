"""The turn guard: the compiled graph itself, with one turn at a time on a thread and nothing lost between two."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, cast

from langchain_core.runnables import RunnableConfig
from langgraph._internal._config import ensure_config
from langgraph._internal._constants import (
    CONFIG_KEY_CHECKPOINTER,
    CONFIG_KEY_DURABILITY,
    CONFIG_KEY_RESUMING,
    CONFIG_KEY_RUNTIME,
    CONFIG_KEY_TASK_ID,
    INPUT,
)
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, CheckpointTuple
from langgraph.constants import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel._write import ChannelWrite, ChannelWriteTupleEntry
from langgraph.types import StateSnapshot, StateUpdate

from ninefold.adapters.checkpoints.lineage import AT, TURN, USER

from .guard_settings import Guard as Guard
from .guard_settings import now as now
from .identity import Identity, check_owner, identity_of, unknown_checkpoint
from .intake import Intake, NewMessages, taken_in
from .locks import ahold, busy, hold
from .plan import RUN, Head, Run, decide, head_of
from .pruning import aprune, prune
from .savers import place_of, typed_saver
from .stored import answered, as_parts

HELD = "__ninefold_held"
"""In a run's metadata: the keys held by the turns that this run is inside of. Not stored: its name begins with "__"."""
LOST_BY_COPY = frozenset({"_serde_allowlist", "_output_mapper", "_state_mapper", "_guard"})
"""The attributes that LangGraph's own copy loses."""


def guard(compiled: CompiledStateGraph[Any, Any, Any, Any], settings: Guard | None = None) -> TurnGraph:
    """Give the compiled graph as a TurnGraph; it is the same object.

    Its START step takes every field of the state, so that a thread's first input can bring the defaults along.
    """
    settings = settings or Guard()
    compiled.__class__ = TurnGraph
    guarded = cast("TurnGraph", compiled)
    guarded._guard = settings
    fields = frozenset(settings.schema.state.model_fields)

    def writes(given: Any) -> Sequence[tuple[str, Any]] | None:
        return [(name, value) for name, value in given.items() if name in fields] if given else None

    start = guarded.nodes[START]
    start.writers[0] = ChannelWrite((ChannelWriteTupleEntry(mapper=writes),))
    return guarded


@dataclass(frozen=True)
class _Call:
    """One call to the graph, read but not yet decided."""

    given: object
    identity: Identity
    intake: Intake | None
    """None for a subgraph that its parent resumes: what it is given then is no input."""
    config: RunnableConfig
    """As the caller gave it."""
    where: RunnableConfig
    """The thread and namespace, with what a parent graph lends."""
    options: Mapping[str, Any]
    """As the caller gave them, and durability."""
    saver: BaseCheckpointSaver[Any] | None
    place: str
    held: tuple[str, ...]


class TurnGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled LangGraph graph whose every entry point keeps the laws of a turn.

    `invoke`, `ainvoke`, `batch`, `stream`, `astream` and a parent graph all come through `stream` and `astream`;
    `update_state` comes through `bulk_update_state`. Laws: a thread has one turn at a time; a turn's input is checked
    before anything is written; what leaves a checkpoint is typed; copies keep all of this.
    """

    _guard: Guard

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Generator[Any, None, None]:  # noqa: A002
        """Give what `CompiledStateGraph.stream` gives, for one turn of the thread.

        Raises:
            InputError: the input cannot become a turn; IdentityError and NothingPending are kinds of it.
            ThreadBusy: another turn holds the thread.
        """
        call = self._read(input, config, options)
        if call.saver is None:
            (run,) = self._decide(call, head_of(None))
            yield from super().stream(run.input, self._config(call, run), **call.options)
            return
        with hold(call.place, call.identity.key, self._guard.locks, self._guard.lock_timeout):
            head = self._head(call)
            if stored := self._stored(call, head):
                yield from as_parts(stored, options)
                return
            try:
                for run in self._decide(call, head):
                    inner = super().stream(run.input, self._config(call, run), **{**call.options, **run.options})
                    with contextlib.closing(cast("Any", inner)) as parts:
                        for part in parts:
                            if run.shown:
                                yield part
            finally:
                prune(call.saver, call.identity.thread, call.identity.namespace, self._guard.history_turns)

    async def astream(
        self,
        input: Any,  # noqa: A002 - the base class names it
        config: RunnableConfig | None = None,
        **options: Any,
    ) -> AsyncGenerator[Any, None]:
        """Give what `CompiledStateGraph.astream` gives, for one turn of the thread; it raises what `stream` raises."""
        call = self._read(input, config, options)
        if call.saver is None:
            (run,) = self._decide(call, head_of(None))
            async with contextlib.aclosing(
                cast("Any", super().astream(run.input, self._config(call, run), **call.options))
            ) as parts:
                async for part in parts:
                    yield part
            return
        async with ahold(call.place, call.identity.key, self._guard.locks, self._guard.lock_timeout):
            head = await self._ahead(call)
            if stored := await asyncio.to_thread(self._stored, call, head):
                for part in as_parts(stored, options):
                    yield part
                return
            try:
                for run in self._decide(call, head):
                    inner = super().astream(run.input, self._config(call, run), **{**call.options, **run.options})
                    async with contextlib.aclosing(cast("Any", inner)) as parts:
                        async for part in parts:
                            if run.shown:
                                yield part
            finally:
                await aprune(call.saver, call.identity.thread, call.identity.namespace, self._guard.history_turns)

    def bulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> RunnableConfig:
        """Change a thread's state between two turns; `update_state` comes through here.

        Raises:
            InvalidUpdate: the state does not take it. ThreadBusy: a turn holds the thread.
        """
        call = self._read_update(config, supersteps)
        with hold(call.place, call.identity.key, self._guard.locks, self._guard.lock_timeout):
            check_owner(call.identity, self._head(call).values.get("owner"))
            return super().bulk_update_state(config, supersteps)

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """Do `bulk_update_state` without blocking the event loop."""
        call = self._read_update(config, supersteps)
        async with ahold(call.place, call.identity.key, self._guard.locks, self._guard.lock_timeout):
            check_owner(call.identity, (await self._ahead(call)).values.get("owner"))
            return await super().abulk_update_state(config, supersteps)

    def copy(self, update: dict[str, Any] | None = None) -> Self:
        """Give a copy with some attributes changed; unlike LangGraph's own it keeps what is set after construction."""
        made = super().copy(update)
        for name in LOST_BY_COPY - (update or {}).keys():
            setattr(made, name, getattr(self, name))
        return made

    def _resolve_checkpointer(self, config: RunnableConfig) -> BaseCheckpointSaver[Any] | None:
        """Give the saver of a run, whoever brought it, so that our values are stored plain and read typed."""
        saver = super()._resolve_checkpointer(config)
        return typed_saver(saver, self._guard.schema) if isinstance(saver, BaseCheckpointSaver) else saver

    def _migrate_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Make a loaded checkpoint's values typed and of this release's schema, in place.

        Raises:
            SchemaError: they are of a schema that this release cannot read.
        """
        super()._migrate_checkpoint(checkpoint)
        values = checkpoint["channel_values"]
        stored = {name: value for name, value in values.items() if not name.startswith("__") and ":" not in name}
        if stored:
            migrated = self._guard.schema.migrate(stored)
            for name in stored.keys() - migrated.keys():
                del values[name]
            values.update(self._guard.schema.typed(migrated))
        if isinstance(given := values.get(START), dict):
            values[START] = self._guard.schema.typed(given)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Give the picture for a notebook cell; LangGraph's own asks a web service for it."""
        from .drawing import mimebundle

        return {**mimebundle(self)}

    def _read(self, given: object, config: RunnableConfig | None, options: Mapping[str, Any]) -> _Call:
        """Read a call and refuse what cannot be a turn, before anything is locked or written."""
        merged = ensure_config(self.config, config)
        configurable = merged.get("configurable", {})
        nested = CONFIG_KEY_TASK_ID in configurable
        resumed = nested and bool(configurable.get(CONFIG_KEY_RESUMING))
        call = self._call(config or {}, merged, given, None if resumed else taken_in(given, nested=nested), options)
        synced = "checkpoint_during" in options or CONFIG_KEY_DURABILITY in configurable
        if call.saver is None or nested or synced or options.get("durability") is not None:
            return call
        return replace(call, options={**options, "durability": "sync"})

    def _read_update(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> _Call:
        merged = ensure_config(self.config, config)
        call = self._call(config, merged, None, None, {})
        if not call.identity.namespace or CONFIG_KEY_CHECKPOINTER in merged.get("configurable", {}):
            for update in (update for superstep in supersteps for update in superstep):
                if update.as_node == INPUT:
                    taken_in(update.values)
                elif isinstance(update.values, dict):
                    self._guard.schema.check_update(update.values)
        return call

    def _call(
        self,
        config: RunnableConfig,
        merged: RunnableConfig,
        given: object,
        intake: Intake | None,
        options: Mapping[str, Any],
    ) -> _Call:
        where = self._own_checkpoint_config({"configurable": {**merged.get("configurable", {})}})
        metadata: Mapping[str, Any] = merged.get("metadata") or {}
        run = metadata.get(RUN)
        identity = replace(
            identity_of(where.get("configurable", {}), self._guard.default_user), run=str(run) if run else None
        )
        saver = self._resolve_checkpointer(merged)
        place = place_of(where.get("configurable", {}).get(CONFIG_KEY_CHECKPOINTER, self.checkpointer))
        held = tuple(metadata.get(HELD, ()))
        key = f"{place}\0{identity.key}"
        if saver is not None and key in held:
            raise busy(identity.key, "and this call comes from inside of it")
        return _Call(given, identity, intake, config, where, options, saver, place, (*held, key))

    def _head(self, call: _Call) -> Head:
        saver = cast("BaseCheckpointSaver[Any]", call.saver)
        saved = saver.get_tuple(call.where)
        return self._known(call, saved, self._prepare_state_snapshot(call.where, saved, saver=saver))

    async def _ahead(self, call: _Call) -> Head:
        saver = cast("BaseCheckpointSaver[Any]", call.saver)
        saved = await saver.aget_tuple(call.where)
        return self._known(call, saved, await self._aprepare_state_snapshot(call.where, saved, saver=saver))

    def _known(self, call: _Call, saved: CheckpointTuple | None, snapshot: StateSnapshot) -> Head:
        if saved is None and call.identity.checkpoint is not None and not call.identity.namespace:
            raise unknown_checkpoint(call.identity)
        waiting = saved.checkpoint["channel_values"].get(START) if saved else None
        unstarted = taken_in(waiting, nested=True)
        head = head_of(snapshot, unstarted.messages if isinstance(unstarted, NewMessages) else ())
        # What a subgraph asked is answered through its parent; a new input from there is a new turn.
        return replace(head, waiting=()) if CONFIG_KEY_TASK_ID in call.where.get("configurable", {}) else head

    def _decide(self, call: _Call, head: Head) -> tuple[Run, ...]:
        if call.intake is None:
            return (Run(call.given, head.stamp(call.identity) or self._guard.stamp(call.identity)),)
        return decide(
            call.intake,
            call.identity,
            head,
            stamp=lambda: self._guard.stamp(call.identity),
            defaults=self._guard.schema.defaults,
        )

    def _config(self, call: _Call, run: Run) -> RunnableConfig:
        """Give the caller's config with the run's stamp."""
        stamp = {TURN: run.stamp.turn_id, AT: run.stamp.at, USER: run.stamp.user}
        metadata = {**(call.config.get("metadata") or {}), **stamp, HELD: call.held}
        if call.identity.run is not None and run.own_id:
            metadata[RUN] = f"{call.identity.run}-{run.stamp.turn_id}"
        limit = call.config.get("recursion_limit") or (self.config or {}).get("recursion_limit")
        return {**call.config, "metadata": metadata, "recursion_limit": limit or self._guard.recursion_limit}

    def _stored(self, call: _Call, head: Head) -> dict[str, Any] | None:
        """Give the answer of an older turn that is asked again by its id, or None when the call is something else."""
        turn = call.identity.turn
        runtime = call.where.get("configurable", {}).get(CONFIG_KEY_RUNTIME)
        store = runtime.store if runtime else self.store
        if turn is None or turn == head.turn or store is None or not isinstance(call.intake, NewMessages):
            return None
        check_owner(call.identity, head.values.get("owner"))
        return answered(store, call.identity.thread, turn)
