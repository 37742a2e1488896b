"""How long a person waits for the first word of an embedded model, beside the model's own reading, and in what memory.

Usage: python -m bench.first_token [--model NAME_OR_PATH] [--turns N] [--lang zh|en] [--json FILE]

Takes turns with the agent as `ninefold chat` does where no Ollama runs, in a data folder of its own: memory, archive
and checkpoints on disk. The first turn starts the model's process, loads the weights and the embedder; the turns after
it are the measure. `first word` is the time from the message to the first text that a person can see, `reading` what
the model itself took to read its prompt, `beside` the difference: the goal is at most 150 ms. `CPU` is the program's
processor time in it, the figure to read on a busy machine. `cached` are the prompt's
tokens that the model did not have to read again. The memory is the peak of program and model process together; the goal
is below 1.5 GB.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from bench.figures import Kind, at_most, keep, told
from ninefold import AgentSettings, build_graph
from ninefold.adapters.embedded.server import running_servers
from ninefold.adapters.weights.pull import model_file, models_folder, pull
from ninefold.console.conversation import Conversation
from ninefold.console.happenings import Ended, Written
from ninefold.home import data_folder
from ninefold.state import ModelCalled, ModelMissing
from ninefold.state.settings import EMBEDDED_CHAT

BESIDE_MS = 150
PEAK_GB = 1.5
SAID = {
    "zh": (
        "你好，以后所有金额都用人民币表示，不要用美元。",
        "一台服务器报价 3 万，写一句话的报价说明。",
        "再写短一点。",
    ),
    "en": (
        "Hello, from now on state amounts in euros, do not use dollars.",
        "A server costs 30,000. Write a one-sentence quotation.",
        "Make it shorter.",
    ),
}


@dataclass(frozen=True)
class Measured:
    """One turn."""

    turn: int
    first_word_ms: float
    reading_ms: float
    beside_ms: float
    cpu_ms: float
    """Processor time of the program up to the first word: what `beside` comes to on an idle machine."""
    prompt_tokens: int
    server_tokens: int
    cached_tokens: int


async def turn(conversation: Conversation, number: int, text: str) -> Measured:
    """Take a turn and give its times."""
    began, worked = time.perf_counter(), time.process_time()
    first: float | None = None
    ended: Ended | None = None
    async for happening in conversation.say(text):
        if isinstance(happening, Written) and first is None:
            first = time.perf_counter() - began
            worked = time.process_time() - worked
        elif isinstance(happening, Ended):
            ended = happening
    if first is None or ended is None or ended.reply is None:
        sys.exit(f"turn {number} has no reply: {ended}")
    call = next(event for event in reversed(conversation.state()["trace"]) if isinstance(event, ModelCalled))
    reading = float(ended.reply.response_metadata["prompt_ms"])
    return Measured(
        turn=number,
        first_word_ms=round(first * 1000, 1),
        reading_ms=round(reading, 1),
        beside_ms=round(first * 1000 - reading, 1),
        cpu_ms=round(worked * 1000, 1),
        prompt_tokens=call.prompt_tokens,
        server_tokens=call.server_tokens or 0,
        cached_tokens=call.cached_tokens or 0,
    )


def peak_gb() -> float:
    """Give the peak of what this program and its model processes held in memory (Linux), in GB."""
    pids = ["self", *(str(server.pid) for server in running_servers() if server.pid)]
    peaks = [Path(f"/proc/{pid}/status").read_text(encoding="utf-8").split("VmHWM:")[1].split()[0] for pid in pids]
    return sum(map(int, peaks)) * 1024 / 1e9


def weights_of(model: str) -> Path:
    """Give the model's weights, fetched as the first chat would where they are not on this machine."""
    try:
        return model_file(model, data_folder())
    except ModelMissing as missing:
        if "/" in model or model.endswith(".gguf"):
            raise
        print(f"{missing} They are fetched now.", flush=True)
        return pull(model, data_folder())


def measure(model: str, turns: int, language: str) -> tuple[list[Measured], float]:
    """Play a session in a folder of its own and give its turns and the peak of memory."""
    weights = weights_of(model).resolve()
    with tempfile.TemporaryDirectory() as folder:
        models_folder(Path(folder)).mkdir()
        (models_folder(Path(folder)) / weights.name).symlink_to(weights)
        agent: dict[str, Any] = {
            "model": {"provider": "embedded", "model_name": model, "num_predict": 48, "temperature": 0},
            "storage": {"folder": folder},
            "language": language,
            "tools": [],
        }
        settings = AgentSettings.model_validate(agent)
        window = settings.model.num_ctx
        conversation = Conversation(build_graph(settings), "t", "local", num_ctx=window, folder=Path(folder))
        said = SAID[language]
        with asyncio.Runner() as runner:
            taken = [runner.run(turn(conversation, n + 1, said[min(n, len(said) - 1)])) for n in range(turns)]
        return taken, peak_gb()


def main() -> None:
    """Print every turn, what the goals say of the second one, and the peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=EMBEDDED_CHAT)
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--lang", choices=tuple(SAID), default="zh")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    taken, peak = measure(given.model, given.turns, given.lang)
    print(f"{given.model}, {platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    heads = f"{'turn':>4} {'first word':>11} {'reading':>9} {'beside':>8} {'CPU':>8}"
    print(f"{heads} {'prompt':>7} {'served':>7} {'cached':>7}")
    for row in taken:
        times = f"{row.first_word_ms:>8.0f} ms {row.reading_ms:>6.0f} ms {row.beside_ms:>5.0f} ms {row.cpu_ms:>5.0f} ms"
        print(f"{row.turn:>4} {times} {row.prompt_tokens:>7} {row.server_tokens:>7} {row.cached_tokens:>7}")
    beside = statistics.median(row.beside_ms for row in taken[1:])
    print(f"beside the model's reading, median of the turns after the first: {beside:.0f} ms (goal {BESIDE_MS} ms)")
    print(f"peak of program and model: {peak:.2f} GB (goal {PEAK_GB} GB)")
    goals = [
        at_most(
            "G2",
            f"ms to the first word beside the model's reading, {given.lang}",
            round(beside),
            BESIDE_MS,
            kind=Kind.TIME,
        ),
        at_most("G2", "GB of memory at the peak, the model's included", peak, PEAK_GB, kind=Kind.BYTES),
    ]
    status = told(goals)
    keep("first_token", goals, {"turns": [asdict(row) for row in taken], "peak_gb": peak}, file=given.json)
    sys.exit(status)


if __name__ == "__main__":
    main()
