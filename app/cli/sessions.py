"""`ninefold sessions`: what is kept, listed and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .options import DEFAULT_USER, AgentFile, Lang, User, wording

if TYPE_CHECKING:
    from pathlib import Path

commands = typer.Typer(help="List and show the sessions that are kept. 列出和查看会话。", no_args_is_help=True)


@commands.command("list", help="List your sessions, the last one first. 列出会话。")
def list_(user: User = DEFAULT_USER, agent: AgentFile = None, lang: Lang = None) -> None:
    """List your sessions, the last one first."""
    from rich.cells import set_cell_size
    from rich.console import Console

    from ..sessions import list_sessions

    folder, words = _folder(agent), wording(lang)
    found = list_sessions(folder, user)
    if not found:
        print(words.say("sessions.none", folder=folder))
    width = Console().width if found else 0
    longest = max((len(session.thread) for session in found), default=0)
    for session in found:
        line = f"{session.thread:<{longest}}  {session.at[:16].replace('T', ' ')}  {session.turns:>4}  {session.words}"
        print(set_cell_size(line, width).rstrip())


@commands.command("show", help="Show everything that was said in a session. 查看一个会话的全部内容。")
def show(
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="The session's name.")],
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    lang: Lang = None,
) -> None:
    """Show everything that was said in a session."""
    from ninefold.state import InputError

    from ..sessions import transcript

    words = wording(lang)
    messages = transcript(_folder(agent), thread, user)
    if messages is None:
        raise InputError(words.say("sessions.unknown", thread=thread), words.say("sessions.unknown_next"))
    speakers = {"human": words.say("sessions.you"), "ai": words.say("sessions.agent")}
    for message in messages:
        text = str(message.text).strip()
        if text:
            print(f"{speakers.get(message.type, message.name or message.type)}: {text}\n")


def _folder(agent: Path | None) -> Path:
    from ..home import data_folder
    from ..settings_file import load_settings

    return data_folder(load_settings(agent) if agent else None)
