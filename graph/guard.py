"""The turn guard: the compiled graph itself, with one turn at a time on a thread and nothing lost between two."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Sequence
from typing import Any, Self, cast

from langchain_core.runnables import RunnableConfig
from langgraph._internal._constants import CONFIG_KEY_RUNTIME
from langgraph.constants import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel._write import ChannelWrite, ChannelWriteTupleEntry
from langgraph.types import StateSnapshot, StateUpdate

from ninefold.adapters.checkpoints.lineage import AT, TURN, USER
from ninefold.adapters.threads import to_its_end
from ninefold.policies.forget_request import asked_to_forget

from .calls import HELD, Call, CallGraph
from .deferring import WAITS
from .guard_settings import Guard as Guard
from .guard_settings import now as now
from .identity import check_owner
from .intake import NewMessages, said
from .locks import ahold, hold
from .named_errors import Named
from .plan import RUN, Head, Run, decide, head_of
from .pruning import aprune, prune
from .stored import answered, as_parts

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


class TurnGraph(CallGraph):
    """A compiled LangGraph graph whose every entry point keeps the laws of a turn.

    `invoke`, `ainvoke`, `batch`, `stream`, `astream` and a parent graph all come through `stream` and `astream`;
    `update_state` comes through `bulk_update_state`. Laws: a thread has one turn at a time; a turn's input is checked
    before anything is written; what leaves a checkpoint is typed, and is shown to its owner alone; copies keep all of
    this.
    """

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Generator[Any, None, None]:  # noqa: A002
        """Give what `CompiledStateGraph.stream` gives, for one turn of the thread.

        Raises:
            InputError: the input cannot become a turn; IdentityError and NothingPending are kinds of it.
            ThreadBusy: another turn holds the thread.
            StepsExhausted: the caller's recursion_limit was too small.
        """
        call = self._read(input, config, options)
        if call.saver is None:
            (run,) = self._decide(call, head_of(None))
            with Named():
                yield from super().stream(run.input, self._config(call, run), **call.options)
            return
        with Named(), hold(call.place, call.identity.key, self._guard.locks, self._guard.lock_timeout):
            head = self._head(call)
            if stored := self._stored(call, head):
                yield from as_parts(stored, options)
                return
            if _left_over(call, head):
                _forget_asked(self, call)
                head = self._head(call)
            try:
                for run in self._decide(call, head):
                    inner = super().stream(run.input, self._config(call, run), **{**call.options, **run.options})
                    with (
                        self._guard.deferred.ending(call.saver, call.held[-1]),
                        contextlib.closing(cast("Any", inner)) as parts,
                    ):
                        for part in parts:
                            if run.shown:
                                yield part
            finally:
                prune(call.saver, call.identity.thread, call.identity.namespace, self._guard.history_turns)
            if _may_forget(call, head):
                _forget_asked(self, call)

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
            inner = super().astream(run.input, self._config(call, run), **call.options)
            async with Named(), contextlib.aclosing(cast("Any", inner)) as parts:
                async for part in parts:
                    yield part
            return
        async with Named(), ahold(call.place, call.identity.key, self._guard.locks, self._guard.lock_timeout):
            head = await self._ahead(call)
            asked_by_id = call.identity.turn is not None
            if asked_by_id and (stored := await asyncio.to_thread(self._stored, call, head)):
                for part in as_parts(stored, options):
                    yield part
                return
            if _left_over(call, head):
                await to_its_end(_forget_asked, self, call)
                head = await self._ahead(call)
            try:
                for run in self._decide(call, head):
                    inner = super().astream(run.input, self._config(call, run), **{**call.options, **run.options})
                    async with (
                        self._guard.deferred.aending(call.saver, call.held[-1]),
                        contextlib.aclosing(cast("Any", inner)) as parts,
                    ):
                        async for part in parts:
                            if run.shown:
                                yield part
            finally:
                await aprune(call.saver, call.identity.thread, call.identity.namespace, self._guard.history_turns)
            if _may_forget(call, head):
                await to_its_end(_forget_asked, self, call)

    def bulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> RunnableConfig:
        """Change a thread's state between two turns; `update_state` comes through here.

        Raises:
            InvalidUpdate: the state does not take it. ThreadBusy: a turn holds the thread.
        """
        call = self._read_update(config, supersteps)
        with Named(), hold(call.place, call.identity.key, self._guard.locks, self._guard.lock_timeout):
            check_owner(call.identity, self._head(call).values.get("owner"))
            return super().bulk_update_state(config, supersteps)

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """Do `bulk_update_state` without blocking the event loop."""
        call = self._read_update(config, supersteps)
        async with Named(), ahold(call.place, call.identity.key, self._guard.locks, self._guard.lock_timeout):
            check_owner(call.identity, (await self._ahead(call)).values.get("owner"))
            return await super().abulk_update_state(config, supersteps)

    def get_state(self, config: RunnableConfig, *, subgraphs: bool = False) -> StateSnapshot:
        """Give a thread's state; the config in it names the user too, so that it can be handed back.

        Raises:
            IdentityError: the thread belongs to another user.
        """
        return self._shown(config, super().get_state(config, subgraphs=subgraphs))

    async def aget_state(self, config: RunnableConfig, *, subgraphs: bool = False) -> StateSnapshot:
        """Do `get_state` without blocking the event loop."""
        return self._shown(config, await super().aget_state(config, subgraphs=subgraphs))

    def get_state_history(self, config: RunnableConfig, **options: Any) -> Iterator[StateSnapshot]:
        """Give a thread's states, newest first; it raises what `get_state` raises."""
        for snapshot in super().get_state_history(config, **options):
            yield self._shown(config, snapshot)

    async def aget_state_history(self, config: RunnableConfig, **options: Any) -> AsyncIterator[StateSnapshot]:
        """Do `get_state_history` without blocking the event loop."""
        async for snapshot in super().aget_state_history(config, **options):
            yield self._shown(config, snapshot)

    def copy(self, update: dict[str, Any] | None = None) -> Self:
        """Give a copy with some attributes changed; unlike LangGraph's own it keeps what is set after construction."""
        made = super().copy(update)
        for name in LOST_BY_COPY - (update or {}).keys():
            setattr(made, name, getattr(self, name))
        return made

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Give the picture for a notebook cell; LangGraph's own asks a web service for it."""
        from .drawing import mimebundle

        return {**mimebundle(self)}

    def _decide(self, call: Call, head: Head) -> tuple[Run, ...]:
        if call.intake is None:
            return (Run(call.given, head.stamp(call.identity) or self._guard.stamp(call.identity)),)
        return decide(
            call.intake,
            call.identity,
            head,
            stamp=lambda: self._guard.stamp(call.identity),
            defaults=self._guard.schema.defaults,
        )

    def _config(self, call: Call, run: Run) -> RunnableConfig:
        """Give the caller's config with the run's stamp."""
        stamp = {TURN: run.stamp.turn_id, AT: run.stamp.at, USER: run.stamp.user}
        # Only under "sync" does a checkpoint reach the saver before what its steps gave, so only then may it wait.
        waits = call.identity.thread if call.options.get("durability") == "sync" else None
        metadata = {**(call.config.get("metadata") or {}), **stamp, HELD: call.held, WAITS: waits}
        if call.identity.run is not None and run.own_id:
            metadata[RUN] = f"{call.identity.run}-{run.stamp.turn_id}"
        limit = call.config.get("recursion_limit") or (self.config or {}).get("recursion_limit")
        return {**call.config, "metadata": metadata, "recursion_limit": limit or self._guard.recursion_limit}

    def _stored(self, call: Call, head: Head) -> dict[str, Any] | None:
        """Give the answer of an older turn that is asked again by its id, or None when the call is something else."""
        turn = call.identity.turn
        runtime = call.where.get("configurable", {}).get(CONFIG_KEY_RUNTIME)
        store = runtime.store if runtime else self.store
        if turn is None or turn == head.turn or store is None or not isinstance(call.intake, NewMessages):
            return None
        check_owner(call.identity, head.values.get("owner"))
        return answered(store, call.identity.thread, turn)


def _left_over(call: Call, head: Head) -> bool:
    """Whether an earlier turn left something to be forgotten: it goes before anything is said that may hold it too."""
    named = call.config.get("configurable", {})
    return bool(head.values.get("forgetting")) and not head.unfinished and not named.get("checkpoint_id")


def _may_forget(call: Call, head: Head) -> bool:
    """Whether a turn may leave something to be forgotten: it was asked to, or an earlier turn could not finish it."""
    words = call.intake.messages if isinstance(call.intake, NewMessages) else ()
    waiting = (*head.unstarted, *words)
    return (
        bool(head.values.get("forgetting"))
        or head.unfinished
        or any(asked_to_forget(said(message)) for message in waiting if message.type == "human")
    )


def _forget_asked(graph: TurnGraph, call: Call) -> None:
    from .forgetting import forget_asked

    forget_asked(graph, call)
