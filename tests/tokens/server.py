"""Asks a real Ollama server how long a prompt is; run as a script it records `server_counts.json` anew."""

from __future__ import annotations

import json
import os
from pathlib import Path

import httpx
from langchain_ollama import ChatOllama

from cases import CASES, Case

MODEL = "qwen2.5-coder:0.5b"
RECORDED = Path(__file__).parent / "server_counts.json"


def server_count(case: Case, host: str) -> int:
    """What the server reports as the prompt's length for these messages sent through ChatOllama."""
    messages, tools = case
    model = ChatOllama(model=MODEL, base_url=host, num_ctx=4096, num_predict=1, temperature=0)
    generated = model.generate([messages], tools=list(tools) or None).generations[0][0]
    return int(generated.message.response_metadata["prompt_eval_count"])


if __name__ == "__main__":
    HOST = os.environ["OLLAMA_HOST"]
    version = httpx.get(f"{HOST}/api/version").json()["version"]
    counts = {name: server_count(case, HOST) for name, case in CASES.items()}
    RECORDED.write_text(json.dumps({"server": f"ollama {version}", "model": MODEL, "counts": counts}, indent=1) + "\n")
