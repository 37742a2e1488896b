"""Ollama's chat models and embedders, with every limit of a call said aloud."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ninefold.state import EmbeddingSettings, ModelSettings, SettingsError

if TYPE_CHECKING:
    from langchain_ollama import ChatOllama, OllamaEmbeddings

DEFAULT_URL = "http://localhost:11434"
_DEFAULT_PORT = 11434
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def ollama_chat(settings: ModelSettings) -> ChatOllama:
    """Give the chat model of these settings; nothing is asked of the server yet."""
    from langchain_ollama import ChatOllama

    return ChatOllama(
        model=settings.model_name,
        base_url=settings.base_url,
        temperature=settings.temperature,
        num_ctx=settings.num_ctx,
        num_predict=settings.num_predict,
        keep_alive=settings.keep_alive,
        client_kwargs=_client(settings.base_url, settings.timeout, settings.connect_timeout),
        async_client_kwargs=_no_pool(),
    )


def ollama_embeddings(settings: EmbeddingSettings) -> OllamaEmbeddings:
    """Give the embedder of these settings; nothing is asked of the server yet."""
    from langchain_ollama import OllamaEmbeddings

    return OllamaEmbeddings(
        model=settings.model_name,
        base_url=settings.base_url,
        client_kwargs=_client(settings.base_url, settings.timeout, min(settings.timeout, 5.0)),
    )


def server_url(host: str) -> str:
    """Give the URL that Ollama's own programs read from an OLLAMA_HOST such as "0.0.0.0", ":8080" or "http://a:1/b".

    Raises:
        SettingsError: the text is no host.
    """
    scheme, found, rest = host.strip().strip("\"'").rpartition("://")
    scheme = scheme or "http"
    parts = urlsplit(f"{scheme}://{rest}")
    try:
        port = parts.port
    except ValueError as error:
        raise SettingsError(f"OLLAMA_HOST holds no usable address: {host!r}.", "Set it as host:port.") from error
    name = parts.hostname or "localhost"
    # A server listens on every address, a client speaks to one.
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)
    bracketed = f"[{name}]" if ":" in name else name
    standard = {"https": 443}.get(scheme, 80) if found else _DEFAULT_PORT
    return f"{scheme}://{bracketed}:{port or standard}{parts.path.rstrip('/')}"


def _no_pool() -> dict[str, Any]:
    """Give the options of an async client that keeps no connection open.

    A kept one belongs to the event loop that opened it: the next turn under another `asyncio.run` would fail with
    "Event loop is closed".
    """
    import httpx

    return {"limits": httpx.Limits(max_keepalive_connections=0)}


def _client(url: str, timeout: float, connect_timeout: float) -> dict[str, Any]:
    """Give httpx's options: Ollama's own client waits for ever, and a proxy of the environment would hide loopback."""
    import httpx

    limits = httpx.Timeout(timeout, connect=connect_timeout)
    return {"timeout": limits, "trust_env": urlsplit(url).hostname not in _LOOPBACK}
