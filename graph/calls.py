"""A compiled graph that reads its calls: who speaks on which thread, and where that thread stands.

LangGraph's entry points are private hooks away from each other; what every one of them needs is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph._internal._config import ensure_config
from langgraph._internal._constants import (
    CONFIG_KEY_CHECKPOINTER,
    CONFIG_KEY_DURABILITY,
    CONFIG_KEY_RESUMING,
    CONFIG_KEY_TASK_ID,
    INPUT,
)
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, CheckpointTuple
from langgraph.constants import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot, StateUpdate

from .deferring import HELD as HELD
from .guard_settings import Guard
from .identity import Identity, check_owner, identity_of, unknown_checkpoint
from .intake import Intake, NewMessages, taken_in
from .locks import busy
from .named_errors import check_limit
from .plan import RUN, Head, head_of
from .savers import place_of, typed_saver


@dataclass(frozen=True)
class Call:
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


class CallGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled LangGraph graph whose checkpoints are typed and whose calls are read before anything is written."""

    _guard: Guard

    def _resolve_checkpointer(self, config: RunnableConfig) -> BaseCheckpointSaver[Any] | None:
        """Give the saver of a run, whoever brought it, so that our values are stored plain and read typed."""
        saver = super()._resolve_checkpointer(config)
        if not isinstance(saver, BaseCheckpointSaver):
            return saver
        return typed_saver(saver, self._guard.schema, self._guard.deferred)

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

    def _read(self, given: object, config: RunnableConfig | None, options: Mapping[str, Any]) -> Call:
        """Read a call and refuse what cannot be a turn, before anything is locked or written."""
        check_limit(config)
        merged = ensure_config(self.config, config)
        configurable = merged.get("configurable", {})
        nested = CONFIG_KEY_TASK_ID in configurable
        resumed = nested and bool(configurable.get(CONFIG_KEY_RESUMING))
        call = self._call(config or {}, merged, given, None if resumed else taken_in(given, nested=nested), options)
        synced = "checkpoint_during" in options or CONFIG_KEY_DURABILITY in configurable
        if call.saver is None or nested or synced or options.get("durability") is not None:
            return call
        return replace(call, options={**options, "durability": "sync"})

    def _read_update(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> Call:
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
    ) -> Call:
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
        return Call(given, identity, intake, config, where, options, saver, place, (*held, key))

    def _head(self, call: Call) -> Head:
        saver = cast("BaseCheckpointSaver[Any]", call.saver)
        saved = saver.get_tuple(call.where)
        return self._known(call, saved, self._prepare_state_snapshot(call.where, saved, saver=saver))

    async def _ahead(self, call: Call) -> Head:
        saver = cast("BaseCheckpointSaver[Any]", call.saver)
        saved = await saver.aget_tuple(call.where)
        return self._known(call, saved, await self._aprepare_state_snapshot(call.where, saved, saver=saver))

    def _known(self, call: Call, saved: CheckpointTuple | None, snapshot: StateSnapshot) -> Head:
        if saved is None and call.identity.checkpoint is not None and not call.identity.namespace:
            raise unknown_checkpoint(call.identity)
        waiting = saved.checkpoint["channel_values"].get(START) if saved else None
        unstarted = taken_in(waiting, nested=True)
        head = head_of(snapshot, unstarted.messages if isinstance(unstarted, NewMessages) else ())
        # What a subgraph asked is answered through its parent; a new input from there is a new turn.
        return replace(head, waiting=()) if CONFIG_KEY_TASK_ID in call.where.get("configurable", {}) else head

    def _shown(self, config: RunnableConfig, snapshot: StateSnapshot) -> StateSnapshot:
        """Give a snapshot to who may see it, with the user's name in its configs; a subgraph's is its parent's matter.

        A server that brings its own storage has signed its callers in; where it names none, nobody is refused.

        Raises:
            IdentityError: the thread is another user's, or nobody is named where many people share a store.
        """
        configurable = ensure_config(self.config, config).get("configurable", {})
        named = configurable.get("langgraph_auth_user_id") or configurable.get("user_id")
        nested = configurable.get("checkpoint_ns") or CONFIG_KEY_CHECKPOINTER in configurable
        if nested or (self._guard.served and not named):
            return snapshot
        identity = identity_of(configurable, self._guard.default_user)
        check_owner(identity, snapshot.values.get("owner") if isinstance(snapshot.values, dict) else None)
        return snapshot._replace(
            config=_named(snapshot.config, identity.user),
            parent_config=_named(snapshot.parent_config, identity.user) if snapshot.parent_config else None,
        )


def _named(config: RunnableConfig, user: str) -> RunnableConfig:
    return {**config, "configurable": {**config.get("configurable", {}), "user_id": user}}
