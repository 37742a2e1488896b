"""An agent's own model call as the port that answers: with the proven prompt, its limits, and what counts it."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from threading import Lock
from typing import Any
from uuid import uuid4

from langchain.agents.middleware import ModelRequest, ModelResponse
from langchain.agents.middleware.types import ExtendedModelResponse
from langchain.agents.structured_output import AutoStrategy, ProviderStrategy, ToolStrategy
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.types import Command

from ninefold.adapters.models.calls import limits_of
from ninefold.adapters.models.ollama import DEFAULT_URL, server_url
from ninefold.adapters.tokens import ServedCounter, corrected, for_model
from ninefold.nodes.ports import TokenCounter
from ninefold.state import AgentSettings, ModelEmpty
from ninefold.state.turn_state import TurnState

from .keeping import kept

Request = ModelRequest[Any]
Response = ModelResponse[Any]


class AgentChat:
    """Answers through the rest of the agent's middleware and its model; what they raise is theirs, and passes through.

    Args:
        request: the agent's own request: its model, tools and settings are kept, its messages replaced.
        settings: num_ctx, which is sent with every call to Ollama.
        handler: makes the call.
        ahandler: makes it in the event loop.
    """

    def __init__(
        self,
        request: Request,
        settings: AgentSettings,
        *,
        handler: Callable[[Request], Response] | None = None,
        ahandler: Callable[[Request], Awaitable[Response]] | None = None,
    ) -> None:
        self._request = request
        self._settings = settings
        self._handler = handler
        self._ahandler = ahandler
        self._response: Response | None = None

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools that are bound, as the server is sent them."""
        return schemas_of(self._request)

    def reply(self, prompt: Sequence[BaseMessage], *, num_predict: int) -> AIMessage:
        """Give the model's reply to a prompt."""
        assert self._handler is not None
        self._response = self._handler(self._with(prompt, num_predict))
        return self._said()

    async def areply(self, prompt: Sequence[BaseMessage], *, num_predict: int) -> AIMessage:
        """Give the model's reply to a prompt, cancellable at once."""
        assert self._ahandler is not None
        self._response = await self._ahandler(self._with(prompt, num_predict))
        return self._said()

    def response(self, *, kept_in: str, state: TurnState, history: Sequence[BaseMessage]) -> ExtendedModelResponse[Any]:
        """Give the response with the reply as the state has it, and the state beside it."""
        assert self._response is not None
        replies = {message.id: message for message in state.messages[-1:]}
        result = [replies.get(message.id, message) for message in self._response.result]
        update = {kept_in: kept(state, [*history, *replies.values()])}
        response = ModelResponse(result=result, structured_response=self._response.structured_response)
        return ExtendedModelResponse(model_response=response, command=Command(update=update))

    def _said(self) -> AIMessage:
        """Give the reply, under an id by which the window knows it again.

        Raises:
            ModelEmpty: the agent's model call gave no message of the model's.
        """
        assert self._response is not None
        result = self._response.result
        place = next((place for place, message in enumerate(result) if isinstance(message, AIMessage)), None)
        if place is None:
            raise ModelEmpty("The agent's model call gave no reply.", "Look at the middleware that stands behind it.")
        said = result[place]
        assert isinstance(said, AIMessage)
        if said.id is None:
            said = said.model_copy(update={"id": str(uuid4())})
            self._response.result[place] = said
        return said

    def _with(self, prompt: Sequence[BaseMessage], num_predict: int) -> Request:
        head, *rest = prompt
        assert isinstance(head, SystemMessage)
        limits = limits_of(self._request.model)
        given = self._request.model_settings
        sent = limits.arguments(num_predict=num_predict, num_ctx=self._settings.model.num_ctx)
        if "options" in sent:
            # The caller's own options count, but not against the budget.
            budget = {name: sent["options"][name] for name in ("num_ctx", "num_predict")}
            sent["options"] = {**sent["options"], **given.get("options", {}), **budget}
        messages: list[Any] = rest
        return self._request.override(system_message=head, messages=messages, model_settings={**given, **sent})


def schemas_of(request: Request) -> tuple[dict[str, Any], ...]:
    """Give every schema that a request's model is sent, as tools: also that of a structured answer."""
    tools = [convert_to_openai_tool(tool) for tool in request.tools]
    wanted: Any = request.response_format
    if wanted is None:
        return tuple(tools)
    match wanted:
        case ToolStrategy():
            specs = wanted.schema_specs
        case ProviderStrategy():
            specs = [wanted.schema_spec]
        case AutoStrategy():
            specs = ToolStrategy(wanted.schema).schema_specs
        case _:
            specs = ToolStrategy(wanted).schema_specs
    answers = [
        {"name": each.name, "description": each.description or "", "parameters": each.json_schema} for each in specs
    ]
    return (*tools, *({"type": "function", "function": each} for each in answers))


class Counters:
    """The token counter of each model that an agent calls, made once.

    Args:
        given: counts for every model; None chooses by the model.
    """

    def __init__(self, given: TokenCounter | None) -> None:
        self._given = given
        self._made: dict[tuple[str, str | None], TokenCounter] = {}
        self._making = Lock()

    def of(self, model: BaseChatModel, correction: float) -> TokenCounter:
        """Give the counter of a model, raised to what its server has reported."""
        counter = self._given or self._chosen(model)
        return counter if correction <= 1 else corrected(counter, correction)

    def _chosen(self, model: BaseChatModel) -> TokenCounter:
        limits = limits_of(model)
        key = limits.server.model, limits.server.url
        with self._making:
            if key not in self._made:
                self._made[key] = _counter(limits.server.model, limits.server.url, model)
            return self._made[key]


def _counter(name: str, url: str | None, model: BaseChatModel) -> TokenCounter:
    limits = limits_of(model)
    if limits.server.ollama:
        return ServedCounter(server_url(url or os.environ.get("OLLAMA_HOST") or DEFAULT_URL), name)
    return for_model("embedded", name) if limits.embedded else for_model("given", "")
