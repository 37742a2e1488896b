"""Ollama's addresses and embedder."""

import pytest

from ninefold.adapters.models.ollama import ollama_chat, ollama_embeddings, server_url
from ninefold.state import EmbeddingSettings, ModelSettings, SettingsError
from tests.wire.server import WireServer


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("127.0.0.1:7000", "http://127.0.0.1:7000"),
        (":8080", "http://localhost:8080"),
        ("http://gpu.local", "http://gpu.local:80"),
        ("https://gpu.local/ollama/", "https://gpu.local:443/ollama"),
        ("[::1]:99", "http://[::1]:99"),
        (" 'gpu' ", "http://gpu:11434"),
    ],
)
def test_ollama_host_is_read_as_ollama_reads_it(host: str, url: str) -> None:
    assert server_url(host) == url


def test_an_unusable_ollama_host_is_named() -> None:
    with pytest.raises(SettingsError, match="OLLAMA_HOST"):
        server_url("gpu:many")


def test_embeddings_come_over_the_wire_in_one_request() -> None:
    with WireServer() as wire:
        embedder = ollama_embeddings(EmbeddingSettings(base_url=wire.url))
        first, second, other = embedder.embed_documents(["端口是 18443", "端口是 18443", "不要用红色"])
    assert first == second
    assert first != other
    assert [(sent["model"], len(sent["input"])) for sent in wire.embeds] == [("bge-m3", 3)]


def test_a_proxy_of_the_environment_does_not_hide_the_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with WireServer() as wire:
        assert ollama_chat(ModelSettings(base_url=wire.url)).invoke("hi").content == "OK."
