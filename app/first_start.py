"""The choice between Ollama and the embedded model: made once, at the first start, said aloud and kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from ninefold.state import AgentSettings, ModelDown, ModelSettings, StorageError
from ninefold.state.settings import Provider

from .embedder import FILE as FILE

_PATIENCE = 2.0
"""Seconds for a server on this machine to say that it is there."""

Bring = Callable[[str], object]
"""Has an embedded model's weights on this machine, by name; what is there already is kept."""


class Choice(NamedTuple):
    """The agent with its provider, and whether it was chosen just now."""

    settings: AgentSettings
    new: bool


def chosen(settings: AgentSettings, folder: Path, bring: Bring) -> Choice:
    """Give the agent with the provider that this data folder was begun with; the first start chooses it.

    Ollama where it answers, else the embedded model. Later nothing is ever switched: memories belong to an embedder.
    A choice is written only when its model can answer, so that a start that failed or was stopped chooses anew.

    Args:
        settings: the agent, whose file names no model.
        folder: the data folder.
        bring: called for the embedded model, at every start: weights can be deleted.

    Raises:
        ModelDown: there is neither; the error names both remedies. Or `bring` found no source.
        ModelMissing: what `bring` found is not the model.
        StorageError: the choice cannot be read or written, or `bring` found no room.
    """
    kept = _read(folder / FILE)
    choice = Choice(with_model(settings, provider=kept or _found(settings)), new=kept is None)
    if choice.settings.model.provider == "embedded":
        bring(choice.settings.model.model_name)
    if choice.new:
        _write(folder / FILE, choice.settings)
    return choice


def resumed(settings: AgentSettings, folder: Path) -> AgentSettings:
    """Give the agent with the provider that this data folder was begun with, where one was chosen and none is named.

    Raises:
        StorageError: the choice cannot be read.
    """
    kept = None if "model" in settings.model_fields_set else _read(folder / FILE)
    return settings if kept is None else with_model(settings, provider=kept)


def may_choose(settings: AgentSettings, folder: Path) -> bool:
    """Tell whether a first start would still choose, and could do without a server.

    Raises:
        StorageError: the choice cannot be read.
    """
    named = "model" in settings.model_fields_set
    return not named and _read(folder / FILE) is None and find_spec("xllamacpp") is not None


def with_model(settings: AgentSettings, **change: str) -> AgentSettings:
    """Give the agent with another chat model; what it does not name itself then has that model's defaults."""
    model = {**_named(settings.model), **change}
    return AgentSettings(**{**_named(settings), "model": ModelSettings(**model)})


def _named(value: AgentSettings | ModelSettings) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.model_fields_set}


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
