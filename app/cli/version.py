"""The options of `ninefold` itself."""

from __future__ import annotations

from typing import Annotated

import typer


def _show(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"ninefold {version('ninefold')}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """An agent that keeps its rules, its facts and its window."""
