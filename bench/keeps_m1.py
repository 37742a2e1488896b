"""M1, M6 and M7 of ninefold: the rules of turn 1 on the wire, prompts that fit, and what internal calls cost.

Usage: python -m bench.keeps_m1 [--marks 40,200,1000] [--languages zh,en] [--budget 120]

The session of bench/peers/talk.py is played on the whole graph against a server on loopback that keeps every request.
The light model answers every internal call as a perfect, a careless or an adversarial one would. Read back is the
constraint layer as it came over the wire: it must be equal to the rules, and hold none that was replaced, withdrawn or
meant for one turn. Rules that were said in one breath may be read back as that sentence.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool, tool

from bench.peers import talk
from ninefold import build_graph
from ninefold.adapters.tokens import QwenCounter
from ninefold.policies.constraint_layer import read_constraints
from ninefold.policies.neutralise import anchors
from ninefold.state import Language
from tests.turn.agents import Body, config, server_count, settings, system_text, whole_prompt
from tests.wire.replies import Call, Reply, Say
from tests.wire.server import WireServer

NUM_CTX = 8192
REPLY = 1024
"""Tokens of the window that are kept for the reply, as the settings have it."""
FILLER = 7
"""From this turn on nothing about the rules is said any more."""


@dataclass
class Log:
    """What one session sent."""

    turn: int = 0
    held: list[bool] = field(default_factory=list)
    """For each main prompt whether every rule of turn 1 is read back from it, letter for letter."""
    stale: int = 0
    """Rules that no longer hold and were still read back, summed over the main prompts."""
    layer: float = 0.0
    """The largest layer as a multiple of the tokens of the words it holds."""
    over: int = 0
    """Requests whose prompt and reserved reply exceed the window."""
    largest: int = 0
    main_tokens: int = 0
    internal: int = 0
    internal_tokens: int = 0
    internal_new: int = 0
    """Tokens of internal prompts behind the messages that stood in the request before, which a server has read."""
    last: list[Any] = field(default_factory=list)
    """The messages of the request before."""


def played(mode: str, language: str, marks: Sequence[int], budget: float) -> dict[str, Any]:
    """Play one session and give its row."""
    log, counter = Log(), QwenCounter()
    lookup = _lookup(log, language)

    def answer(body: Body) -> Reply:
        internal = "format" in body
        _count(log, body, internal)
        if internal:
            return Say(_internal(body, mode, language))
        _read(log, body, language, counter)
        if talk.calls_tool(log.turn) and body["messages"][-1]["role"] == "user":
            return Call("lookup", {"q": "shelf"})
        return Say(talk.reply(log.turn, language))

    held: dict[int, float] = {}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, WireServer(answer, count=server_count) as wire:
        chosen: Any = {"light_model": "same", "memory": False, "num_ctx": NUM_CTX}
        graph = build_graph(settings(wire.url, Path(folder), **chosen), tools=[lookup])
        for turn in range(1, max(marks) + 1):
            log.turn = turn
            wire.requests.clear()
            graph.invoke({"messages": [{"role": "user", "content": talk.says(turn, language)}]}, config())
            if turn in marks:
                held[turn] = sum(log.held) / len(log.held)
            if time.monotonic() - began > budget:
                break
    row = {"name": "ninefold", "mode": mode, "language": language, "reached": log.turn, "held": held}
    return row | {
        "so far": sum(log.held) / len(log.held),
        "last": float(log.held[-1]),
        "stale": log.stale,
        "layer": round(log.layer, 2),
        "over": log.over,
        "largest tokens": log.largest,
        "requests": len(log.held) + log.internal,
        "prompts": len(log.held),
        "mean tokens": round(log.main_tokens / len(log.held)),
        "internal calls a turn": round(log.internal / log.turn, 3),
        "internal share": round(log.internal_tokens / max(1, log.main_tokens), 3),
        "internal new share": round(log.internal_new / max(1, log.main_tokens), 3),
    }


def _lookup(log: Log, language: str) -> BaseTool:
    @tool
    def lookup(q: str) -> str:  # noqa: ARG001
        """Look something up."""
        return talk.result(log.turn, language)

    return lookup


def _count(log: Log, body: Body, internal: bool) -> None:
    tools = body.get("tools") or ()
    tokens = server_count(body["messages"], tools)
    both = takewhile(lambda pair: pair[0] == pair[1], zip(body["messages"], log.last, strict=False))
    read = [message for message, _ in both]
    known = server_count(read, tools) if read else 0
    log.last = body["messages"]
    log.over += tokens + int(body["options"]["num_predict"]) > NUM_CTX
    log.largest = max(log.largest, tokens)
    if internal:
        log.internal += 1
        log.internal_tokens += tokens
        log.internal_new += tokens - known
    else:
        log.main_tokens += tokens


def _read(log: Log, body: Body, language: str, counter: QwenCounter) -> None:
    layers = list(_layers(body, Language(language)))
    read = [words for layer in layers for words in read_constraints(layer)]
    log.held.append(all(any(rule in words for words in read) for rule in talk.RULES[language]))
    if log.turn >= FILLER:
        log.stale += sum(any(over in words for words in read) for over in talk.STALE[language])
        for layer in layers:
            gold = sum(counter.text(words) for words in read_constraints(layer))
            log.layer = max(log.layer, counter.text(layer) / max(1, gold))


def _layers(body: Body, language: Language) -> Iterator[str]:
    """Give the constraint layers of a request: in its head, and beside the messages that brought a rule."""
    label = anchors(language)
    system_text(body)
    texts = [str(message.get("content", "")) for message in body["messages"] if message["role"] in ("system", "user")]
    for text in texts:
        for part in f"\n{text}".split(f"\n{label.constraints}\n")[1:]:
            yield part.split("\n\n", 1)[0]
    for part in f"\n{texts[-1]}".split(f"\n{label.turn_constraints}\n")[1:]:
        yield part.split("\n\n", 1)[0]


def _internal(body: Body, mode: str, language: str) -> str:
    """Answer an internal call as the mode's light model would."""
    wanted = json.dumps(body["format"])
    if "supported" in wanted:
        return json.dumps({"supported": mode != "adversarial", "missing": ""})
    kept = talk.summary(mode, whole_prompt(body), language)
    if "constraints" in wanted:
        proposals = [{"words": words, "polarity": "require", "scope": "session"} for words in kept]
        return json.dumps({"constraints": proposals if mode == "adversarial" else []}, ensure_ascii=False)
    return json.dumps({"decisions": kept, "next_steps": [], "other_facts": []}, ensure_ascii=False)


def rows(marks: Sequence[int], languages: Sequence[str], budget: float) -> Iterator[dict[str, Any]]:
    """Give the rows of every mode in every language."""
    for language in languages:
        for mode in talk.MODES:
            yield played(mode, language, marks, budget)


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--marks", default="40,200,1000")
    parser.add_argument("--languages", default="zh,en")
    parser.add_argument("--budget", type=float, default=120.0, help="seconds a session may take")
    chosen = parser.parse_args()
    for row in rows([int(mark) for mark in chosen.marks.split(",")], chosen.languages.split(","), chosen.budget):
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
