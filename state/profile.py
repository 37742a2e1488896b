"""Profiles: sets of settings for one kind of work, each a YAML file that gives the reason of every value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel

from .errors import SettingsError

ProfileName = Literal["core", "short_chat", "support", "coding", "long_document", "high_stakes", "low_latency"]
PROFILES: Final[tuple[ProfileName, ...]] = get_args(ProfileName)


def with_profile(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give an agent's values with those of the profile that they name; what is given itself wins, key by key.

    Raises:
        SettingsError: there is no such profile.
    """
    name = given.get("profile")
    if not isinstance(name, str):
        return given
    if name not in PROFILES:
        raise SettingsError(f"There is no profile {name!r}.", f"Choose one of {', '.join(PROFILES)}.")
    return _over(given, profile_values(name))


@cache
def profile_values(name: ProfileName) -> Mapping[str, Any]:
    """Give what a profile sets, as agent.yaml would hold it under `agent:`.

    No profile sets a model, an embedder, a place or tools: those belong to a machine and not to a kind of work.
    """
    import yaml

    text = files("ninefold.state").joinpath("profiles", f"{name}.yaml").read_text(encoding="utf-8")
    values: Mapping[str, Any] = yaml.safe_load(text)
    return values


def _over(given: Mapping[str, Any], below: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in given.items():
        own = _set_in(value)
        base = below.get(key)
        merged[key] = value if own is None or not isinstance(base, Mapping) else _over(own, base)
    return merged


def _set_in(value: Any) -> Mapping[str, Any] | None:
    """Give the keys that were set themselves in a group of settings; None where the value is no group."""
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in value.model_fields_set}
    return value if isinstance(value, Mapping) else None
