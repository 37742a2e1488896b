"""Asks a real Ollama server how long a prompt is; `python -m tests.tokens.server` records `server_counts.json` anew.

The server holds Qwen2.5-Coder-0.5B under two tags: MODEL with qwen2.5's published template and no system text, and
CODER with qwen2.5-coder's own template and Qwen's default system text.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import httpx
from langchain_ollama import ChatOllama

from tests.tokens.cases import CASES, Case

MODEL = "qwen2.5-coder:0.5b"
CODER = "qwen2.5-coder-published:0.5b"
CODER_CASES = (
    "no_system",
    "empty_system",
    "late_system",
    "last_is_system",
    "four_tools",
    "four_tools_no_system",
    "enum_tool",
    "parallel_calls",
)
RECORDED = Path(__file__).parent / "server_counts.json"


def server_count(case: Case, host: str, tag: str = MODEL) -> int:
    """What the server reports as the prompt's length for these messages sent through ChatOllama."""
    messages, tools = case
    model = ChatOllama(model=tag, base_url=host, num_ctx=4096, num_predict=1, temperature=0)
    reply = model.invoke(messages, tools=list(tools) or None)
    return int(reply.response_metadata["prompt_eval_count"])


def record(host: str) -> None:
    """Ask for every case and keep the answers."""
    recorded = {
        "server": f"ollama {httpx.get(f'{host}/api/version').json()['version']}",
        MODEL: {name: server_count(case, host) for name, case in CASES.items()},
        CODER: {name: server_count(CASES[name], host, CODER) for name in CODER_CASES},
    }
    RECORDED.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record(os.environ["OLLAMA_HOST"])
