"""`doctor` finds what is wrong and names the command that mends it."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from ninefold import build_graph
from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.cli import run
from ninefold.doctor import Finding, Level, examine, here, ollama
from ninefold.memories import memory_of
from ninefold.state import AgentSettings, MemoryKind, MemoryRecord
from tests.wire.server import Body, WireServer, nobody_there

GIB = 1 << 30
INFO = {
    "general.architecture": "qwen2",
    "qwen2.block_count": 48,
    "qwen2.embedding_length": 5120,
    "qwen2.attention.head_count": 40,
    "qwen2.attention.head_count_kv": 8,
}
PULLED: dict[str, Body] = {
    "qwen2.5:14b": {"size": 9 * GIB, "details": {"quantization_level": "Q4_K_M"}},
    "bge-m3:latest": {"size": 1 * GIB},
}


RECORD = MemoryRecord(
    id="m1",
    user="ann",
    kind=MemoryKind.FACT,
    text="端口是 18443",
    created="2026-01-01T00:00:00+08:00",
    thread="t",
    turn="1",
)


def settings(url: str, **more: Any) -> AgentSettings:
    return AgentSettings.model_validate({"model": {"base_url": url}, "embeddings": {"base_url": url}, **more})


def findings(wire: WireServer, folder: Path, **more: Any) -> dict[str, Finding]:
    return {finding.key: finding for finding in examine(settings(wire.url, **more), folder)}


def test_a_server_with_both_models_that_fit_is_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama, "_memory", lambda: 64 * GIB)
    with WireServer(models=PULLED, info=INFO, loaded=["qwen2.5:14b", "bge-m3:latest"]) as wire:
        found = findings(wire, tmp_path)
    assert {finding.level for finding in found.values()} == {Level.GOOD}
    # 9 + 1 GiB of weights and 192 KiB for each of 8,192 tokens.
    assert found["doctor.fits"].values["need"] == "11.5"
    assert wire.chats == wire.embeds == [], "looking loads no model"


def test_too_little_memory_proposes_the_smaller_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama, "_memory", lambda: 16 * GIB)
    with WireServer(models=PULLED, info=INFO) as wire:
        found = findings(wire, tmp_path)["doctor.too_big"]
    assert found.level is Level.WARNING
    assert "ollama pull qwen2.5:7b" in (found.command or "")


def test_a_server_that_is_down_is_a_fault(tmp_path: Path) -> None:
    found = {finding.key: finding for finding in examine(settings(nobody_there()), tmp_path)}
    assert (found["doctor.server_down"].level, found["doctor.server_down"].command) == (Level.FAULT, "ollama serve")


def test_each_model_that_is_not_pulled_has_its_own_command(tmp_path: Path) -> None:
    with WireServer(models=["other"]) as wire:
        commands = [finding.command for finding in examine(settings(wire.url), tmp_path) if finding.command]
        without = [
            finding.command for finding in examine(settings(wire.url, memory="off"), tmp_path) if finding.command
        ]
    assert commands == ["ollama pull qwen2.5:14b", "ollama pull bge-m3"]
    assert without == ["ollama pull qwen2.5:14b"]


def test_models_that_drive_each_other_out_and_heavy_ones_are_warned_of(tmp_path: Path) -> None:
    heavy = {**PULLED, "qwen2.5:14b": {"size": GIB, "details": {"quantization_level": "F16"}}}
    with WireServer(models=heavy, info=INFO, loaded=["qwen2.5:14b"]) as wire:
        found = findings(wire, tmp_path)
    assert "OLLAMA_MAX_LOADED_MODELS=2" in (found["doctor.not_resident"].command or "")
    assert found["doctor.not_quantised"].values["level"] == "F16"


@pytest.mark.parametrize(("keep", "warned"), [(10, True), (15, True), (20, False), (30, True), (40, True)])
def test_a_window_outside_of_what_was_seen_to_work_is_warned_of(tmp_path: Path, keep: int, warned: bool) -> None:
    agent = settings(nobody_there(), context_policy={"recent_keep": keep})
    assert ("doctor.recent_keep" in {finding.key for finding in examine(agent, tmp_path)}) is warned


def test_an_embedded_model_without_weights_names_the_pull(tmp_path: Path) -> None:
    agent = AgentSettings.model_validate({"model": {"provider": "embedded", "model_name": "smollm2-135m"}})
    commands = [finding.command for finding in examine(agent, tmp_path)]
    assert "ninefold models pull smollm2-135m" in commands


def test_a_turn_under_way_is_counted(tmp_path: Path) -> None:
    from ninefold.graph.locks import FileLocks

    lock = FileLocks(tmp_path / "locks")("t1")
    assert lock.try_acquire()
    found = {finding.key: finding for finding in examine(settings(nobody_there()), tmp_path)}
    assert found["doctor.locks"].values["count"] == 1
    lock.release()


def test_the_command_prints_each_finding_and_leaves_with_1_at_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = nobody_there()
    monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
    monkeypatch.setenv("OLLAMA_HOST", url)
    assert run(["doctor", "--lang", "zh"]) == 1
    lines = capsys.readouterr().out.splitlines()
    at = lines.index(f"✗ {url} 没有 Ollama 应答（ConnectError）")
    assert lines[at + 1] == "    → ollama serve"


def test_memories_of_another_embedder_are_a_fault(tmp_path: Path) -> None:
    with WireServer() as wire:
        store = memory_of(settings(wire.url), tmp_path)
        assert isinstance(store, ChromaMemory)
        store.write([RECORD])
        store.close()
        assert findings(wire, tmp_path)["doctor.memory"].level is Level.GOOD
        other = AgentSettings.model_validate(
            {"model": {"base_url": wire.url}, "embeddings": {"base_url": wire.url, "model_name": "other"}}
        )
        faults = [finding for finding in examine(other, tmp_path) if finding.level is Level.FAULT]
    assert faults[-1].command == "ninefold memory reembed"


def well(agent: AgentSettings, folder: Path) -> bool:
    return not any(finding.level is Level.FAULT for finding in examine(agent, folder))


def command(agent: AgentSettings, folder: Path) -> str:
    (mends,) = {finding.command for finding in examine(agent, folder) if finding.level is not Level.GOOD}
    assert mends is not None
    return mends


@pytest.mark.parametrize("name", ["checkpoints.sqlite", "archive.sqlite"])
def test_a_damaged_database_is_named_and_its_command_mends_it(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "with a blank"
    with WireServer(models=PULLED) as wire:
        for text in ("A.", "B."):
            graph = build_graph(settings(wire.url, storage={"folder": str(folder)}))
            graph.invoke({"messages": [("user", text)]}, {"configurable": {"thread_id": text}})
            (folder / name).write_bytes(b"no database" * 100)
            for beside in folder.glob(f"{name}-*"):
                beside.unlink()
            agent = settings(wire.url)
            assert not well(agent, folder)
            subprocess.run(["sh", "-c", command(agent, folder)], check=True)
            assert well(agent, folder)


def test_a_damaged_database_is_set_aside_with_the_turns_that_lie_beside_it(tmp_path: Path) -> None:
    (tmp_path / "archive.sqlite").write_bytes(b"no database" * 100)
    (tmp_path / "archive.sqlite-wal").write_bytes(b"the newest turns")
    (damaged,) = here.databases(tmp_path)
    subprocess.run(["sh", "-c", damaged.command or ""], check=True)
    assert (tmp_path / "archive.sqlite.damaged-wal").read_bytes() == b"the newest turns"
    assert list(here.databases(tmp_path)) == []


def test_a_database_that_another_process_holds_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(here, "_PATIENCE", 0.1)
    with closing(sqlite3.connect(tmp_path / "checkpoints.sqlite")) as holder:
        holder.execute("CREATE TABLE t (x)")
        holder.execute("BEGIN EXCLUSIVE")
        found = {each.key: each.level for each in here.databases(tmp_path)}
    assert found == {"doctor.not_looked_at": Level.WARNING}


def test_what_is_named_mends_the_agents_file_the_server_and_the_memories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ollama, "_memory", lambda: 64 * GIB)
    monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
    port = int(nobody_there().rpartition(":")[2])
    url = f"http://127.0.0.1:{port}"
    embedder = {"base_url": url, "model_name": "other"}
    agent = settings(url, context_policy={"recent_keep": 40})
    assert {finding.command for finding in examine(agent, tmp_path) if finding.level is not Level.GOOD} == {
        "context_policy: {recent_keep: 20}",
        "ollama serve",
    }
    with WireServer(models={**PULLED, "bge-m3": {"size": GIB}, "other": {"size": GIB}}, info=INFO, port=port) as wire:
        mended = settings(url, **yaml.safe_load(command(agent, tmp_path)))
        assert well(mended, tmp_path)
        store = memory_of(mended, tmp_path)
        assert isinstance(store, ChromaMemory)
        store.write([RECORD])
        store.close()
        file = tmp_path / "agent.yaml"
        other = {"model": {"base_url": url}, "embeddings": embedder}
        file.write_text(yaml.safe_dump({"agent": other}), encoding="utf-8")
        named = command(AgentSettings.model_validate(other), tmp_path).split()
        assert run([*named[1:], "--agent", str(file)]) == 0
        assert well(AgentSettings.model_validate(other), tmp_path)
        assert wire.chats == []
