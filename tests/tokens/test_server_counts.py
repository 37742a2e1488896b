"""Our count of a prompt is the server's: recorded answers always, a live server's where OLLAMA_HOST names one."""

import json
import os

import pytest

from ninefold.adapters.tokens import QwenCounter, for_model
from ninefold.adapters.tokens.template import QWEN_SYSTEM
from ninefold.adapters.tokens.tool_block import Dialect
from tests.tokens.cases import CASES
from tests.tokens.server import CODER, CODER_CASES, MODEL, RECORDED, server_count

COUNTS: dict[str, dict[str, int]] = json.loads(RECORDED.read_text(encoding="utf-8"))
HOST = os.environ.get("OLLAMA_HOST")
counter = QwenCounter()


def test_every_case_is_recorded() -> None:
    assert COUNTS[MODEL].keys() == CASES.keys()
    assert COUNTS[CODER].keys() == set(CODER_CASES)


@pytest.mark.parametrize("name", CASES)
def test_the_count_equals_the_servers(name: str) -> None:
    assert counter.prompt(*CASES[name]) == COUNTS[MODEL][name]


@pytest.mark.parametrize("name", CODER_CASES)
def test_the_count_equals_the_servers_for_the_coder_model_with_its_own_system_text(name: str) -> None:
    coder = QwenCounter(default_system=QWEN_SYSTEM, dialects=(Dialect(coder=True),))

    assert coder.prompt(*CASES[name]) == COUNTS[CODER][name]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("model", ["llama3.2:3b", "qwen3:8b", "qwen2.5vl:7b"])
def test_a_bound_is_never_under_the_servers_count(model: str, name: str) -> None:
    bound = for_model("ollama", model)

    assert not bound.exact
    assert bound.prompt(*CASES[name]) >= COUNTS[MODEL][name]


@pytest.mark.parametrize("name", CASES)
def test_a_server_of_unproven_version_is_never_counted_under_the_proven_one(name: str) -> None:
    newer = for_model("ollama", "qwen2.5:14b", server_version="0.13.5")

    assert newer.prompt(*CASES[name]) >= COUNTS[MODEL][name]


@pytest.mark.skipif(HOST is None, reason="OLLAMA_HOST names no server")
@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("system_")])
def test_the_count_equals_a_live_servers(name: str) -> None:
    assert HOST is not None
    assert counter.prompt(*CASES[name]) == server_count(CASES[name], HOST)
