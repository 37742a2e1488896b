"""Making the next cut's summary ahead, while nobody waits: the turn that cuts finds it, or makes its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config

from ninefold.adapters.checkpoints.lineage import AT, TURN
from ninefold.adapters.tokens import corrected
from ninefold.nodes.compaction import completion
from ninefold.nodes.ports import Archive, CancellableAssistant
from ninefold.policies.compaction.summary import prepare as prepare_summary
from ninefold.state import Language, StorageError
from ninefold.state.turn_state import TurnState

from .calls import Call
from .changes import parts_of
from .guard import TurnGraph
from .identity import check_owner
from .locks import ahold
from .window_archive import WindowArchive
from .wiring import in_thread


def prepare(graph: TurnGraph, config: RunnableConfig) -> bool:
    """Make the summary of the next cut ahead, and give whether there was one to make.

    Above the soft threshold a turn notes which turns the next cut takes. Their summary is made here, with the model
    that makes summaries, and kept beside the archive under the address of its content: the turn that cuts takes it
    without a call. It writes no checkpoint, and takes the thread's lock only to keep what was made: a turn may run
    meanwhile, and what was forgotten meanwhile is not kept.

    Args:
        graph: what `build_graph` gave.
        config: names the thread and its user.

    Raises:
        IdentityError: the thread is another user's.
        ThreadBusy: a turn held the thread when the summary was made.
        StorageError: the graph keeps no sessions.
        SettingsError: it was not made by build_graph.
    """
    return asyncio.run(aprepare(graph, config))


async def aprepare(graph: TurnGraph, config: RunnableConfig) -> bool:
    """Prepare as `prepare` does; cancelling the task ends the model's work at once.

    Raises:
        IdentityError: the thread is another user's.
        ThreadBusy: a turn held the thread when the summary was made.
        StorageError: the graph keeps no sessions.
        SettingsError: it was not made by build_graph.
    """
    parts = parts_of(graph)
    if parts.assistant is None:
        return False
    call = graph._read_update(config, ())
    state = await in_thread(_standing, graph, call)
    if state is None:
        return False
    bridge = _Bridge(parts.assistant)
    made: dict[str, str] = {}
    running = asyncio.ensure_future(in_thread(_prepare, graph, call, state, bridge, made))
    try:
        prepared = await asyncio.shield(running)
    except asyncio.CancelledError:
        bridge.stop()
        await asyncio.wait([running])
        raise
    if made:
        async with ahold(call.place, call.identity.key, graph._guard.locks, graph._guard.lock_timeout):
            await in_thread(_keep, graph, call, state, made)
    return prepared


def _standing(graph: TurnGraph, call: Call) -> TurnState | None:
    """Give the thread's state between two turns that has noted a cut, or None."""
    if call.saver is None or graph.store is None:
        raise StorageError("This graph keeps no sessions.", "Give build_graph a checkpointer and a store.")
    head = graph._head(call)
    check_owner(call.identity, head.values.get("owner"))
    if head.unfinished or not head.values.get("next_cut"):
        return None
    return TurnState.model_validate({**head.values})


def _keep(graph: TurnGraph, call: Call, state: TurnState, made: Mapping[str, str]) -> None:
    """Keep what was made of a state, unless that was changed meanwhile: it may tell what was forgotten since."""
    now = TurnState.model_validate({**graph._head(call).values})
    present = {message.id: message for message in now.messages}
    if now.summary != state.summary or any(present.get(each.id) != each for each in state.messages):
        return
    assert graph.store is not None
    archive = parts_of(graph).archive(graph.store, call.identity.thread)
    for key, text in made.items():
        archive.cache(key, text)


def _prepare(graph: TurnGraph, call: Call, state: TurnState, bridge: _Bridge, made: dict[str, str]) -> bool:
    parts, store = parts_of(graph), graph.store
    assert store is not None
    assert state.turn is not None
    # Whoever notes calls down asks the context which thread and turn they are made for.
    marks = {TURN: state.turn.id, AT: state.turn.at}
    var_child_runnable_config.set({"configurable": {"thread_id": call.identity.thread}, "metadata": marks})
    factor = state.counters.correction
    fixed = parts.fixed(state.language or Language.ENGLISH)
    assistant, _ = completion(
        state, bridge, tokens=parts.tokens, settings=parts.settings, fixed=fixed, tools=parts.chat.tools
    )
    return prepare_summary(
        state,
        tokens=parts.tokens if factor <= 1 else corrected(parts.tokens, factor),
        archive=_Aside(parts.archive(store, call.identity.thread), state, made),
        assistant=assistant,
        settings=parts.settings,
    )


class _Aside(WindowArchive):
    """An archive whose prepared texts are laid aside."""

    def __init__(self, archive: Archive, state: TurnState, made: dict[str, str]) -> None:
        super().__init__(archive, state)
        self._made = made

    def cache(self, key: str, text: str) -> None:
        """Lay a prepared text aside under its content address."""
        self._made[key] = text


class _Bridge:
    """Lets pure, blocking code wait for a call that runs as a task of the loop, where it can be cancelled."""

    def __init__(self, assistant: CancellableAssistant) -> None:
        self._assistant = assistant
        self._loop = asyncio.get_running_loop()
        self._calls: list[asyncio.Task[str]] = []
        self._stopped = False

    @property
    def shares_prefix(self) -> bool:
        return self._assistant.shares_prefix

    @property
    def num_ctx(self) -> int:
        return self._assistant.num_ctx

    def complete(
        self,
        prompt: Sequence[BaseMessage],
        *,
        purpose: str,
        num_predict: int,
        schema: Mapping[str, Any] | None = None,
    ) -> str:
        async def called() -> str:
            if self._stopped:
                raise asyncio.CancelledError
            self._calls.append(
                asyncio.ensure_future(
                    self._assistant.acomplete(prompt, purpose=purpose, num_predict=num_predict, schema=schema)
                )
            )
            return await self._calls[-1]

        return asyncio.run_coroutine_threadsafe(called(), self._loop).result()

    def stop(self) -> None:
        """End the call that runs, and every later one before it begins."""
        self._stopped = True
        for call in self._calls:
            call.cancel()
