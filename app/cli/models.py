"""`ninefold models`: the weights that can be had without a model server."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import AgentFile, Lang, named_agent, wording

if TYPE_CHECKING:
    from ninefold.state import AgentSettings

commands = typer.Typer(help="List and pull embedded models.", no_args_is_help=True)


@commands.command("list", help="List the models that can be pulled, and those that are here.")
def list_(agent: AgentFile = None, lang: Lang = None) -> None:
    """List the models that can be pulled, and those that are here."""
    from ninefold.adapters.weights.pull import list_models

    from ..home import data_folder

    settings = named_agent(agent, None)
    words = wording(lang, settings)
    for status in list_models(data_folder(settings)):
        weights = status.weights
        here = words.say("models.here") if status.path else words.say("models.not_here")
        print(f"{weights.name:<22}{weights.size / 1e6:>7.0f} MB  {here}  {weights.about}")


@commands.command("pull", help="Bring a model onto this machine, whole and checked; a broken pull goes on.")
def pull(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="The model; without it the default one.")] = None,
    source: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Take this file in place of a download.")
    ] = None,
    agent: AgentFile = None,
    lang: Lang = None,
) -> None:
    """Bring a model onto this machine, whole and checked; a broken pull goes on."""
    from ninefold.adapters.weights.catalogue import DEFAULT_MODEL
    from ninefold.adapters.weights.pull import pull as pull_weights

    from ..home import data_folder

    settings = named_agent(agent, None)
    words, wanted = wording(lang, settings), name or _named(settings) or DEFAULT_MODEL
    with progress_bar(words.say("models.pulling", name=wanted)) as report:
        path = pull_weights(wanted, data_folder(settings), source=source, progress=report)
    print(words.say("models.pulled", name=wanted, path=path))


def _named(settings: AgentSettings) -> str | None:
    """Give the embedded model that an agent names itself."""
    own = "model" in settings.model_fields_set and settings.model.provider == "embedded"
    return settings.model.model_name if own else None


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Give what shows the bytes done: a bar on stderr in a terminal, nothing in a pipe."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, whole: progress.update(task, completed=done, total=whole)
