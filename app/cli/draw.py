"""`ninefold draw`: the turn's graph, without a network."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from .options import AgentFile

if TYPE_CHECKING:
    from ninefold.graph.guard import TurnGraph


HELP = "Draw the graph of a turn."


class Format(StrEnum):
    """How the graph is drawn."""

    MERMAID = "mermaid"
    ASCII = "ascii"
    SVG = "svg"
    PNG = "png"


def draw(
    form: Annotated[Format, typer.Option("--format", help="How to draw it.")] = Format.MERMAID,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to a file, not to stdout.")] = None,
    agent: AgentFile = None,
) -> None:
    """Draw the graph of a turn."""
    from ninefold.graph import drawing
    from ninefold.state import StorageError

    graph = _graph(agent)
    match form:
        case Format.MERMAID:
            drawn = drawing.mermaid(graph).encode()
        case Format.ASCII:
            drawn = drawing.ascii_art(graph).encode()
        case Format.SVG:
            drawn = drawing.svg(graph).encode()
        case Format.PNG:
            drawn = drawing.png(graph)
        case _:
            assert_never(form)
    if out is None:
        sys.stdout.buffer.write(drawn)
        sys.stdout.buffer.flush()
        return
    try:
        out.write_bytes(drawn)
    except OSError as error:
        raise StorageError(f"{out} cannot be written: {error.strerror}.", "Name another file with --out.") from error


def _graph(agent: Path | None) -> TurnGraph:
    """Give the agent's graph with nothing behind it: drawing opens no database, no memory and no data folder."""
    import tempfile

    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.store.memory import InMemoryStore

    from ninefold.state import AgentSettings

    from .. import build_graph
    from ..settings_file import load_settings

    settings = load_settings(agent) if agent else AgentSettings()
    with tempfile.TemporaryDirectory() as folder:
        storage = settings.storage.model_copy(update={"folder": folder})
        without = settings.model_copy(update={"memory": "off", "storage": storage})
        return build_graph(without, checkpointer=InMemorySaver(), store=InMemoryStore())
