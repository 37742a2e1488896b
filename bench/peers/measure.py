"""M1 of the peers: whether the rules of turn 1 stand in what their model is sent, turn after turn.

Usage, in the environment of bench/peers/requirements.txt: measure.py --marks 40,200,1000 --budget SECONDS --json FILE

Every case plays the session of talk.py with a model that answers at once. A case that takes longer than its budget ends
early; the turn it reached stands in the output. Modules are imported by name, so that nobody else needs the peers.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import sys
import time
import uuid
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph

sys.path.insert(0, str(Path(__file__).parent))
talk: Any = importlib.import_module("talk")

ASKS_FOR_A_SUMMARY = ("Context Extraction Assistant", "Create a summary of the conversation", "Extend this summary")
"""How the peers' own prompts begin; tested against the releases named in the output."""


@dataclass
class Log:
    """What the model was sent, and how often it was asked to summarise."""

    turn: int = 0
    held: list[float] = field(default_factory=list)
    """For each prompt the share of the rules that it holds."""
    summaries: int = 0
    texts: dict[str, int] = field(default_factory=dict)
    """Every message that was sent, numbered."""
    prompts: list[list[int]] = field(default_factory=list)
    """The messages of each prompt, by their numbers."""


class Scripted(BaseChatModel):
    """Answers from the session; summarises as its mode says."""

    log: Any
    mode: str
    language: str
    profile: Any = None

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:  # noqa: ARG002
        """Give itself: the calls are scripted."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: Any = None,  # noqa: ARG002
        run_manager: Any = None,  # noqa: ARG002
        **options: Any,  # noqa: ARG002
    ) -> ChatResult:
        texts = [str(message.content) for message in messages]
        seen = "\n".join(texts)
        if any(start in text for text in texts for start in ASKS_FOR_A_SUMMARY):
            self.log.summaries += 1
            return _answer(AIMessage("\n".join(talk.summary(self.mode, seen, self.language)) or "-"))
        rules = talk.RULES[self.language]
        self.log.held.append(sum(rule in seen for rule in rules) / len(rules))
        self.log.prompts.append([self.log.texts.setdefault(text, len(self.log.texts)) for text in texts])
        if talk.calls_tool(self.log.turn) and isinstance(messages[-1], HumanMessage):
            call = {"name": "lookup", "args": {"q": "shelf"}, "id": f"c{uuid.uuid4().hex}"}
            return _answer(AIMessage("", tool_calls=[call]))
        return _answer(AIMessage(talk.reply(self.log.turn, self.language)))


def _answer(message: AIMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])


def _lookup(model: Scripted) -> Callable[[str], str]:
    def lookup(q: str) -> str:  # noqa: ARG001
        """Look something up."""
        return str(talk.result(model.log.turn, model.language))

    return lookup


def _langchain(trigger: int) -> Callable[[Scripted], Any]:
    def make(model: Scripted) -> Any:
        agents, middleware = importlib.import_module("langchain.agents"), "langchain.agents.middleware"
        summarize = importlib.import_module(middleware).SummarizationMiddleware
        each = summarize(model, trigger=("tokens", trigger), keep=("messages", 20))
        return agents.create_agent(model, tools=[_lookup(model)], middleware=[each], checkpointer=InMemorySaver())

    return make


class _Remembering(MessagesState):
    summarized_messages: list[Any]
    context: dict[str, Any]


def _langmem(model: Scripted) -> Any:
    node = importlib.import_module("langmem.short_term").SummarizationNode
    summarize = node(model=model, max_tokens=3500, max_tokens_before_summary=3500, max_summary_tokens=256)

    def call(state: _Remembering) -> dict[str, Any]:
        return {"messages": [model.invoke(state["summarized_messages"])]}

    builder: Any = StateGraph(cast(Any, _Remembering))
    builder.add_node("summarize", summarize).add_node("call", call)
    builder.add_edge(START, "summarize").add_edge("summarize", "call").add_edge("call", END)
    return builder.compile(checkpointer=InMemorySaver())


def _deepagents(model: Scripted) -> Any:
    model.profile = {"max_input_tokens": 16384}
    create = importlib.import_module("deepagents").create_deep_agent
    return create(model=model, tools=[_lookup(model)], checkpointer=InMemorySaver())


CASES: dict[str, tuple[str, Callable[[Scripted], Any]]] = {
    "langchain SummarizationMiddleware 3500/20": ("langchain", _langchain(3500)),
    "langchain SummarizationMiddleware 10000/20": ("langchain", _langchain(10000)),
    "langmem SummarizationNode 3500": ("langmem", _langmem),
    "deepagents, profile 16384": ("deepagents", _deepagents),
}


def played(name: str, mode: str, language: str, marks: list[int], budget: float) -> dict[str, Any]:
    """Play one case and give the share of prompts that held every rule, up to each mark."""
    package, make = CASES[name]
    log = Log()
    model = Scripted(log=log, mode=mode, language=language)
    row: dict[str, Any] = {"name": name, "version": version(package), "mode": mode, "language": language}
    held: dict[int, float] = {}
    began, turn = time.monotonic(), 0
    try:
        graph = make(model)
        config = {"configurable": {"thread_id": "bench"}, "recursion_limit": 100}
        for turn in range(1, max(marks) + 1):
            log.turn = 0 if package == "langmem" else turn
            graph.invoke({"messages": [HumanMessage(talk.says(turn, language))]}, config)
            if turn in marks:
                held[turn] = sum(share == 1 for share in log.held) / len(log.held)
            if time.monotonic() - began > budget:
                break
    except Exception as error:  # noqa: BLE001 — a peer that breaks is a row that says so
        row["error"] = f"{type(error).__name__}: {error}"[:300]
    row |= {"reached": turn, "held": held, "so far": sum(share == 1 for share in log.held) / max(1, len(log.held))}
    row |= {"last": log.held[-1] if log.held else 0.0, "summaries": log.summaries}
    return row | {"texts": list(log.texts), "prompts": log.prompts}


def main() -> None:
    """Play every case and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--marks", default="40,200,1000")
    parser.add_argument("--languages", default="zh,en")
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--json", type=Path, required=True)
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.ERROR)
    marks = [int(mark) for mark in chosen.marks.split(",")]
    rows = [
        played(name, mode, language, marks, chosen.budget)
        for name in CASES
        for language in chosen.languages.split(",")
        for mode in talk.MODES
    ]
    chosen.json.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
