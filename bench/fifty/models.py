"""Who answers behind the wire: a script, the embedded model, or an Ollama server; tool calls are always the script's.

The calls are scripted with every model, so that each system is asked the same and only the replies are a model's own.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.turn.agents import Body
from tests.wire.replies import Real, Reply, Say

from .conversation import Language
from .server import read_by_server

Model = Callable[[Body, str], Reply]
"""Answers a request; it is told what the script would say."""

_SUMMARY = {"zh": "他们聊了搬家、采购和官网。", "en": "They talked about the move, the purchases and the shop."}


def scripted(language: Language) -> Model:
    """Give the model that says its lines; asked for a summary it is careless, so that nothing rests on it."""

    def answer(body: Body, line: str) -> Reply:
        if "format" not in body:
            return Say(line)
        told: dict[str, Any] = {"constraints": [], "supported": True, "missing": ""}
        told |= {"decisions": [_SUMMARY[language]], "next_steps": [], "other_facts": []}
        return Say(json.dumps({key: told[key] for key in body["format"]["properties"] if key in told}))

    return answer


def ollama(host: str, name: str) -> Model:
    """Give a model on an Ollama server; it cuts a prompt that is too long in its own way."""

    def answer(body: Body, line: str) -> Reply:  # noqa: ARG001
        body["model"] = name
        return Real(host)

    return answer


def embedded(weights: Path, num_ctx: int, threads: int, written: int) -> Model:
    """Give the embedded model in this process, one slot and no other cache; long prompts are cut as Ollama does.

    Args:
        weights: the GGUF file.
        num_ctx: its window.
        threads: threads of its own.
        written: tokens that a reply has at most.
    """
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx, params.n_parallel, params.cache_ram_mib = num_ctx, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.fit_params = params.warmup = params.ui = False
    params.verbosity = 0
    params.use_jinja = params.offline = True
    server = xllamacpp.Server(params)

    def answer(body: Body, line: str) -> Reply:  # noqa: ARG001
        most = min(written, body["options"]["num_predict"])
        asked: Body = {"prompt": read_by_server(body, num_ctx - most), "max_tokens": most, "cache_prompt": True}
        asked |= {"temperature": 0, "seed": 8} | ({"json_schema": body["format"]} if "format" in body else {})
        told = server.handle_completions(asked)
        if "choices" not in told:
            raise RuntimeError(f"llama.cpp gave no reply: {str(told)[:200]}")
        return Say(str(told["choices"][0]["text"]))

    return answer
