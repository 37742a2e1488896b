"""What the documents tell is true: their code runs, their files load, their links lead somewhere."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ninefold.settings_file import load_settings
from ninefold.state import AgentSettings
from tests.turn.agents import server_count
from tests.wire.server import WireServer

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*sorted(ROOT.glob("README*.md")), ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
OLLAMA_PORT = 11434


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "NINEFOLD_HOME": str(folder), **more}


def test_the_readme_s_code_runs_as_it_stands(tmp_path: Path) -> None:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", OLLAMA_PORT)) == 0:
            pytest.skip("something answers on Ollama's port; the snippet would talk to it")
    (code,) = blocks(ROOT / "README.md", "python")
    with WireServer(["好的。"], count=server_count, port=OLLAMA_PORT):
        run = [sys.executable, "-c", code]
        done = subprocess.run(run, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[:2] == ["好的。", "answered"]
    assert "Don't use red" in said[2]
    assert "memory_retrieval" in done.stdout


@pytest.mark.parametrize("document", [ROOT / "README.md", ROOT / "docs" / "sessions.md"], ids=lambda path: path.name)
def test_the_documents_commands_run_as_they_stand(document: Path, tmp_path: Path) -> None:
    with WireServer(count=server_count) as wire:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        variables = environment(tmp_path, OLLAMA_HOST=wire.url, PATH=path)
        subprocess.run(
            ["ninefold", "chat", "--thread", "work", "--say", "你好"], env=variables, capture_output=True, check=True
        )
        for line in "\n".join(blocks(document, "bash")).splitlines():
            if line.startswith(".venv/bin/ninefold"):
                command = line.removeprefix(".venv/bin/")
                done = subprocess.run(
                    command, shell=True, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, (command, done.stderr)
                assert done.stdout.strip(), command


def test_the_readme_s_agent_file_loads(tmp_path: Path) -> None:
    (text,) = blocks(ROOT / "README.md", "yaml")
    (tmp_path / "agent.yaml").write_text(text, encoding="utf-8")
    agent = load_settings(tmp_path / "agent.yaml")
    assert agent.name == "local_context_agent"
    assert agent.model == AgentSettings().model
    assert agent.context_policy.memory_search_min_score == 0.45


@pytest.mark.parametrize("kind", ["python", "bash", "yaml", "mermaid"])
def test_both_readmes_show_the_same_code(kind: str) -> None:
    def code(name: str) -> list[str]:
        return [re.sub(r" *#.*", "", block) for block in blocks(ROOT / name, kind)]

    assert code("README.md")
    assert code("README.zh-CN.md") == code("README.md")


def test_the_configuration_page_is_the_settings(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "tools/reference.py", "--check"], cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target
