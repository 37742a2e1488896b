"""Checkpoints that nobody needs while their turn goes on: between steps that may run again they wait for the next one.

LangGraph writes the whole state after every step, and what a step gave before it. A step that only thinks gives the
same when it is run again, and one that writes what is there already changes nothing, so a turn that is killed can go on
from before it; what was said and what a model or a tool did is on the disk before anything follows. Whatever ends a run
in this process, its newest state is written.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.constants import START

from ninefold.adapters.threads import through

_log = logging.getLogger(__name__)

HELD = "__ninefold_held"
"""In a run's metadata: the keys held by the turns that this run is inside of. Not stored: its name begins with "__"."""
WAITS = "__ninefold_waits"
"""In a run's metadata: its thread, where its checkpoints may wait. Not stored either."""

_BRANCH = "branch:to:"
_UNWRITTEN = "the newest state of a run that an error ended could not be written; the turn goes on from an earlier one"
Writes = Sequence[tuple[str, Any]]


@dataclass
class _Waiting:
    """A checkpoint that was not written."""

    config: RunnableConfig
    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    versions: ChannelVersions


@dataclass
class _Run:
    """One run of a turn: where it is, and the checkpoints behind it that were left out."""

    newest: str = ""
    coming: frozenset[str] = frozenset()
    """The steps that follow the newest checkpoint."""
    changed: ChannelVersions = field(default_factory=dict[str, str | int | float])
    """What those left out changed: some savers keep of a checkpoint only what is new in it."""
    parent: str | None = None
    """The last checkpoint that was written before those left out."""
    left_out: set[str] = field(default_factory=set[str])
    waiting: _Waiting | None = None
    writes: list[tuple[RunnableConfig, Writes, str, str]] = field(
        default_factory=list[tuple[RunnableConfig, Writes, str, str]]
    )
    """What steps that may run again gave on the newest checkpoint."""


class Deferred:
    """The newest checkpoint of each running turn, where it waits.

    Laws: a checkpoint between two steps of which one is not in `steps` is written at once; the parent of one that is
    written is one that is written.

    Args:
        steps: may be run again; none writes every checkpoint.
    """

    def __init__(self, steps: Iterable[str] = ()) -> None:
        self._steps = frozenset(steps) and frozenset((START, *steps))
        self._runs: dict[str, _Run] = {}
        self._lock = Lock()

    def placed(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, versions: ChannelVersions
    ) -> tuple[RunnableConfig, ChannelVersions] | None:
        """Give the config and the new versions with which a checkpoint is written now, or None where it waits."""
        key = _run_of(config)
        if key is None or not self._steps:
            return config, versions
        with self._lock:
            run = self._runs.setdefault(key, _Run())
            if run.newest == checkpoint["id"]:
                # An async saver that calls its sync twin comes through here twice.
                return config, versions
            before, run.newest, run.coming = run.coming, checkpoint["id"], _coming(checkpoint)
            where = config.get("configurable", {})
            parent = where.get("checkpoint_id")
            if parent in run.left_out:
                config = {**config, "configurable": {**where, "checkpoint_id": run.parent}}
            else:
                run.parent = parent
            changed = {**run.changed, **versions}
            run.waiting, run.writes = None, []
            within = before and run.coming and (before | run.coming) <= self._steps
            if not within or metadata.get("source") != "loop":
                run.changed = {}
                return config, changed
            run.changed = changed
            run.left_out.add(checkpoint["id"])
            run.waiting = _Waiting(config, checkpoint, metadata, changed)
            return None

    def takes(self, config: RunnableConfig, writes: Writes, task: str, path: str) -> bool:
        """Whether a task's writes need not be written now: its step may run again, or its checkpoint was left out."""
        key = _run_of(config)
        with self._lock:
            run = self._runs.get(key or "")
            checkpoint = config.get("configurable", {}).get("checkpoint_id")
            if run is None:
                return False
            if run.newest == checkpoint and run.coming and run.coming <= self._steps:
                run.writes.append((_unheld(config), writes, task, path))
                return True
            return checkpoint in run.left_out

    @contextmanager
    def ending(self, saver: BaseCheckpointSaver[Any], key: str) -> Iterator[None]:
        """Write what waits when the run inside ends; an error that ends it goes before one of the writing."""
        try:
            yield
        except BaseException:
            try:
                self._write(saver, key)
            except Exception:  # noqa: BLE001  what a saver raises is its own
                _log.warning(_UNWRITTEN, exc_info=True)
            raise
        self._write(saver, key)

    @asynccontextmanager
    async def aending(self, saver: BaseCheckpointSaver[Any], key: str) -> AsyncIterator[None]:
        """Do `ending` without blocking the event loop; cancelled meanwhile, it writes all the same."""
        try:
            yield
        except BaseException:
            try:
                await through(self._awrite(saver, key))
            except Exception:  # noqa: BLE001  what a saver raises is its own
                _log.warning(_UNWRITTEN, exc_info=True)
            raise
        await through(self._awrite(saver, key))

    def _write(self, saver: BaseCheckpointSaver[Any], key: str) -> None:
        run = self._ended(key)
        if waiting := run.waiting:
            saver.put(_unheld(waiting.config), waiting.checkpoint, waiting.metadata, waiting.versions)
        for config, writes, task, path in run.writes:
            saver.put_writes(config, writes, task, path)

    async def _awrite(self, saver: BaseCheckpointSaver[Any], key: str) -> None:
        run = self._ended(key)
        if waiting := run.waiting:
            await saver.aput(_unheld(waiting.config), waiting.checkpoint, waiting.metadata, waiting.versions)
        for config, writes, task, path in run.writes:
            await saver.aput_writes(config, writes, task, path)

    def _ended(self, key: str) -> _Run:
        with self._lock:
            return self._runs.pop(key, _Run())


def _unheld(config: RunnableConfig) -> RunnableConfig:
    """Give a config by which what waited is written and does not wait again."""
    metadata = {name: value for name, value in config.get("metadata", {}).items() if name != HELD}
    return {**config, "metadata": metadata}


def _run_of(config: RunnableConfig) -> str | None:
    """Give the key of the run that a config belongs to; None outside of a turn and inside of a parent graph.

    A call on another thread from inside of a turn inherits the turn's metadata, but is no part of it.
    """
    where, metadata = config.get("configurable", {}), config.get("metadata") or {}
    if where.get("checkpoint_ns") or metadata.get(WAITS) != where.get("thread_id"):
        return None
    held: Sequence[str] = metadata.get(HELD, ())
    return held[-1] if held else None


def _coming(checkpoint: Checkpoint) -> frozenset[str]:
    """Give the steps that a checkpoint's values call for."""
    values = checkpoint["channel_values"]
    steps = [name.removeprefix(_BRANCH) for name in values if name.startswith(_BRANCH)]
    return frozenset([*steps, START] if START in values else steps)
