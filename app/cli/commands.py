"""The commands and their options; what they need is imported when one runs, so that `--help` is there at once."""

from __future__ import annotations

from typing import Any

import typer

from ninefold.state.turn import Language

HELP = "An agent that keeps its rules, its facts and its window. 一个守得住规则、事实和窗口的智能体。"


def application(language: Language = Language.ENGLISH) -> Any:
    """Give the command line with every command; its options explain themselves in the language."""
    from . import chat, doctor, draw, explain, ledger, mcp, memory, models, serve, sessions, version

    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(help=HELP)(version.options)
    app.command(help=chat.HELP)(chat.chat)
    app.command(help=draw.HELP)(draw.draw)
    app.command(help=doctor.HELP)(doctor.doctor)
    app.command(help=explain.HELP)(explain.explain)
    app.command(help=ledger.HELP)(ledger.ledger)
    app.command(help=serve.HELP)(serve.serve)
    app.command(help=mcp.HELP)(mcp.mcp)
    app.add_typer(sessions.commands, name="sessions")
    app.add_typer(memory.commands, name="memory")
    app.add_typer(models.commands, name="models")
    made: Any = typer.main.get_command(app)
    if language is Language.CHINESE:
        _explain_in(made, language)
    return made


def _explain_in(command: Any, language: Language) -> None:
    """Put the explanations of a command's options, and of the commands below it, into a language."""
    from ..translation import translated

    for option in command.params:
        if text := getattr(option, "help", None):
            option.help = translated(text, language)
    for below in getattr(command, "commands", {}).values():
        _explain_in(below, language)
