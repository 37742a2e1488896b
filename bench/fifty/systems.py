"""The systems that are compared, taking the same turns against the same server: ninefold, and what manages nothing.

Every request that reaches the server is kept, with the turn it belongs to.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ollama
from langchain_core.tools import BaseTool, StructuredTool

from ninefold import AgentSettings, build_graph
from ninefold.state import ContextPolicy, EmbeddingSettings, Event, ModelSettings, Order, StorageSettings, View
from tests.turn.agents import MODEL, Body, config, server_count
from tests.wire.replies import Call, Reply
from tests.wire.server import WireServer

from .conversation import Conversation, Language
from .models import Model
from .results import result

LAST = 20
"""Messages that the simplest recipe keeps."""
PATIENCE = 3600


@dataclass(frozen=True)
class Request:
    """A request as it came over the wire."""

    turn: int
    body: Body

    @property
    def internal(self) -> bool:
        """Whether it serves a step of the agent and not the reply."""
        return "format" in self.body


@dataclass(frozen=True)
class Told:
    """What ninefold says of a turn: the last prompt's layers, and what its steps did."""

    view: View
    trace: tuple[Event, ...]


@dataclass
class Played:
    """What a system sent and what it answered."""

    system: str
    language: Language
    num_ctx: int | None
    """The window that its prompts are cut to by the server; None is a window without end."""
    requests: list[Request] = field(default_factory=list[Request])
    replies: list[str] = field(default_factory=list[str])
    seconds: list[float] = field(default_factory=list[float])
    """Of each turn, from the person's words to the whole reply."""
    compactions: int = 0
    told: list[Told] = field(default_factory=list[Told])
    """Of each turn; empty for a system that says nothing of itself."""


Take = Callable[[str], str]
"""Takes a turn: from what the person says to what is answered."""


@dataclass
class Stage:
    """One conversation on its way: the server's script and the tools ask it which turn it is."""

    conversation: Conversation
    language: Language
    model: Model
    played: Played
    turn: int = 0

    def answer(self, body: Body) -> Reply:
        """Answer a request: the turn's tool call first, then the model."""
        self.played.requests.append(Request(self.turn, dict(body)))
        tool = self.conversation.turns[self.turn - 1].tool
        if tool and "format" not in body and body["messages"][-1]["role"] != "tool":
            return Call(tool.name, tool.arguments)
        return self.model(body, self.conversation.reply(self.turn))

    def looked_up(self) -> str:
        """Give the result of the turn's tool."""
        tool = self.conversation.turns[self.turn - 1].tool
        return result(tool, self.language) if tool else ""

    def play(self, take: Take) -> None:
        """Take every turn."""
        for turn, said in enumerate(self.conversation.turns, 1):
            self.turn = turn
            began = time.perf_counter()
            self.played.replies.append(take(said.say))
            self.played.seconds.append(time.perf_counter() - began)

    def tools(self) -> list[BaseTool]:
        """Give the conversation's tools, as LangChain knows them."""
        found = {turn.tool.name: turn.tool for turn in self.conversation.turns if turn.tool}
        return [_tool(self, name, next(iter(tool.arguments))) for name, tool in found.items()]


def _tool(stage: Stage, name: str, argument: str) -> BaseTool:
    schema = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}

    def look(**asked: str) -> str:  # noqa: ARG001
        return stage.looked_up()

    about = f"Company system: {name.replace('_', ' ')}."
    return StructuredTool(name=name, description=about, args_schema=schema, func=look)


def managed(
    conversation: Conversation,
    language: Language,
    model: Model,
    *,
    num_ctx: int = 8192,
    order: Order = Order.STABLE,
) -> Played:
    """Play a conversation through ninefold as it comes: only the server, its window and the folder are set.

    Memories are found with the embedder that comes with the package, because no server with bge-m3 is needed for it.
    """
    played = Played("ninefold" if order is Order.STABLE else f"ninefold, {order.value}", language, num_ctx)
    stage = Stage(conversation, language, model, played)
    with tempfile.TemporaryDirectory() as folder, WireServer(stage.answer, count=server_count) as wire:
        settings = AgentSettings(
            model=ModelSettings(base_url=wire.url, model_name=MODEL, num_ctx=num_ctx, timeout=PATIENCE),
            embeddings=EmbeddingSettings(provider="embedded"),
            storage=StorageSettings(folder=str(Path(folder))),
            context_policy=ContextPolicy(order=order),
        )
        graph = build_graph(settings, tools=stage.tools())

        def take(words: str) -> str:
            answer = graph.invoke({"messages": [{"role": "user", "content": words}]}, config())
            values = graph.get_state(config()).values
            played.told.append(Told(values["view"], values["trace"]))
            return str(answer["messages"][-1].text)

        stage.play(take)
        played.compactions = int(graph.get_state(config()).values["counters"].compactions)
    return played


def unmanaged(
    conversation: Conversation,
    language: Language,
    model: Model,
    *,
    num_ctx: int | None = 8192,
    last: int | None = None,
) -> Played:
    """Play a conversation with all messages in every request, or the last ones after the system prompt.

    Args:
        conversation: what is said.
        language: its language.
        model: who answers.
        num_ctx: what the server cuts to; None is a window without end.
        last: messages of user and assistant that are sent; None sends all.
    """
    name = f"last {last} messages" if last else "full replay" if num_ctx else "full replay, window without end"
    stage = Stage(conversation, language, model, Played(name, language, num_ctx))
    with WireServer(stage.answer, count=server_count) as wire:
        client = ollama.Client(wire.url, timeout=PATIENCE, trust_env=False)
        tools: list[Any] = [_wire_tool(tool) for tool in stage.tools()]
        options = {"temperature": 0.3, "num_ctx": num_ctx or 1_048_576, "num_predict": 1024}
        spoken: list[dict[str, Any]] = []

        def take(words: str) -> str:
            spoken.append({"role": "user", "content": words})
            while True:
                system = {"role": "system", "content": conversation.system}
                sent = [system, *(spoken if last is None else _last(spoken, last))]
                text, calls = "", list[Any]()
                for part in client.chat(MODEL, sent, tools=tools, stream=True, options=options):
                    text += part.message.content or ""
                    calls += part.message.tool_calls or ()
                made: list[Any] = [{"function": dict(call.function)} for call in calls]
                spoken.append({"role": "assistant", "content": text} | ({"tool_calls": made} if made else {}))
                if not made:
                    return text
                spoken.extend({"role": "tool", "content": stage.looked_up()} for _ in made)

        stage.play(take)
    return stage.played


def _wire_tool(tool: BaseTool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.args_schema}
    return {"type": "function", "function": function}


def _last(spoken: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Give the newest messages; a call and its result are one with the message before them."""
    starts = [
        place for place, message in enumerate(spoken) if message["role"] != "tool" and "tool_calls" not in message
    ]
    return spoken[starts[-count] :] if len(starts) > count else spoken
