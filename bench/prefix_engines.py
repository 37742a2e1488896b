"""Recorded requests on a real server: what it says itself of how much of each prompt it had read before.

Each request is sent with one token to write, so the recorded replies are not in the server's cache: it reads them with
the next prompt, which the simulation does not count.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

Body = dict[str, Any]


@dataclass(frozen=True)
class Read:
    """What a server read for a number of requests."""

    engine: str
    turns: int
    prompt: int
    """Tokens of the prompts."""
    evaluated: int
    """Tokens that it read; by Ollama's time for them, because it counts those that it had in its cache too."""
    seconds: float
    """Time it took to read them."""

    @property
    def line(self) -> str:
        """Give it as a line of the table."""
        reuse = 1 - self.evaluated / max(self.prompt, 1)
        cost = f"reuse {reuse:6.1%}  evaluated {self.evaluated / self.turns:6.0f} a turn"
        return f"  {self.engine}, first {self.turns} turns: {cost}, {self.seconds / self.turns:.2f} s a turn"


def on_llama_cpp(bodies: Sequence[Body], weights: Path, turns: int) -> Read:
    """Send the requests to llama.cpp in this process: one slot, and no other cache."""
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = bodies[0]["options"]["num_ctx"]
    params.n_parallel = 1
    params.cache_ram_mib = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
    params.fit_params = params.warmup = params.ui = False
    params.verbosity = 0
    params.use_jinja = params.offline = True
    server = xllamacpp.Server(params)
    told: list[dict[str, Any]] = []
    for body in bodies:
        asked = {"messages": [_openai(m) for m in body["messages"]], "max_tokens": 1, "cache_prompt": True}
        answer = server.handle_chat_completions(asked | ({"tools": body["tools"]} if body.get("tools") else {}))
        if "timings" not in answer:
            raise RuntimeError(f"llama.cpp gave no timings: {str(answer)[:200]}")
        told.append(answer["timings"])
    evaluated = sum(int(each["prompt_n"]) for each in told)
    return Read(
        "llama.cpp by cache_n, cache_ram_mib=0",
        turns,
        evaluated + sum(int(each["cache_n"]) for each in told),
        evaluated,
        sum(float(each["prompt_ms"]) for each in told) / 1000,
    )


def _openai(message: Body) -> Body:
    """Give a message of Ollama's wire in OpenAI's form, in which llama.cpp takes it."""
    given = {"role": message["role"], "content": message.get("content", "")}
    calls = [
        {"type": "function", "id": str(place), "function": {**call["function"], "arguments": _json(call)}}
        for place, call in enumerate(message.get("tool_calls") or ())
    ]
    return given | ({"tool_calls": calls} if calls else {})


def _json(call: Body) -> str:
    return httpx.Request("POST", "http://x", json=call["function"]["arguments"]).content.decode()


def on_ollama(bodies: Sequence[Body], url: str, model: str | None, turns: int) -> Read:
    """Send the requests to an Ollama server; the first prompt, which it reads whole, tells how fast it reads.

    Without a model's name the server's first Qwen 2 model answers: the requests' tokens are counted as that family's.

    Raises:
        LookupError: the server has no such model.
    """
    spent: list[float] = []
    counts: list[int] = []
    with httpx.Client(timeout=600, trust_env=False) as client:
        have = client.get(f"{url}/api/tags").raise_for_status().json()["models"]
        able = [each["name"] for each in have if model in {None, each["name"], each["name"].removesuffix(":latest")}]
        if model is None:
            able = [each["name"] for each in have if each["details"]["family"].startswith("qwen2")]
        if not able:
            raise LookupError(f"{url} has no {model or 'Qwen 2 model'}; `ollama pull` one, or name one with --model")
        model = able[0]
        for body in bodies:
            asked = {**body, "model": model, "stream": False, "options": {**body["options"], "num_predict": 1}}
            asked.pop("format", None)
            told = client.post(f"{url}/api/chat", json=asked).raise_for_status().json()
            spent.append(told.get("prompt_eval_duration", 0) / 1e9)
            counts.append(told.get("prompt_eval_count", 0))
    speed = counts[0] / spent[0]
    return Read(f"{model} on Ollama by prompt_eval_duration", turns, sum(counts), int(sum(spent) * speed), sum(spent))
