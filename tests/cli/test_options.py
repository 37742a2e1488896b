"""Which agent the command line means."""

from pathlib import Path

import pytest
import typer

from ninefold.cli.options import agent_settings
from ninefold.state import SettingsError


def test_without_options_it_is_the_default_agent() -> None:
    settings = agent_settings(None, None, {})
    assert (settings.model.base_url, settings.model.model_name) == ("http://localhost:11434", "qwen2.5:14b")


def test_ollama_host_stands_for_the_default_address_of_every_model(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text("agent:\n  light_model: {model_name: small}\n")
    settings = agent_settings(file, "ollama:qwen2.5-coder:0.5b", {"OLLAMA_HOST": "127.0.0.1:7"})
    assert settings.model.model_name == "qwen2.5-coder:0.5b"
    assert settings.light_model is not None
    assert not isinstance(settings.light_model, str)
    urls = {settings.model.base_url, settings.embeddings.base_url, settings.light_model.base_url}
    assert urls == {"http://127.0.0.1:7"}


def test_an_address_in_the_file_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text("agent:\n  model: {base_url: 'http://gpu:1'}\n")
    settings = agent_settings(file, None, {"OLLAMA_HOST": "127.0.0.1:7"})
    assert (settings.model.base_url, settings.embeddings.base_url) == ("http://gpu:1", "http://127.0.0.1:7")


def test_an_embedded_model_brings_its_embedder() -> None:
    settings = agent_settings(None, "embedded:/models/my.gguf", {})
    assert (settings.model.provider, settings.model.model_name) == ("embedded", "/models/my.gguf")
    assert settings.embeddings.provider == "embedded"


@pytest.mark.parametrize("named", ["qwen", "openai:gpt", "ollama:", ":x"])
def test_a_model_without_a_known_provider_is_wrong_usage(named: str) -> None:
    with pytest.raises(typer.BadParameter, match="PROVIDER:NAME"):
        agent_settings(None, named, {})


def test_an_unusable_ollama_host_is_a_named_error() -> None:
    with pytest.raises(SettingsError, match="OLLAMA_HOST"):
        agent_settings(None, None, {"OLLAMA_HOST": "gpu:many"})
