"""The nine steps as a graph: each step with its ports, each choice with its targets."""

from __future__ import annotations

from functools import partial

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_store
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from ninefold.adapters.tokens import corrected
from ninefold.nodes.assembly import assembly
from ninefold.nodes.compaction import compaction
from ninefold.nodes.conflict_confirmation import conflict_confirmation
from ninefold.nodes.constraint_update import constraint_update
from ninefold.nodes.fidelity_check import fidelity_check
from ninefold.nodes.intent_check import intent_check
from ninefold.nodes.memory_retrieval import memory_retrieval
from ninefold.nodes.memory_write import memory_write
from ninefold.nodes.model_call import amodel_call, model_call
from ninefold.nodes.ports import Archive, TokenCounter, Toolbox
from ninefold.nodes.threshold_check import threshold_check
from ninefold.nodes.tool_call import atool_call, tool_call
from ninefold.nodes.turn_start import turn_start
from ninefold.nodes.window_roll import window_roll
from ninefold.policies.descent import strategy_left
from ninefold.policies.intent import RuleIntent
from ninefold.policies.write_judge import RuleJudge
from ninefold.state import Language, Step
from ninefold.state.turn_state import TurnInput, TurnOutput, TurnState, Update

from .identity import stamp_from
from .parts import Parts
from .routes import after_constraint_update, after_model_call, fidelity_route, threshold_route
from .window_archive import WindowArchive, branch_ends
from .wiring import AsyncStep, SyncStep, in_thread, node

TurnBuilder = StateGraph[TurnState, None, TurnInput, TurnOutput]


def turn_graph(parts: Parts) -> TurnBuilder:
    """Give the uncompiled graph of one turn."""
    builder: TurnBuilder = StateGraph(TurnState, input_schema=TurnInput, output_schema=TurnOutput)
    steps = _Steps(parts)
    for step, run in steps.sync().items():
        builder.add_node(step.value, node(step, run, steps.twins().get(step)))
    left = partial(strategy_left, settings=parts.settings, strategies=parts.strategies)
    for one, next_one in _EDGES:
        builder.add_edge(one, next_one)
    builder.add_conditional_edges(Step.CONSTRAINT_UPDATE.value, after_constraint_update)
    builder.add_conditional_edges(Step.THRESHOLD_CHECK.value, threshold_route(left))
    builder.add_conditional_edges(Step.FIDELITY_CHECK.value, fidelity_route(left))
    builder.add_conditional_edges(Step.MODEL_CALL.value, after_model_call)
    return builder


def compaction_graph(parts: Parts) -> StateGraph[TurnState, None, TurnState, TurnState]:
    """Give the uncompiled graph of a turn's compaction alone: it ends where the model would be called."""
    builder: StateGraph[TurnState, None, TurnState, TurnState] = StateGraph(TurnState)
    steps = _Steps(parts).sync()
    for step in (Step.ASSEMBLY, Step.THRESHOLD_CHECK, Step.COMPACTION, Step.FIDELITY_CHECK):
        builder.add_node(step.value, node(step, steps[step]))
    left = partial(strategy_left, settings=parts.settings, strategies=parts.strategies)
    builder.add_edge(START, Step.ASSEMBLY.value)
    builder.add_edge(Step.ASSEMBLY.value, Step.THRESHOLD_CHECK.value)
    builder.add_edge(Step.COMPACTION.value, Step.ASSEMBLY.value)
    builder.add_conditional_edges(Step.THRESHOLD_CHECK.value, threshold_route(left))
    targets = (Step.COMPACTION.value, Step.ASSEMBLY.value)
    builder.add_conditional_edges(
        Step.FIDELITY_CHECK.value,
        fidelity_route(left),
        {Step.MODEL_CALL.value: END, END: END, **dict(zip(targets, targets, strict=True))},
    )
    return builder


_EDGES = (
    (START, Step.TURN_START.value),
    (Step.TURN_START.value, Step.INTENT_CHECK.value),
    (Step.INTENT_CHECK.value, Step.MEMORY_RETRIEVAL.value),
    (Step.MEMORY_RETRIEVAL.value, Step.CONSTRAINT_UPDATE.value),
    (Step.CONFLICT_CONFIRMATION.value, Step.ASSEMBLY.value),
    (Step.ASSEMBLY.value, Step.THRESHOLD_CHECK.value),
    (Step.COMPACTION.value, Step.ASSEMBLY.value),
    (Step.TOOL_CALL.value, Step.ASSEMBLY.value),
    (Step.MEMORY_WRITE.value, Step.WINDOW_ROLL.value),
    (Step.WINDOW_ROLL.value, END),
)


def may_run_again(parts: Parts) -> frozenset[str]:
    """Give the steps that only read and think, or write what is there already, and ask no model.

    What a policy of the caller's own does is not known: its step is kept at once.
    """
    steps = {Step.TURN_START, Step.MEMORY_RETRIEVAL, Step.ASSEMBLY, Step.THRESHOLD_CHECK, Step.WINDOW_ROLL}
    if isinstance(parts.intent, RuleIntent):
        steps.add(Step.INTENT_CHECK)
    if isinstance(parts.judge, RuleJudge):
        steps.add(Step.MEMORY_WRITE)
    if parts.assistant is None or not parts.settings.constraints.model:
        steps.add(Step.CONSTRAINT_UPDATE)
    if parts.assistant is None or not parts.settings.fidelity.model:
        steps.add(Step.FIDELITY_CHECK)
    return frozenset(step.value for step in steps)


class _Steps:
    """The steps with their ports; what belongs to a call (stamp, store, thread) is taken from its config."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def sync(self) -> dict[Step, SyncStep]:
        """Give each step as LangGraph calls it."""
        return {
            Step.TURN_START: self._turn_start,
            Step.INTENT_CHECK: lambda state, _: intent_check(state, policy=self._parts.intent),
            Step.MEMORY_RETRIEVAL: self._memory_retrieval,
            Step.CONSTRAINT_UPDATE: self._constraint_update,
            Step.CONFLICT_CONFIRMATION: self._conflict_confirmation,
            Step.ASSEMBLY: self._assembly,
            Step.THRESHOLD_CHECK: lambda state, _: threshold_check(state, settings=self._parts.settings),
            Step.COMPACTION: self._compaction,
            Step.FIDELITY_CHECK: self._fidelity_check,
            Step.MODEL_CALL: self._model_call,
            Step.TOOL_CALL: self._tool_call,
            Step.MEMORY_WRITE: self._memory_write,
            Step.WINDOW_ROLL: lambda state, _: window_roll(state, settings=self._parts.settings),
        }

    def twins(self) -> dict[Step, AsyncStep]:
        """Give the async twins of the steps that a person may want to stop."""
        return {Step.MODEL_CALL: self._amodel_call, Step.TOOL_CALL: self._atool_call}

    def _tokens(self, state: TurnState) -> TokenCounter:
        factor = state.counters.correction
        return self._parts.tokens if factor <= 1 else corrected(self._parts.tokens, factor)

    def _archive(self, state: TurnState, config: RunnableConfig) -> Archive:
        return WindowArchive(self._parts.archive(get_store(), _thread(config)), state)

    def _toolbox(self, state: TurnState, config: RunnableConfig) -> Toolbox:
        return self._parts.tools.of(state, self._archive(state, config), _thread(config))

    def _fixed(self, state: TurnState) -> str:
        return self._parts.fixed(state.language or Language.ENGLISH)

    def _turn_start(self, state: TurnState, config: RunnableConfig) -> Update:
        return turn_start(
            state,
            stamp=stamp_from(config),
            tokens=self._tokens(state),
            language=self._parts.settings.language,
            degradations=self._parts.degradations,
        )

    def _memory_retrieval(self, state: TurnState, config: RunnableConfig) -> Update:
        parts = self._parts
        remembers = parts.settings.memory != "off"
        past = parts.past(get_store(), _thread(config), branch_ends(state)) if remembers else None
        return memory_retrieval(
            state,
            memory=parts.memory,
            past=past,
            settings=parts.settings,
            ranking=parts.ranking,
            tokens=self._tokens(state),
        )

    def _constraint_update(self, state: TurnState, _: RunnableConfig) -> Update:
        parts = self._parts
        return constraint_update(
            state,
            assistant=parts.assistant if parts.settings.constraints.model else None,
            tokens=self._tokens(state),
            conflict=parts.settings.constraints.on_conflict,
            settings=parts.settings,
            fixed=self._fixed(state),
            tools=parts.chat.tools,
        )

    def _conflict_confirmation(self, state: TurnState, _: RunnableConfig) -> Update:
        return conflict_confirmation(state, ask=interrupt, conflict=self._parts.settings.constraints.on_conflict)

    def _assembly(self, state: TurnState, _: RunnableConfig) -> Update:
        parts = self._parts
        return assembly(
            state, tokens=self._tokens(state), settings=parts.settings, fixed=self._fixed(state), tools=parts.chat.tools
        )

    def _compaction(self, state: TurnState, config: RunnableConfig) -> Update:
        parts = self._parts
        return compaction(
            state,
            tokens=self._tokens(state),
            archive=self._archive(state, config),
            assistant=parts.assistant,
            settings=parts.settings,
            strategies=parts.strategies,
            fixed=self._fixed(state),
            tools=parts.chat.tools,
        )

    def _fidelity_check(self, state: TurnState, config: RunnableConfig) -> Update:
        parts = self._parts
        return fidelity_check(
            state,
            tokens=self._tokens(state),
            archive=self._archive(state, config),
            assistant=parts.assistant if parts.settings.fidelity.model else None,
            settings=parts.settings,
            fixed=self._fixed(state),
            tools=parts.chat.tools,
        )

    def _model_call(self, state: TurnState, _: RunnableConfig) -> Update:
        parts = self._parts
        return model_call(
            state, chat=parts.chat, tokens=self._tokens(state), settings=parts.settings, fixed=self._fixed(state)
        )

    async def _amodel_call(self, state: TurnState, _: RunnableConfig) -> Update:
        parts = self._parts
        return await amodel_call(
            state, chat=parts.chat, tokens=self._tokens(state), settings=parts.settings, fixed=self._fixed(state)
        )

    def _tool_call(self, state: TurnState, config: RunnableConfig) -> Update:
        return tool_call(
            state,
            tools=self._toolbox(state, config),
            archive=self._archive(state, config),
            tokens=self._tokens(state),
            settings=self._parts.settings,
        )

    async def _atool_call(self, state: TurnState, config: RunnableConfig) -> Update:
        return await atool_call(
            state,
            tools=self._toolbox(state, config),
            archive=self._archive(state, config),
            tokens=self._tokens(state),
            settings=self._parts.settings,
            in_thread=in_thread,
        )

    def _memory_write(self, state: TurnState, config: RunnableConfig) -> Update:
        parts = self._parts
        return memory_write(
            state,
            memory=parts.memory,
            archive=self._archive(state, config),
            judge=parts.judge,
            settings=parts.settings,
            thread=_thread(config),
        )


def _thread(config: RunnableConfig) -> str:
    return stamp_from(config).thread
