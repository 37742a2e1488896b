"""One finding."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

_NOTHING: Mapping[str, object] = MappingProxyType({})


class Level(StrEnum):
    """How bad it is."""

    GOOD = "good"
    WARNING = "warning"
    FAULT = "fault"


class Finding(NamedTuple):
    """Something looked at: how it is, the sentence's key with its values, and what mends it."""

    level: Level
    key: str
    values: Mapping[str, object] = _NOTHING
    command: str | None = None
