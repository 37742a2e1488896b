"""Runs a model's calls on LangChain tools; whatever goes wrong is a text that the model can act on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from langchain_core.messages import ToolMessage
from langchain_core.messages.tool import ToolCall
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, merge_configs
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.errors import GraphBubbleUp
from pydantic import BaseModel, ValidationError

from ninefold.state import SettingsError

CALL_ID = "tool_call_id"
"""Where a tool finds, in its config's metadata, the key under which an effect must happen once: the id that the call's
result has in the window, one for each call of each round of each turn and the same when a turn is taken up again."""
LONGEST_ERROR = 600


class Attempt(NamedTuple):
    """What became of one call."""

    text: str
    """The result, or what went wrong, in words that a model can act on."""
    error: BaseException | None = None


class LangChainToolbox:
    """The tools of one agent, by name.

    Args:
        tools: the agent's and the caller's; arguments marked as injected are never taken from the model.

    Raises:
        SettingsError: two tools share a name.
    """

    def __init__(self, tools: Sequence[BaseTool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        if len(self._tools) < len(tools):
            twice = sorted({tool.name for tool in tools if sum(other.name == tool.name for other in tools) > 1})
            raise SettingsError(f"Several tools are called {', '.join(twice)}.", "Give each tool a name of its own.")

    @property
    def names(self) -> frozenset[str]:
        """The names of the tools."""
        return frozenset(self._tools)

    @property
    def schemas(self) -> tuple[dict[str, Any], ...]:
        """The tools in the function-calling form of OpenAI, as a model is shown them."""
        return tuple(convert_to_openai_tool(tool) for tool in self._tools.values())

    def run(self, call: ToolCall) -> str:
        """Run one call and give its result as text; a failing tool's error is its result."""
        return self.attempt(call).text

    def attempt(self, call: ToolCall) -> Attempt:
        """Run one call and give its result, with the error that it failed with."""
        tool = self._tools.get(call["name"])
        if tool is None:
            unknown = self._unknown(call["name"])
            return Attempt(unknown, KeyError(call["name"]))
        try:
            return Attempt(_text(tool.invoke(_call(tool, call), _config(call))))
        except GraphBubbleUp:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001  foreign code: the model must hear of what it raises
            return Attempt(_failed(tool, error), error)

    async def arun(self, call: ToolCall) -> str:
        """Run one call, cancellable where the tool is."""
        tool = self._tools.get(call["name"])
        if tool is None:
            return self._unknown(call["name"])
        try:
            return _text(await tool.ainvoke(_call(tool, call), _config(call)))
        except GraphBubbleUp:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001  as in `run`
            return _failed(tool, error)

    def _unknown(self, name: str) -> str:
        allowed = ", ".join(sorted(self._tools)) or "none"
        return f"Error: there is no tool named {name!r}. The tools are: {allowed}."


def _call(tool: BaseTool, call: ToolCall) -> dict[str, Any]:
    """The call with only those arguments that the model was shown: an injected one is not the model's to set."""
    hidden = set(_fields(tool)) - set(_shown(tool))
    arguments = {name: value for name, value in call["args"].items() if name not in hidden}
    return {"type": "tool_call", "name": call["name"], "args": arguments, "id": call["id"] or ""}


def _shown(tool: BaseTool) -> dict[str, Any]:
    parameters: dict[str, Any] = convert_to_openai_tool(tool)["function"].get("parameters", {})
    return dict(parameters.get("properties", {}))


def _fields(tool: BaseTool) -> Iterable[str]:
    """All arguments, injected ones too; a tool's model may be of either Pydantic version."""
    schema = tool.get_input_schema()
    return schema.model_fields if issubclass(schema, BaseModel) else schema.__fields__


def _config(call: ToolCall) -> RunnableConfig:
    return merge_configs(ensure_config(), {"metadata": {CALL_ID: call["id"] or ""}})


def _text(result: Any) -> str:
    return str(result.text) if isinstance(result, ToolMessage) else str(result)


def _failed(tool: BaseTool, error: BaseException) -> str:
    if isinstance(error, ValidationError):
        wrong = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'input'}: {each['msg']}" for each in error.errors()[:5])
        shown = _shown(tool)
        allowed = ", ".join(f"{name}: {about.get('type', 'any')}" for name, about in shown.items()) or "none"
        text = f"wrong arguments for {tool.name}: {wrong}. It takes: {allowed}"
    else:
        text = f"{tool.name} failed: {type(error).__name__}: {error}"
    return f"Error: {text[:LONGEST_ERROR]}"
