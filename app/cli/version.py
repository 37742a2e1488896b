"""The options of `ninefold` itself."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .options import Lang


def _show(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"ninefold {version('ninefold')}")
        raise typer.Exit


def options(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show, is_eager=True, help="Show the version.")
    ] = False,
    lang: Lang = None,
) -> None:
    """An agent that keeps its rules, its facts and its window."""
    if lang is not None:
        context.default_map = _speaking(context.command, lang)


def _speaking(command: Any, lang: str) -> dict[str, Any]:
    """Give the defaults of the commands below a command, by which each speaks the language."""
    below = getattr(command, "commands", {})
    return {name: {"lang": lang, **_speaking(each, lang)} for name, each in below.items()}
