"""An agent whose chat model, light model and embedder each have a server of their own that can be put into trouble.

Between the troubles the servers answer by script; with the address of a real Ollama, that answers, through them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from langchain_core.messages import BaseMessage
from langchain_core.tools import tool

from ninefold import build_graph, history
from ninefold.graph.guard import TurnGraph
from ninefold.state import (
    AgentSettings,
    ContextPolicy,
    Degraded,
    EmbeddingSettings,
    FidelitySettings,
    MemorySettings,
    ModelSettings,
    Step,
    StorageSettings,
)
from ninefold.state.turn_state import TurnState
from tests.turn.agents import MODEL, config, server_count
from tests.wire.replies import Call, Cut, EmbedReply, ErrorMidway, Hang, Real, Reply, Say
from tests.wire.server import Body, WireServer

PATIENCE = 0.7
"""Seconds without a byte until a call is given up."""
PATIENCE_WITH_REAL = 60.0
REAL_CHAT, REAL_EMBEDDER = "qwen2.5-coder:0.5b", "all-minilm"
BABBLE = 96
"""Tokens of an internal reply of the real model: it fills whatever room it is given, at some twenty a second."""
DONE = "好的。"
Which = Literal["chat", "light", "embed"]
LONG = "今天我们去了公园，看到很多花，天气一直很好，大家都很开心。" * 6
QUIET = '{"supported": true, "missing": "", "decisions": [], "next_steps": [], "other_facts": [], "constraints": []}'


@dataclass(frozen=True)
class Kind:
    """One kind of call, and a conversation in which it is made exactly where the trouble waits."""

    name: str
    which: Which
    said: str
    step: Step
    warm: tuple[str, ...] = ()
    about: Callable[[Body], bool] = field(default=lambda body: True)
    asynchronous: bool = False
    policy: Mapping[str, Any] = field(default_factory=dict[str, Any])
    veto: bool = False

    def __str__(self) -> str:
        return self.name


def _asks_for(key: str) -> Callable[[Body], bool]:
    return lambda body: key in (body.get("format") or {}).get("properties", {})


def _after_tool(body: Body) -> bool:
    return bool(body["messages"][-1]["role"] == "tool")


HALF = "一共有"
SMALL = {"summary_threshold_tokens": 500, "recent_keep": 4, "key_turns": 0}
REPLY = Kind("reply", "chat", "今天天气不错。", Step.MODEL_CALL)
REPLY_ASYNC = Kind("reply, async", "chat", "今天天气不错。", Step.MODEL_CALL, asynchronous=True)
AFTER_TOOL = Kind("reply after a tool", "chat", "库存里有几个灯泡？", Step.MODEL_CALL, about=_after_tool)
EXTRACTION = Kind("constraint extraction", "light", "请尽量显得活泼", Step.CONSTRAINT_UPDATE)
SUMMARY = Kind("summary", "light", LONG, Step.COMPACTION, warm=(LONG,) * 3, about=_asks_for("decisions"), policy=SMALL)
VETO = Kind("veto", "light", LONG, Step.FIDELITY_CHECK, (LONG,) * 3, _asks_for("supported"), policy=SMALL, veto=True)
RECALL = Kind("recall", "embed", "我的项目端口是多少？", Step.MEMORY_RETRIEVAL, warm=("我的项目端口是 18443。",))
WRITE = Kind("memory write", "embed", "我的项目端口是 18443。", Step.MEMORY_WRITE, warm=("我喜欢喝绿茶。",))
REPLIES = (REPLY, REPLY_ASYNC, AFTER_TOOL)
INTERNAL = (EXTRACTION, SUMMARY, VETO)
EMBEDDING = (RECALL, WRITE)


class Rig:
    """A graph over three servers; `trouble` is what the calls of its kind are answered while it is set."""

    def __init__(self, kind: Kind, folder: Path, wires: Mapping[Which, WireServer], real: str = "") -> None:
        self.kind = kind
        self.real = real
        self.patience = PATIENCE_WITH_REAL if real else PATIENCE
        self.wires = wires
        self.wire = wires[kind.which]
        self.trouble: Reply | EmbedReply | Literal["down"] | None = None
        self.effects: list[str] = []
        self._back: threading.Timer | None = None
        self.folder = folder
        self.settings = _settings(kind, folder, wires, real=bool(real), patience=self.patience)
        self.model = self.settings.model.model_name

        @tool
        def stock(item: str) -> str:
            """Count what is in stock."""
            self.effects.append(item)
            if self.trouble == "down" and kind is AFTER_TOOL:
                self._take_down()
            return f"{item} 有 7 件"

        self.graph: TurnGraph = build_graph(self.settings, tools=[stock])

    def say(self, text: str | None, thread: str) -> str:
        """Take a turn, or take the last one up again, and give the reply."""
        given = None if text is None else {"messages": [{"role": "user", "content": text}]}
        whose = config(thread, f"user of {thread}")
        if self.kind.asynchronous:
            result = asyncio.run(self.graph.ainvoke(given, whose))
        else:
            result = self.graph.invoke(given, whose)
        return str(result["messages"][-1].text)

    def answers(self, text: str) -> bool:
        """Whether a reply is a whole one: the script's, or whatever a real model says."""
        return bool(text.strip()) if self.real else text == DONE

    @contextmanager
    def in_trouble(
        self, trouble: Reply | EmbedReply | Literal["down"], *, back_after: float | None = None
    ) -> Iterator[None]:
        """Answer the calls of this kind so while the block runs; a server that is down may come back by itself."""
        self.trouble = trouble
        down = trouble == "down"
        self._back = threading.Timer(back_after, self.wire.up) if back_after else None
        if down and self.kind is not AFTER_TOOL:
            self._take_down()
        try:
            yield
        finally:
            self.trouble = None
            if self._back:
                self._back.join()
            elif down:
                self.wire.up()

    def _take_down(self) -> None:
        self.wire.down()
        if self._back:
            self._back.start()

    def state(self, thread: str) -> TurnState:
        """Give the thread's state."""
        return TurnState.model_validate(self.graph.get_state(config(thread, f"user of {thread}")).values)

    def degraded(self, thread: str) -> list[Degraded]:
        """Give what the last turn says it did without."""
        return [event for event in self.state(thread).trace if isinstance(event, Degraded)]

    def undisturbed(self, thread: str) -> bool:
        """Whether the last turn did without nothing; that a real model's babble met its bound is no trouble."""
        return all(self.real and event.cause == "length" for event in self.degraded(thread))

    def calls(self) -> int:
        """Give how many calls of this kind came in so far."""
        bodies = self.wire.embeds if self.kind.which == "embed" else self.wire.chats
        return sum(self.kind.about(body) for body in bodies)

    def archived(self, thread: str) -> list[BaseMessage]:
        """Give the whole history, in its order."""
        return list(history(self.graph, config(thread, f"user of {thread}")))

    def answer(self, body: Body) -> Reply | str:
        """Give what the chat or the light model says."""
        light = body.get("format") is not None if self.real else body["model"] == "light"
        mine = self.kind.which == ("light" if light else "chat")
        if self.trouble is not None and self.trouble != "down" and mine and self.kind.about(body):
            return self._troubled(self.trouble)  # type: ignore[arg-type]
        if not light and body["messages"][-1]["role"] == "user" and "库存" in body["messages"][-1]["content"]:
            return Call("stock", {"item": "灯泡"})
        if self.real:
            return Real(self.real, at_most=BABBLE if light else None)
        return Say(QUIET if light else DONE)

    def _troubled(self, trouble: Reply) -> Reply:
        """Give the trouble; one that comes after some words comes after a real model's, where there is one."""
        if self.real and isinstance(trouble, Say | Hang | Cut | ErrorMidway) and trouble.text == HALF:
            return Real(self.real, trouble)
        return trouble

    def vectors(self, body: Body) -> EmbedReply | None:
        """Give what the embedder is made to answer instead of its vectors."""
        if self.kind.which != "embed" or self.trouble in (None, "down"):
            return Real(self.real) if self.real else None
        return self.trouble  # type: ignore[return-value]


@contextmanager
def rig(kind: Kind, folder: Path, real: str = "") -> Iterator[Rig]:
    """Give a rig with its servers running, before the real one at this address if given."""
    made: list[Rig] = []
    chat = WireServer(lambda body: made[0].answer(body), count=server_count)
    light = WireServer(lambda body: made[0].answer(body))
    embed = WireServer(embed=lambda body: made[0].vectors(body))
    with chat, light, embed:
        made.append(Rig(kind, folder, {"chat": chat, "light": light, "embed": embed}, real))
        yield made[0]


def _settings(
    kind: Kind, folder: Path, wires: Mapping[Which, WireServer], *, real: bool, patience: float
) -> AgentSettings:
    def model(which: Which, name: str) -> ModelSettings:
        url = wires[which].url
        if real:
            return ModelSettings(base_url=url, model_name=REAL_CHAT, num_predict=16, timeout=patience)
        return ModelSettings(base_url=url, model_name=name, timeout=patience)

    embeddings = EmbeddingSettings(base_url=wires["embed"].url, timeout=patience)
    if real:
        embeddings = embeddings.model_copy(update={"model_name": REAL_EMBEDDER})
    return AgentSettings(
        model=model("chat", MODEL),
        light_model=model("light", "light") if kind.which == "light" else "none",
        embeddings=embeddings,
        memory=MemorySettings() if kind.which == "embed" else "off",
        fidelity=FidelitySettings(model=kind.veto),
        storage=StorageSettings(folder=str(folder)),
        context_policy=ContextPolicy(**kind.policy),
    )
