"""What may keep an agent from working well on this machine, each finding with the command that mends it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import assert_never

from ninefold.state import AgentSettings

from .finding import Finding, Level

__all__ = ["Finding", "Level", "examine"]


def examine(settings: AgentSettings, folder: Path, *, free: bool = False) -> Iterator[Finding]:
    """Give the findings one by one, as they are made; nothing is changed and nothing is loaded into a server.

    Args:
        settings: the agent.
        folder: the data folder.
        free: the first chat may still choose the embedded model, so that no server need be there.
    """
    from . import here, ollama

    yield from here.disk(folder)
    yield from here.databases(folder)
    yield from here.locks(folder)
    yield from here.window(settings)
    match settings.model.provider:
        case "ollama":
            yield from ollama.server(settings, needed=not free)
        case "embedded":
            yield from here.embedded(settings, folder)
        case never:
            assert_never(never)
    yield from here.memories(settings, folder)
