"""The turn's steps from a message to a proven prompt, taken one after the other around an agent's own model call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from langgraph.graph.message import add_messages

from ninefold.graph.routes import fidelity_route, threshold_route
from ninefold.graph.wiring import validated
from ninefold.nodes.assembly import assembly
from ninefold.nodes.compaction import compaction
from ninefold.nodes.fidelity_check import fidelity_check
from ninefold.nodes.ports import Archive, Assistant, TokenCounter
from ninefold.nodes.threshold_check import threshold_check
from ninefold.policies.compaction import Strategy
from ninefold.policies.descent import strategy_left
from ninefold.state import AgentSettings, Step, append_events
from ninefold.state.turn_state import TurnState, Update


@dataclass(frozen=True, kw_only=True)
class Ports:
    """What the steps of one model call are given."""

    settings: AgentSettings
    tokens: TokenCounter
    archive: Archive
    assistant: Assistant | None
    strategies: Sequence[Strategy]
    fixed: str
    tools: Sequence[Mapping[str, Any]]


def after(state: TurnState, step: Step, update: Update) -> TurnState:
    """Give the state with a step's update in it, checked as in the graph."""
    checked = validated(step, update)
    if "messages" in checked:
        checked["messages"] = add_messages(cast("Any", state.messages), checked["messages"])
    if "trace" in checked:
        checked["trace"] = append_events(state.trace, checked["trace"])
    return state.model_copy(update=checked)


def proven(state: TurnState, ports: Ports) -> TurnState:
    """Give the state with a view that is proven and may be sent, or with an outcome that says why there is none."""
    steps = _descent(ports)
    following: str = Step.ASSEMBLY.value
    while following in steps:
        run, route = steps[following]
        state = after(state, Step(following), run(state))
        following = route(state)
    return state


def _descent(ports: Ports) -> Mapping[str, tuple[Callable[[TurnState], Update], Callable[[TurnState], str]]]:
    """Give each step of the descent with the choice behind it: the graph's own steps and choices."""
    settings = ports.settings
    left = partial(strategy_left, settings=settings, strategies=ports.strategies)
    proof = partial(
        fidelity_check,
        tokens=ports.tokens,
        archive=ports.archive,
        assistant=ports.assistant,
        settings=settings,
        fixed=ports.fixed,
        tools=ports.tools,
    )
    smaller = partial(
        compaction,
        tokens=ports.tokens,
        archive=ports.archive,
        assistant=ports.assistant,
        settings=settings,
        strategies=ports.strategies,
        fixed=ports.fixed,
        tools=ports.tools,
    )
    view = partial(assembly, tokens=ports.tokens, settings=settings, fixed=ports.fixed, tools=ports.tools)
    return {
        Step.ASSEMBLY.value: (view, lambda _: Step.THRESHOLD_CHECK.value),
        Step.THRESHOLD_CHECK.value: (partial(threshold_check, settings=settings), threshold_route(left)),
        Step.COMPACTION.value: (smaller, lambda _: Step.ASSEMBLY.value),
        Step.FIDELITY_CHECK.value: (proof, fidelity_route(left)),
    }
