"""A caller's saver as the graph uses it: our values go in plain and come out typed, and some checkpoints wait."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from inspect import signature
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
)

from ninefold.adapters.checkpoints import PlainSerde

from .deferring import Deferred
from .migrations import VERSION, Schema

_KEPT_WRITES = ("__resume__", "__interrupt__", "__error__", "__scheduled__")


def typed_saver(
    saver: BaseCheckpointSaver[Any], schema: Schema, deferred: Deferred | None = None
) -> BaseCheckpointSaver[Any]:
    """Give a copy of the saver that shares its storage, stores our values as plain data and types pending writes.

    Where a run's checkpoints may wait for the next one, `deferred` decides which do.

    Channel values are typed by `TurnGraph._migrate_checkpoint`; the writes of a task that had finished when its
    process died do not pass through there.
    """
    if isinstance(saver, _TypedReads):
        return cast("BaseCheckpointSaver[Any]", saver)
    typed = copy.copy(saver)
    if not isinstance(saver.serde, PlainSerde):
        typed.serde = PlainSerde(saver.serde)
    typed.__class__ = _typed_class(type(saver))
    typed.__dict__["_schema"] = schema
    typed.__dict__["_deferred"] = deferred or Deferred()
    return typed


class _TypedReads(BaseCheckpointSaver[Any]):
    """What is put in front of a saver's own class."""

    _schema: Schema
    _deferred: Deferred

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        placed = self._deferred.placed(config, checkpoint, metadata, new_versions)
        if placed is None:
            return at_id(config, checkpoint["id"])
        where, versions = placed
        return super().put(where, checkpoint, metadata, versions)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        placed = self._deferred.placed(config, checkpoint, metadata, new_versions)
        if placed is None:
            return at_id(config, checkpoint["id"])
        where, versions = placed
        return await super().aput(where, checkpoint, metadata, versions)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if not self._deferred.takes(config, writes, task_id, task_path):
            super().put_writes(config, writes, task_id, *_path(super().put_writes, task_path))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if not self._deferred.takes(config, writes, task_id, task_path):
            await super().aput_writes(config, writes, task_id, *_path(super().aput_writes, task_path))

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self._typed(super().get_tuple(config))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self._typed(await super().aget_tuple(config))

    def list(self, *args: Any, **options: Any) -> Iterator[CheckpointTuple]:
        for found in super().list(*args, **options):
            yield cast("CheckpointTuple", self._typed(found))

    async def alist(self, *args: Any, **options: Any) -> AsyncIterator[CheckpointTuple]:
        async for found in super().alist(*args, **options):
            yield cast("CheckpointTuple", self._typed(found))

    def _typed(self, found: CheckpointTuple | None) -> CheckpointTuple | None:
        if found is None or not found.pending_writes:
            return found
        version = found.checkpoint["channel_values"].get(VERSION, self._schema.version)
        if version != self._schema.version:
            # The finished task of an older schema runs again: a node may be run twice, a field may not be read half.
            kept = [write for write in found.pending_writes if write[1] in _KEPT_WRITES]
            return found._replace(pending_writes=kept)
        return found._replace(pending_writes=[self._typed_write(write) for write in found.pending_writes])

    def _typed_write(self, write: PendingWrite) -> PendingWrite:
        task, channel, value = write
        return task, channel, self._schema.typed_value(channel, value)


def _path(put_writes: Callable[..., Any], task_path: str) -> tuple[str, ...]:
    """Give a task's path to a saver that takes one; LangGraph knows savers that do not."""
    return (task_path,) if "task_path" in signature(put_writes).parameters else ()


_classes: dict[type[Any], type[Any]] = {}


def _typed_class(own: type[Any]) -> type[Any]:
    if own not in _classes:
        _classes[own] = type(f"Typed{own.__name__}", (_TypedReads, own), {"__doc__": own.__doc__})
    return _classes[own]


def at_id(config: RunnableConfig, checkpoint: str) -> RunnableConfig:
    """Give the config of a checkpoint as a saver gives it."""
    own = config.get("configurable", {})
    named = {"thread_id": own["thread_id"], "checkpoint_ns": own.get("checkpoint_ns", ""), "checkpoint_id": checkpoint}
    return {"configurable": named}


def place_of(saver: object) -> str:
    """Give a name for the storage behind a saver, the same for every copy of it in this process."""
    own = vars(saver) if hasattr(saver, "__dict__") else {}
    return f"{id(own.get('conn', own.get('storage', saver))):x}"
