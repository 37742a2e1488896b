"""Ollama or the embedded model: chosen once, never switched."""

import json
from pathlib import Path

import pytest

from ninefold import first_start
from ninefold.first_start import chosen
from ninefold.state import AgentSettings, ModelDown, ModelSettings, StorageError
from tests.wire.server import WireServer, nobody_there


def at(url: str) -> AgentSettings:
    return AgentSettings(model=ModelSettings(base_url=url))


def test_ollama_is_chosen_where_it_answers_and_stays_when_it_is_gone(tmp_path: Path) -> None:
    with WireServer() as wire:
        assert chosen(at(wire.url), tmp_path) == (at(wire.url), True)
    assert chosen(at(wire.url), tmp_path) == (at(wire.url), False)


def test_the_embedded_model_is_chosen_with_its_embedder_and_stays_when_ollama_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_start, "find_spec", lambda name: object())
    settings, new = chosen(at(nobody_there()), tmp_path)
    assert new
    assert (settings.model.provider, settings.embeddings.provider) == ("embedded", "embedded")
    kept = json.loads((tmp_path / first_start.FILE).read_text())
    assert kept["provider"] == "embedded"
    assert kept["embedder"].startswith("embedded:")
    with WireServer() as wire:
        later = chosen(at(wire.url), tmp_path)
    assert (later.settings.model.provider, later.new) == ("embedded", False)


def test_with_neither_both_remedies_are_named_and_nothing_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_start, "find_spec", lambda name: None)
    with pytest.raises(ModelDown, match=r"ollama serve.*ninefold models pull"):
        chosen(at(nobody_there()), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"provider": "x"}'])
def test_a_choice_that_cannot_be_read_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / first_start.FILE).write_text(content)
    with pytest.raises(StorageError, match=r"provider\.json"):
        chosen(AgentSettings(), tmp_path)
