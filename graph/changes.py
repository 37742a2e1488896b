"""Changing a thread between two turns: under its lock, by its owner, and as a part of its last turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore
from langgraph.types import StateUpdate

from ninefold.adapters.checkpoints.lineage import AT, TURN, USER
from ninefold.state import InputError, SettingsError, Stamp, Step, StorageError, Turn
from ninefold.state.turn_state import TurnState, Update

from .calls import Call, CallGraph
from .guard import TurnGraph
from .identity import check_owner
from .locks import hold
from .parts import Parts
from .pruning import check_prunable, drop_earlier, prune

Made = TypeVar("Made")


@dataclass(frozen=True)
class Standing:
    """A thread between two turns, as it stands."""

    state: TurnState
    stamp: Stamp
    """Of the last turn; of a turn of its own where none was taken yet."""
    config: RunnableConfig
    """Names the thread and its user."""
    graph: TurnGraph
    parts: Parts
    saver: BaseCheckpointSaver[Any]

    @property
    def turn(self) -> Turn:
        """The last turn; where none was taken yet, the one that the change is made in."""
        stamp = self.stamp
        return self.state.turn or Turn(id=stamp.turn_id, parent=None, number=0, at=stamp.at, user=stamp.user)

    @property
    def store(self) -> BaseStore:
        """Where the archive is.

        Raises:
            StorageError: the graph has none of its own.
        """
        if self.graph.store is None:
            raise StorageError("This graph has no store.", "Go through the server that runs it.")
        return self.graph.store


def change(
    graph: TurnGraph,
    config: RunnableConfig,
    make: Callable[[Standing], tuple[Made, Update | None]],
    *,
    beside: bool = False,
    alone: bool = False,
    wait: float | None = None,
) -> Made:
    """Write the update that `make` gives for a thread, and give what it made; no turn comes between the two.

    The change belongs to the last turn: going back to that turn goes back to what it was changed to.

    Args:
        graph: what `build_graph` gave.
        config: names the thread and its user.
        make: gives what it made, and what is to be written; None leaves the thread as it is.
        beside: keep the state as it was before as well, so that it can be gone back to.
        alone: leave no state but the present one, whether or not something was written.
        wait: seconds to wait for a turn that holds the thread; None waits as a turn does.

    Raises:
        IdentityError: the thread is another user's.
        InputError: its last turn is not finished.
        ThreadBusy: a turn holds it.
        StorageError: the graph keeps no sessions, or earlier states that are to go cannot be dropped.
        SettingsError: it was not made by build_graph.
    """
    call = graph._read_update(config, ())
    timeout = graph._guard.lock_timeout if wait is None else wait
    with hold(call.place, call.identity.key, graph._guard.locks, timeout):
        return changed(graph, call, make, beside=beside, alone=alone)


def changed(
    graph: TurnGraph,
    call: Call,
    make: Callable[[Standing], tuple[Made, Update | None]],
    *,
    beside: bool = False,
    alone: bool = False,
) -> Made:
    """Do `change` on a thread that is held already; it raises what `change` raises."""
    parts = parts_of(graph)
    if call.saver is None:
        raise StorageError("This graph keeps no sessions.", "Give build_graph a checkpointer.")
    if alone:
        check_prunable(call.saver)
    head = graph._head(call)
    check_owner(call.identity, head.values.get("owner"))
    if head.unfinished:
        raise InputError(
            "The last turn of this thread is not finished.",
            "In a chat /retry finishes it, in code invoke(None, config); or say something new.",
        )
    state = TurnState.model_validate({**head.values})
    begun = head.stamp(call.identity) if state.turn else None
    standing = Standing(state, begun or graph._guard.stamp(call.identity), call.config, graph, parts, call.saver)
    made, update = make(standing)
    if update is not None:
        _write(standing, update, begun=begun is not None, beside=beside)
    if alone:
        drop_earlier(call.saver, call.identity.thread, call.identity.namespace)
    elif update is not None:
        prune(call.saver, call.identity.thread, call.identity.namespace, graph._guard.history_turns)
    return made


def parts_of(graph: TurnGraph) -> Parts:
    """Give what a graph's steps work with.

    Raises:
        SettingsError: it was not made by build_graph.
    """
    parts = graph._guard.parts
    if parts is None:
        raise SettingsError("This graph knows no agent.", "Use the graph that build_graph gives.")
    return parts


def _write(standing: Standing, update: Update, *, begun: bool, beside: bool) -> None:
    """Write an update; under the last turn's stamp it takes the place of that turn's own state."""
    stamp = standing.stamp
    marks = {TURN: stamp.turn_id, AT: stamp.at, USER: stamp.user} if begun and not beside else {}
    config: RunnableConfig = {
        **standing.config,
        "metadata": {**(standing.config.get("metadata") or {}), **marks},
    }
    values: dict[str, Any] = {**update}
    if not begun:
        # A thread without a turn is its opener's from now on.
        values["owner"] = stamp.user
    standing.graph._guard.schema.check_update(values)
    CallGraph.bulk_update_state(standing.graph, config, [[StateUpdate(values, Step.WINDOW_ROLL.value)]])
