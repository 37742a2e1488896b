"""Against a real Ollama, where OLLAMA_HOST names one with qwen2.5-coder:0.5b and all-minilm: counts and limits hold."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ninefold import build_graph
from ninefold.state import (
    BUILT_IN_TOOLS,
    AgentSettings,
    EmbeddingSettings,
    ModelCalled,
    ModelSettings,
    StorageSettings,
    ToolName,
)
from tests.turn.agents import config

HOST = os.environ.get("OLLAMA_HOST", "")
pytestmark = pytest.mark.skipif(not HOST, reason="OLLAMA_HOST names no server")


@pytest.mark.parametrize("tools", [(), BUILT_IN_TOOLS], ids=["plain", "four tools"])
def test_our_count_is_the_server_s_on_every_call(tmp_path: Path, tools: tuple[ToolName, ...]) -> None:
    agent = AgentSettings(
        model=ModelSettings(base_url=HOST, model_name="qwen2.5-coder:0.5b", num_predict=24, timeout=600),
        embeddings=EmbeddingSettings(base_url=HOST, model_name="all-minilm"),
        storage=StorageSettings(folder=str(tmp_path)),
        light_model="none",
        tools=tools,
    )
    graph = build_graph(agent)
    for text in ("你好，以后不要用红色。", "My port is 18443.", "端口是多少？"):
        result = graph.invoke({"messages": [{"role": "user", "content": text}]}, config())
        assert result["messages"][-1].text
        calls = [e for e in graph.get_state(config()).values["trace"] if isinstance(e, ModelCalled)]
        assert calls
        assert [e.prompt_tokens for e in calls] == [e.server_tokens for e in calls]
