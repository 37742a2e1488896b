"""Agents for whole-turn tests: all is real (graph, database, HTTP server) but the words of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool

from ninefold import build_graph
from ninefold.adapters.tokens import for_model
from ninefold.graph.guard import TurnGraph
from ninefold.state import (
    AgentSettings,
    ConflictRule,
    ConstraintSettings,
    ContextPolicy,
    EmbeddingSettings,
    MemorySettings,
    ModelSettings,
    StorageSettings,
)
from tests.wire.server import Script, WireServer

MODEL = "qwen2.5:14b"
Body = dict[str, Any]


class Agent(NamedTuple):
    """A graph and the server it talks to."""

    graph: TurnGraph
    wire: WireServer
    settings: AgentSettings

    def say(self, text: str, thread: str = "t1", user: str = "ann") -> str:
        """Take a turn and give the reply's text."""
        result = self.graph.invoke({"messages": [{"role": "user", "content": text}]}, config(thread, user))
        return str(result["messages"][-1].text)

    def values(self, thread: str = "t1") -> dict[str, Any]:
        """Give the thread's state."""
        return dict(self.graph.get_state(config(thread)).values)


def config(thread: str = "t1", user: str = "ann") -> Any:
    """Give the config of a thread."""
    return {"configurable": {"thread_id": thread, "user_id": user}}


def settings(
    url: str,
    folder: Path,
    *,
    on_conflict: ConflictRule = ConflictRule.NEWEST,
    num_ctx: int = 8192,
    memory: bool = True,
    light_model: Literal["none", "same"] = "none",
    **policy: Any,
) -> AgentSettings:
    """Give an agent's settings that point at a server and a folder of the test's own."""
    return AgentSettings(
        model=ModelSettings(base_url=url, model_name=MODEL, timeout=20, num_ctx=num_ctx),
        embeddings=EmbeddingSettings(base_url=url, timeout=20),
        storage=StorageSettings(folder=str(folder)),
        constraints=ConstraintSettings(on_conflict=on_conflict),
        memory=MemorySettings() if memory else "off",
        light_model=light_model,
        context_policy=ContextPolicy(**policy),
    )


@contextmanager
def agent(
    folder: Path, replies: Script = (), *, tools: Sequence[BaseTool] = (), default: str = "OK.", **options: Any
) -> Iterator[Agent]:
    """Give an agent with everything real but the words of the model."""
    with WireServer(replies, count=server_count, default=default) as wire:
        chosen = settings(wire.url, folder, **options)
        yield Agent(build_graph(chosen, tools=tools), wire, chosen)


def server_count(messages: Sequence[Body], tools: Sequence[Body]) -> int:
    """Give what the real server counts for a wire prompt; equal to recorded answers of one (tests/tokens)."""
    return for_model("ollama", MODEL).prompt([from_wire(message) for message in messages], list(tools))


def from_wire(message: Body) -> BaseMessage:
    """Give a wire message as LangChain's."""
    text = message.get("content", "")
    match message["role"]:
        case "system":
            return SystemMessage(text)
        case "user":
            return HumanMessage(text)
        case "tool":
            return ToolMessage(text, tool_call_id=message.get("tool_call_id") or "")
        case _:
            calls = [
                {"name": c["function"]["name"], "args": c["function"]["arguments"], "id": str(i)}
                for i, c in enumerate(message.get("tool_calls") or ())
            ]
            return AIMessage(text, tool_calls=calls)


def system_text(body: Body) -> str:
    """Give the one system message of a wire prompt, which stands first."""
    systems = [i for i, m in enumerate(body["messages"]) if m["role"] == "system"]
    assert systems == [0], systems
    return str(body["messages"][0]["content"])


def whole_prompt(body: Body) -> str:
    """Give every text of a wire prompt."""
    return "\n".join(str(m.get("content", "")) for m in body["messages"])
