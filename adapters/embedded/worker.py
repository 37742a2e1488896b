"""The process that holds one GGUF model: started by path, told what to load on stdin, gone when stdin closes.

A process of its own, because llama.cpp aborts on some broken files, writes its log to the terminal and takes over
SIGINT and SIGTERM; none of that may reach the program a person is talking to. It imports nothing of ninefold, so that
it starts at once.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any


def main() -> int:
    """Serve the model named by the JSON line on stdin until stdin ends; print one JSON line when ready or refused."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # The library writes its log to both streams; the answer line must stay alone on its own.
    os.dup2(2, 1)
    order: dict[str, Any] = json.loads(sys.stdin.readline())
    try:
        server = _start(order)
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        answer.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")
        answer.flush()
        return 1
    answer.write(json.dumps({"ready": server.listening_address}) + "\n")
    answer.flush()
    # The parent's death closes its end, whatever killed it.
    sys.stdin.read()
    if socket_path := order.get("socket"):
        _remove(str(socket_path))
    os._exit(0)


def _start(order: dict[str, Any]) -> Any:
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(order["model_path"])
    params.n_ctx = int(order["num_ctx"])
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(order["threads"])
    # A stop is seen between batches only: 64 tokens cost 2 % of the reading speed and end a reading within two seconds.
    params.n_batch = params.n_ubatch = 64
    params.cache_ram_mib = 256
    # Fitting the context to free memory loads the model twice, and would silently shorten num_ctx.
    params.fit_params = False
    params.warmup = False
    params.ui = False
    # Warnings and errors only: the log lives as long as the process.
    params.verbosity = 2
    params.use_jinja = True
    params.offline = True
    if socket_path := order.get("socket"):
        params.hostnames = [str(socket_path)]
    else:
        params.hostnames = ["127.0.0.1"]
        params.api_keys = [str(order["key"])]
    return xllamacpp.Server(params)


def _remove(socket_path: str) -> None:
    try:
        os.unlink(socket_path)
        os.rmdir(os.path.dirname(socket_path))
    except OSError:
        pass


if __name__ == "__main__":
    sys.exit(main())
