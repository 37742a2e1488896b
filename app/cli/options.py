"""Options that several commands share, and the agent they describe."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from ninefold.state import AgentSettings

    from ..wording import Wording

AgentFile = Annotated[Path | None, typer.Option("--agent", metavar="FILE", help="The agent's YAML file.")]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="PROVIDER:NAME", help="The chat model, as in ollama:qwen2.5:14b; also embedded:NAME."
    ),
]
ProfileOption = Annotated[
    str | None,
    typer.Option("--profile", metavar="NAME", help="Settings for one kind of work; the agent's own file wins."),
]
User = Annotated[str, typer.Option("--user", metavar="USER", help="Whose session and memories these are.")]
Lang = Annotated[Literal["zh", "en"] | None, typer.Option("--lang", help="The language of what ninefold itself says.")]

DEFAULT_USER = "local"


def named_agent(file: Path | None, model: str | None, profile: str | None = None) -> AgentSettings:
    """Give the agent of a file, or the default one, on the profile and with the model that were named.

    Raises:
        SettingsError: the file cannot be used, or there is no such profile.
    """
    from ninefold.state import AgentSettings

    from ..settings_file import load_settings

    # Without the file first: a name that does not exist is then told as the option's and not as a line of the file.
    settings = AgentSettings.model_validate({} if profile is None else {"profile": profile})
    if file is not None:
        settings = load_settings(file, profile=profile)
    return settings if model is None else _with_model(settings, model)


def agent_settings(file: Path | None, model: str | None, environment: Mapping[str, str] | None = None) -> AgentSettings:
    """Give the agent as its data folder was begun, with the model that was named and OLLAMA_HOST where it applies.

    Raises:
        SettingsError: the file or OLLAMA_HOST cannot be used.
        StorageError: the data folder cannot be used.
    """
    from ..first_start import resumed
    from ..home import data_folder

    settings = named_agent(file, model)
    return at_host(resumed(settings, data_folder(settings)), os.environ if environment is None else environment)


def wording(lang: str | None, settings: AgentSettings | None = None) -> Wording:
    """Give the sentences in the language that was asked for, else the agent's, else the locale's."""
    from ..wording import Wording, language_of

    chosen = lang or (settings.language.value if settings and settings.language else None)
    return Wording(language_of(os.environ, chosen))


def _with_model(settings: AgentSettings, named: str) -> AgentSettings:
    from ..first_start import with_model

    provider, _, name = named.partition(":")
    if provider not in ("ollama", "embedded") or not name:
        raise typer.BadParameter(
            f"{named!r} is not PROVIDER:NAME with the provider ollama or embedded.", param_hint="--model"
        )
    return with_model(settings, provider=provider, model_name=name)


def host_url(environment: Mapping[str, str]) -> str | None:
    """Give the address that Ollama's own variable names.

    Raises:
        SettingsError: it is none.
    """
    from ninefold.adapters.models.ollama import server_url

    host = environment.get("OLLAMA_HOST")
    return server_url(host) if host else None


def at_host(settings: AgentSettings, environment: Mapping[str, str]) -> AgentSettings:
    """Give the settings with Ollama's own variable for the address in place of the default one.

    It marks what it changes as named: a choice of the provider comes before it.

    Raises:
        SettingsError: OLLAMA_HOST holds no usable address.
    """
    from ninefold.adapters.models.ollama import DEFAULT_URL
    from ninefold.state import ModelSettings

    url = host_url(environment)
    if url is None:
        return settings
    light = settings.light_model
    change: dict[str, object] = {}
    if settings.model.base_url == DEFAULT_URL:
        change["model"] = settings.model.model_copy(update={"base_url": url})
    if settings.embeddings.base_url == DEFAULT_URL:
        change["embeddings"] = settings.embeddings.model_copy(update={"base_url": url})
    if isinstance(light, ModelSettings) and light.base_url == DEFAULT_URL:
        change["light_model"] = light.model_copy(update={"base_url": url})
    return settings.model_copy(update=change)
