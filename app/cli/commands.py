"""The commands and their options; what they need is imported when one runs, so that `--help` is there at once."""

from __future__ import annotations

from typing import Any

import typer

from ninefold.state.turn import Language

HELP = "An agent that keeps its rules, its facts and its window."

_HELP_OPTIONS = ["-h", "--help"]
_PANELS = {"option": "选项", "argument": "参数"}


def application(language: Language = Language.ENGLISH) -> Any:
    """Give the command line with every command; its options explain themselves in the language."""
    from . import chat, doctor, draw, explain, ledger, mcp, memory, models, serve, sessions, version

    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": _HELP_OPTIONS},
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
    """Put what a command and its options say of themselves, and the commands below it, into a language."""
    from ..translation import translated

    command.help = translated(command.help, language)
    command.options_metavar = "[选项]"
    usage = command.get_usage
    command.get_usage = lambda context: usage(context).replace("Usage: ", "用法：", 1)
    for option in [*command.params, command.get_help_option(typer.Context(command, help_option_names=_HELP_OPTIONS))]:
        option.rich_help_panel = _PANELS[option.param_type_name]
        if option.help:
            option.help = translated(option.help, language)
        if option.show_default and option.default not in (None, False):
            option.help, option.show_default = f"{option.help}默认：{option.default}", False
    for below in getattr(command, "commands", {}).values():
        command.subcommand_metavar = "命令 [参数]..."
        below.rich_help_panel = "命令"
        _explain_in(below, language)
