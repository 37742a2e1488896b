"""The command line itself: it starts fast, says what is wrong, and leaves with the promised status."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("langgraph", "langchain_core", "langchain_ollama", "chromadb")


def run(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from ninefold.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)


@pytest.mark.parametrize("arguments", [["--help"], ["chat", "--help"], ["--version"]])
def test_help_and_version_import_nothing_heavy(arguments: list[str]) -> None:
    code = (
        f"import sys\nfrom ninefold.cli import run\nrun({arguments})\nprint([m for m in {HEAVY} if m in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout.splitlines()[-1] == "[]"


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = f"import sys, ninefold\nprint([m for m in {HEAVY} if m in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == "[]\n"


@pytest.mark.parametrize(
    "arguments", [["dance"], ["chat", "--loud"], ["draw", "--format", "gif"], ["sessions", "show"]]
)
def test_wrong_usage_leaves_with_2(arguments: list[str]) -> None:
    ended = run(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "Usage" in ended.stderr


def test_a_named_error_leaves_with_1_and_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text("agent:\n  nam: x\n")
    ended = run("chat", "--agent", str(file), "--say", "hi")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f'{file}, line 2: unknown key "nam" under "agent".')
    assert "Traceback" not in ended.stderr
