"""What stands between LangGraph and a pure step: ports are handed in, the update is checked where it is made."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, ParamSpec, TypeVar, get_type_hints

from langchain_core.messages import BaseMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph._internal._runnable import RunnableCallable
from langgraph.config import get_stream_writer
from langgraph.graph.message import add_messages
from pydantic import TypeAdapter, ValidationError

from ninefold.state import Degraded, Forgot, InvalidUpdate, Outcome, OutcomeStatus, Step
from ninefold.state.turn_state import REMOVE_ALL, TurnState, Update

P = ParamSpec("P")
T = TypeVar("T")

SyncStep = Callable[[TurnState, RunnableConfig], Update]
AsyncStep = Callable[[TurnState, RunnableConfig], Awaitable[Update]]


def node(step: Step, run: SyncStep, arun: AsyncStep | None = None) -> RunnableCallable:
    """Give the graph's node for a step; without an async twin it runs in a thread, to its end even when cancelled.

    It is LangGraph's own wrapper of node functions, handed both twins: LangChain's RunnableLambda reports every step to
    the callbacks a second time, which costs a third of a turn.
    """

    def call(state: TurnState, config: RunnableConfig) -> dict[str, Any]:
        return _finish(step, state, run(state, config))

    async def acall(state: TurnState, config: RunnableConfig) -> dict[str, Any]:
        update = await arun(state, config) if arun else await in_thread(run, state, config)
        return _finish(step, state, update)

    return RunnableCallable(call, acall, name=step.value, trace=False)


async def in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Give what a blocking call gives; a cancellation waits until the call has ended, so that no write is half seen."""
    running = asyncio.ensure_future(asyncio.to_thread(call, *args, **kwargs))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise


def _finish(step: Step, state: TurnState, update: Update) -> dict[str, Any]:
    """Give the update as LangGraph takes it: checked, its events told, the turn's outcome in step with them."""
    checked = validated(step, update)
    outcome = _outcome(state, checked)
    if outcome is not None:
        checked["outcome"] = outcome
    write = get_stream_writer()
    for event in checked.get("trace", ()):
        write(event.model_dump(mode="json"))
    if "messages" in checked:
        checked["messages"] = _window(step, state, checked["messages"])
    return checked


def validated(step: Step, update: Mapping[str, Any]) -> dict[str, Any]:
    """Give the update with every value checked against its field.

    Raises:
        InvalidUpdate: the step and the field are named.
    """
    checked: dict[str, Any] = {}
    for name, value in update.items():
        if name == "messages":
            if not isinstance(value, list) or not all(isinstance(m, BaseMessage) and m.id for m in value):
                raise _invalid(step, name, "a list of messages with ids is needed")
            if value:
                checked[name] = value
            continue
        adapter = _adapters().get(name)
        if adapter is None:
            raise _invalid(step, name, "the state has no such field")
        try:
            checked[name] = adapter.validate_python(value)
        except ValidationError as error:
            raise _invalid(step, name, str(error)) from error
    return checked


@cache
def _adapters() -> dict[str, TypeAdapter[Any]]:
    hints: dict[str, Any] = get_type_hints(TurnState, include_extras=True)
    return {name: TypeAdapter(hints[name]) for name in TurnState.model_fields if name != "messages"}


def _invalid(step: Step, field: str, why: str) -> InvalidUpdate:
    return InvalidUpdate(f"{step.value} gave an update that the field {field!r} does not take: {why}.", "Report this.")


def _outcome(state: TurnState, update: Mapping[str, Any]) -> Outcome | None:
    """Give the outcome with everything that was degraded in this turn, each said once; None while there is none."""
    outcome: Outcome | None = update.get("outcome", state.outcome)
    if outcome is None:
        return None
    events = (*state.trace, *update.get("trace", ()))
    notes = dict.fromkeys(f"{e.what} ({e.cause})"[:400] for e in events if isinstance(e, Degraded))
    told = dict.fromkeys(e.what for e in events if isinstance(e, Forgot) and e.what)
    if not notes:
        return outcome.model_copy(update={"notes": tuple(told)[:16]}) if told else outcome
    answered = outcome.status is OutcomeStatus.ANSWERED
    status = OutcomeStatus.DEGRADED if answered else outcome.status
    return outcome.model_copy(update={"status": status, "notes": (*told, *notes)[:16]})


def _window(step: Step, state: TurnState, messages: list[BaseMessage]) -> object:
    """Give the messages as written to the window.

    Only the reply is a plain list. Everything else replaces the window as a whole, in a form that
    stream_mode="messages" does not show: what a step moves is not something that was said.
    """
    if step is Step.MODEL_CALL:
        return messages
    first = messages[0]
    if isinstance(first, RemoveMessage) and first.id == REMOVE_ALL:
        return {"__overwrite__": messages[1:]}
    window: list[Any] = [*state.messages]
    changed: list[Any] = [*messages]
    return {"__overwrite__": add_messages(window, changed)}
