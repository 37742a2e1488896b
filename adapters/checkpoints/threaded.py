"""Async methods for a saver that has only sync ones: each runs in a thread."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)

from ..threads import to_its_end


class AsyncTwins(BaseCheckpointSaver[str]):
    """Stands before a sync saver's class, so that sync and async callers share its connections."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Give `get_tuple` without blocking the event loop."""
        return await to_its_end(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - the base class names it
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Give `list` without blocking the event loop."""
        for found in await to_its_end(
            lambda: [*self.list(config, filter=filter, before=before, limit=limit)],
        ):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Do `put` without blocking the event loop."""
        return await to_its_end(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Do `put_writes` without blocking the event loop."""
        await to_its_end(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Do `delete_thread` without blocking the event loop."""
        await to_its_end(self.delete_thread, thread_id)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Give `get_delta_channel_history` without blocking the event loop."""
        return await to_its_end(lambda: self.get_delta_channel_history(config=config, channels=channels))
