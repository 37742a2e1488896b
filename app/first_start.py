"""The choice between Ollama and the embedded model: made once, at the first start, said aloud and kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, get_args

from ninefold.state import AgentSettings, EmbeddingSettings, ModelDown, ModelSettings, StorageError
from ninefold.state.settings import Provider

from .embedder import FILE as FILE
from .embedder import embedder_here, write_note

_PATIENCE = 2.0
"""Seconds for a server on this machine to say that it is there."""

Bring = Callable[[str], object]
"""Has an embedded model's weights on this machine, by name; what is there already is kept."""


class Choice(NamedTuple):
    """The agent with its provider, and whether it was chosen just now."""

    settings: AgentSettings
    new: bool


def chosen(settings: AgentSettings, folder: Path, bring: Bring, *, server: str | None = None) -> Choice:
    """Give the agent with the provider that this data folder was begun with; the first start chooses it.

    Ollama where it answers, else the embedded model. Later nothing is ever switched: memories belong to an embedder.
    A choice is written only when its model can answer, so that a start that failed or was stopped chooses anew.

    Args:
        settings: the agent, whose file names no model.
        folder: the data folder.
        bring: called for the embedded model, at every start: weights can be deleted.
        server: the address of Ollama that the person has named: a first start looks nowhere else.

    Raises:
        ModelDown: there is neither; the error names both remedies. Or `bring` found no source.
        ModelMissing: what `bring` found is not the model.
        StorageError: the choice cannot be read or written, or `bring` found no room.
    """
    kept = _read(folder / FILE)
    found = kept.provider or _found(settings, server)
    if found is None:
        return Choice(_with_embedder(settings, kept, folder), new=False)
    made = _with_embedder(with_model(settings, provider=found), kept, folder)
    if made.model.provider == "embedded":
        bring(made.model.model_name)
    if kept.provider is None:
        model, embedder = made.model, made.embeddings
        write_note(
            folder,
            {
                "provider": model.provider,
                "model": model.model_name,
                "embedder": f"{embedder.provider}:{embedder.model_name}",
            },
        )
    return Choice(made, new=kept.provider is None)


def resumed(settings: AgentSettings, folder: Path, *, own_model: bool = False) -> AgentSettings:
    """Give the agent with what this data folder was begun with: the provider and the embedder that it does not name.

    Another chat model changes nothing about the embedder: the memories were made by it.

    Args:
        settings: the agent.
        folder: the data folder.
        own_model: the caller has a chat model, so that only the embedder is taken from the folder.

    Raises:
        StorageError: the choice cannot be read.
    """
    kept = _read(folder / FILE)
    if kept.provider is not None and not own_model and "model" not in settings.model_fields_set:
        settings = with_model(settings, provider=kept.provider)
    return _with_embedder(settings, kept, folder)


def may_choose(settings: AgentSettings, folder: Path) -> bool:
    """Tell whether a first start would still choose, and could do without a server.

    Raises:
        StorageError: the choice cannot be read.
    """
    named = "model" in settings.model_fields_set
    return not named and _read(folder / FILE).provider is None and find_spec("xllamacpp") is not None


def with_model(settings: AgentSettings, **change: str) -> AgentSettings:
    """Give the agent with another chat model; what it does not name itself then has that model's defaults."""
    model = {**_named(settings.model), **change}
    return AgentSettings(**{**_named(settings), "model": ModelSettings(**model)})


def _named(value: AgentSettings | ModelSettings) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.model_fields_set}


def _with_embedder(settings: AgentSettings, kept: _Kept, folder: Path) -> AgentSettings:
    """Give the agent with the embedder of the data folder: the one that is noted, else the one of its memories."""
    if "embeddings" in settings.model_fields_set:
        return settings
    embedder = kept.embedder
    if embedder is None and settings.memory != "off" and settings.memory.store == "chroma":
        embedder = embedder_here(folder)
        if embedder is not None:
            write_note(folder, {"embedder": embedder})
    provider, _, name = (embedder or "").partition(":")
    if provider not in get_args(Provider):
        return settings
    embeddings = EmbeddingSettings.model_validate({"provider": provider, "model_name": name})
    return AgentSettings(**{**_named(settings), "embeddings": embeddings})


def _found(settings: AgentSettings, server: str | None) -> Provider | None:
    """Give the provider that a first start can have; None where the person's own server is not there to be chosen."""
    url = server or settings.model.base_url
    if _answers(url):
        return "ollama"
    if server is not None:
        return None
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


class _Kept(NamedTuple):
    """What a data folder was begun with; nothing before its first start, the embedder alone where a model was named."""

    provider: Provider | None = None
    embedder: str | None = None


def _read(file: Path) -> _Kept:
    try:
        noted = json.loads(file.read_text(encoding="utf-8"))
        provider, embedder = noted.get("provider"), noted.get("embedder")
    except FileNotFoundError:
        return _Kept()
    except (OSError, ValueError, AttributeError) as error:
        raise StorageError(f"{file} cannot be read: {error}.", "Remove it to choose the provider anew.") from error
    known = get_args(Provider)
    if provider not in (*known, None) or str(embedder).partition(":")[0] not in (*known, "None") or not noted:
        raise StorageError(f"{file} names no known provider.", "Remove it to choose the provider anew.")
    return _Kept(provider, embedder)
