"""The middleware: a view of the agent's history made anew for each model call, proven, and sent in its place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any, NotRequired, cast

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ExtendedModelResponse, PrivateStateAttr, ToolCallRequest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, ToolMessage
from langgraph.types import Command
from pydantic import ValidationError

from ninefold.adapters.models.assistant import ModelAssistant
from ninefold.adapters.tools.own import ToolContext, own_tools
from ninefold.graph.guard_settings import now
from ninefold.graph.identity import DEFAULT_USER
from ninefold.graph.parts import fixed_text
from ninefold.graph.wiring import in_thread
from ninefold.nodes.model_call import amodel_call, model_call
from ninefold.nodes.ports import TokenCounter
from ninefold.policies.compaction import STRATEGIES, Strategy
from ninefold.policies.references import parts
from ninefold.policies.text import detect_language, plain_text
from ninefold.state import (
    AgentSettings,
    ContextOverBudget,
    ContextPolicy,
    Language,
    ReferenceNotFound,
    SettingsError,
    Step,
    ToolName,
)
from ninefold.state.turn_state import TurnState

from .archive import MessageArchive
from .call import AgentChat, Counters, schemas_of
from .history import history_of
from .intake import taken_in
from .keeping import taken_up
from .steps import Ports, after, proven

KEY = "ninefold"
"""The key in the agent's state under which constraints, summary, window and view are kept, as plain data."""
EXPAND: ToolName = "expand_reference"

OF_THE_WHOLE_GRAPH = frozenset(
    {"fixed_tokens", "max_tool_rounds", "memory_search_min_score", "memory_search_top_k", "memory_tokens"}
)
"""Keys of a context policy that only the whole graph reads."""

Sent = ModelResponse[Any]


class ContextState(AgentState[Any]):
    """An agent's state with what the middleware keeps from one call to the next."""

    ninefold: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]


class ContextAssemblyMiddleware(AgentMiddleware[ContextState, Any, Any]):
    """Sends a proven view of the conversation in place of all of it; the agent's messages stay as they are.

    Laws: what the person required stands word for word in every prompt until it is withdrawn; prompt and reply fit
    into `num_ctx`; a call and its results are sent together or not at all. Put it last in the list, so that what it
    makes is what is sent.

    Args:
        num_ctx: tokens of prompt and reply together; sent with every call to Ollama.
        num_predict: tokens kept for the reply; sent with every call to a model that takes a limit.
        context_policy: the window's marks and the layers' shares, as in an agent file.
        on_conflict: who decides when a new wish contradicts an older one: "newest", "keep", or "ask", which interrupts
            the agent until it is resumed with "replace", "keep" or "this_turn".
        language: of labels and prompts; None takes the language of the first message.
        light_model: proposes rules that the built-in ones missed and writes summaries; None leaves both to rules.
        tokens: counts; None takes an exact count for qwen2.5 on Ollama and an upper bound for every other model.
        strategies: ways of making room, mildest first.

    Raises:
        SettingsError: a value cannot be used.
    """

    state_schema = ContextState

    def __init__(
        self,
        *,
        num_ctx: int = 8192,
        num_predict: int = 1024,
        context_policy: ContextPolicy | Mapping[str, Any] | None = None,
        on_conflict: str = "newest",
        language: Language | str | None = None,
        light_model: BaseChatModel | None = None,
        tokens: TokenCounter | None = None,
        strategies: Sequence[Strategy] = STRATEGIES,
    ) -> None:
        super().__init__()
        policy = (
            context_policy.model_dump(exclude_unset=True)
            if isinstance(context_policy, ContextPolicy)
            else context_policy
        )
        if unused := sorted(OF_THE_WHOLE_GRAPH & (policy or {}).keys()):
            raise SettingsError(
                f"context_policy.{unused[0]} has no effect in an agent of LangChain's.", "Leave it out."
            )
        self._settings = _settings(
            model={"num_ctx": num_ctx, "num_predict": num_predict},
            context_policy=policy or {},
            constraints={"on_conflict": on_conflict},
            language=language,
            memory="off",
            light_model="none",
        )
        self._assistant = ModelAssistant(light_model, num_ctx=num_ctx) if light_model is not None else None
        self._strategies = strategies
        self._counters = Counters(tokens)
        self.tools = own_tools([EXPAND], _context.get)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Sent]
    ) -> ExtendedModelResponse[Any]:
        """Send the proven view of the agent's messages, and keep what the next call needs.

        Raises:
            InputError: a person's message holds more than text.
            ContextOverBudget: what may never be left out does not fit into num_ctx.
        """
        state, history, ports = self._prepared(request)
        chat = AgentChat(request, self._settings, handler=handler)
        update = model_call(state, chat=chat, tokens=ports.tokens, settings=self._settings, fixed=ports.fixed)
        return chat.response(kept_in=KEY, state=after(state, Step.MODEL_CALL, update), history=history)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Sent]]
    ) -> ExtendedModelResponse[Any]:
        """Send the proven view as `wrap_model_call` does; the view is made in a thread, the call can be cancelled."""
        state, history, ports = await in_thread(self._prepared, request)
        chat = AgentChat(request, self._settings, ahandler=handler)
        update = await amodel_call(state, chat=chat, tokens=ports.tokens, settings=self._settings, fixed=ports.fixed)
        return chat.response(kept_in=KEY, state=after(state, Step.MODEL_CALL, update), history=history)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Run a call; the text behind a reference comes from the agent's own messages."""
        try:
            with self._references(request):
                return handler(request)
        except ReferenceNotFound as error:
            return _unknown(request, error)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """Run a call as `wrap_tool_call` does."""
        try:
            with self._references(request):
                return await handler(request)
        except ReferenceNotFound as error:
            return _unknown(request, error)

    def _prepared(self, request: ModelRequest[Any]) -> tuple[TurnState, list[BaseMessage], Ports]:
        """Give the state with a proven view, the history it is made of, and what counts it."""
        stored = cast("ContextState", request.state).get("ninefold")
        language = self._language(stored, request.messages)
        history = history_of(request.messages, language)
        state = taken_up(stored, history)
        ports = Ports(
            settings=self._settings,
            tokens=self._counters.of(request.model, state.counters.correction),
            archive=MessageArchive(history),
            assistant=self._assistant,
            strategies=self._strategies,
            fixed=request.system_prompt or fixed_text(self._settings, language),
            tools=schemas_of(request),
        )
        state = proven(taken_in(state, history, ports, now), ports)
        if state.outcome is not None:
            raise _does_not_fit(state, self._settings)
        return state, history, ports

    def _language(self, stored: Mapping[str, Any] | None, messages: Sequence[BaseMessage]) -> Language:
        """Give the language of the thread, fixed by its first turn."""
        if stored and stored.get("language"):
            return Language(stored["language"])
        said = next((plain_text(message) for message in messages if message.type == "human"), "")
        return self._settings.language or detect_language(said)

    @contextmanager
    def _references(self, request: ToolCallRequest) -> Iterator[None]:
        """Let expand_reference read the agent's messages for as long as its call takes."""
        if request.tool_call["name"] != EXPAND:
            yield
            return
        state = cast("ContextState", request.state)
        language = self._language(state.get("ninefold"), state["messages"])
        archive = MessageArchive(history_of(state["messages"], language))
        token = _context.set(
            ToolContext(
                user=DEFAULT_USER,
                language=language,
                now=now,
                expand=archive.expand,
                parts=parts,
                find=lambda *_: (),
                note=lambda *_: None,
            )
        )
        try:
            yield
        finally:
            _context.reset(token)


_context: ContextVar[ToolContext] = ContextVar("what expand_reference works on in the agent that calls it")


def _unknown(request: ToolCallRequest, error: ReferenceNotFound) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(f"Error: {error}", tool_call_id=call["id"] or "", name=call["name"], status="error")


def _does_not_fit(state: TurnState, settings: AgentSettings) -> ContextOverBudget:
    layer = state.outcome.layer if state.outcome else None
    missing = state.verdict.missing[0].span if state.verdict and state.verdict.missing else "no view is proven"
    return ContextOverBudget(
        f"What may never be left out does not fit into num_ctx {settings.model.num_ctx}; the largest layer is"
        f" {layer or 'window'} ({missing}).",
        "Raise num_ctx, lower num_predict, shorten the system prompt, or bind fewer tools.",
    )


def _settings(**given: Any) -> AgentSettings:
    try:
        return AgentSettings.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SettingsError(
            f"{where or 'The budget'} cannot be used: {first['msg']}.",
            "The keys and values are in docs/configuration.md.",
        ) from error
