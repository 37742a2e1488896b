"""The commands and their options; what they need is imported when one runs, so that `--help` is there at once."""

from __future__ import annotations

import typer

HELP = "An agent that keeps its rules, its facts and its window. 一个守得住规则、事实和窗口的智能体。"


def application() -> typer.Typer:
    """Give the command line with every command."""
    from . import chat, doctor, draw, explain, ledger, memory, models, sessions, version

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
    app.add_typer(sessions.commands, name="sessions")
    app.add_typer(memory.commands, name="memory")
    app.add_typer(models.commands, name="models")
    return app
