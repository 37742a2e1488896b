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
from ninefold.state import AgentSettings, ContextPolicy, MemorySettings
from tests.turn.agents import server_count
from tests.wire.server import WireServer

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*sorted(ROOT.glob("README*.md")), ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
OLLAMA_PORT = 11434
TWO_LANGUAGES = (
    "how-to",
    "troubleshooting",
    "architecture",
    "concepts",
    "turn",
    "sessions",
    "page",
    "scale",
    "threat-model",
    "configuration",
)
IN_BOTH = [
    (ROOT / "README.md", ROOT / "README.zh-CN.md"),
    *((ROOT / "docs" / f"{name}.md", ROOT / "docs" / f"{name}.zh-CN.md") for name in TWO_LANGUAGES),
]
WITH_COMMANDS = [
    ROOT / "README.md",
    *(ROOT / "docs" / name for name in ("sessions.md", "how-to.md", "troubleshooting.md")),
]


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


@pytest.mark.parametrize("document", WITH_COMMANDS, ids=lambda path: path.name)
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


@pytest.mark.parametrize("kind", ["python", "bash", "yaml", "json", "mermaid", "text"])
@pytest.mark.parametrize(("english", "chinese"), IN_BOTH, ids=lambda path: path.name)
def test_both_languages_show_the_same_code(english: Path, chinese: Path, kind: str) -> None:
    def code(document: Path) -> list[str]:
        return [re.sub(r" *#.*", "", block) for block in blocks(document, kind)]

    assert code(chinese) == code(english)


@pytest.mark.parametrize(("english", "chinese"), IN_BOTH, ids=lambda path: path.name)
def test_both_languages_have_the_same_shape(english: Path, chinese: Path) -> None:
    def shape(document: Path) -> list[str]:
        lines = document.read_text(encoding="utf-8").splitlines()
        return [re.sub(r"[^#|].*", "", line) for line in lines if line.startswith(("#", "|"))]

    assert shape(chinese) == shape(english)


def test_the_how_to_s_code_runs_from_its_first_block_to_its_last(tmp_path: Path) -> None:
    with WireServer(["Ready."], count=server_count) as wire:
        server = f"model: {{base_url: '{wire.url}'}}\n  embeddings: {{base_url: '{wire.url}'}}"
        agent = f"agent:\n  {server}\n  profile: high_stakes\n  storage: {{folder: data}}\n"
        (tmp_path / "agent.yaml").write_text(agent, encoding="utf-8")
        code = "\n".join(blocks(ROOT / "docs" / "how-to.md", "python"))
        run = [sys.executable, "-c", code]
        variables = environment(tmp_path, OLLAMA_HOST=wire.url)
        done = subprocess.run(run, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
        tools = [each["function"]["name"] for each in wire.chats[0]["tools"]]
    assert done.stdout.splitlines() == [
        "Ready.",
        "['All amounts must be in dollars']",
        "['All amounts must be in euros']",
        "OK. ['Never use red']",
    ], done.stderr
    assert "stock" in tools


def test_the_how_to_s_agent_files_load(tmp_path: Path) -> None:
    loaded = []
    for text in blocks(ROOT / "docs" / "how-to.md", "yaml"):
        (tmp_path / "agent.yaml").write_text(text, encoding="utf-8")
        loaded.append(load_settings(tmp_path / "agent.yaml"))
    on_profile, own, shared = loaded
    assert (on_profile.profile, on_profile.context_policy.recent_keep) == ("high_stakes", 30)
    assert on_profile.context_policy.key_turns == 8
    assert own.model.model_name == "qwen2.5:7b"
    assert shared.storage.checkpointer == shared.storage.store


def test_the_troubleshooting_names_only_commands_and_settings_that_there_are() -> None:
    known = {"explain", "ledger", "memory", "doctor", "sessions", "chat"}
    keys = ContextPolicy.model_fields.keys() | {"num_ctx"}
    text = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    named = re.findall(r"`ninefold (\w+)", text)
    assert len(named) >= 8
    assert set(named) <= known
    assert set(re.findall(r"(?:lower|raise|keep) `(?:context_policy\.)?(\w+)", text)) <= keys


def test_the_agent_file_of_many_machines_loads(tmp_path: Path) -> None:
    (text,) = blocks(ROOT / "docs" / "scale.md", "yaml")
    (tmp_path / "agent.yaml").write_text(text, encoding="utf-8")
    agent = load_settings(tmp_path / "agent.yaml")
    assert agent.storage.checkpointer == agent.storage.store
    assert agent.memory == MemorySettings(store="http://chroma:8000")


@pytest.mark.parametrize("document", [*DOCUMENTS, ROOT / "BENCHMARKS.md"], ids=lambda path: path.name)
def test_the_measurements_and_targets_that_a_document_names_are_there(document: Path) -> None:
    """They take minutes to hours, so here each is only asked whether it knows its options."""
    text = document.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= targets
    for module, options in re.findall(r"`python -m bench\.(\w+)([^`]*)`", text):
        file = ROOT / "bench" / f"{module}.py"
        source = (file if file.exists() else ROOT / "bench" / module / "__main__.py").read_text(encoding="utf-8")
        assert set(re.findall(r"--[a-z-]+", options)) <= set(re.findall(r'"(--[a-z-]+)"', source)), module


def test_the_documents_build_without_a_warning(tmp_path: Path) -> None:
    build = [str(Path(sys.executable).with_name("mkdocs")), "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {file.stem for file in (ROOT / "docs").glob("*.md")}
    assert pages <= {file.stem for file in tmp_path.glob("*.html")}
    for page in tmp_path.glob("*.html"):
        assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="https?:', page.read_text(encoding="utf-8")), page


def test_the_configuration_page_is_the_settings(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "tools/reference.py", "--check"], cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target
