"""`ninefold sessions`: what is kept, listed, shown, forked, renamed, deleted, and carried to another machine."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import DEFAULT_USER, AgentFile, Lang, User, agent_settings, wording

if TYPE_CHECKING:
    from ..sessions import Place, Session
    from ..wording import Wording

commands = typer.Typer(help="Look after the sessions that are kept.", no_args_is_help=True)

Thread = Annotated[str, typer.Argument(metavar="THREAD", help="The session's name.")]

_WORDS = 80
"""Characters of a session's last message that its line in the list shows."""


@commands.command("list", help="List your sessions, the last one first.")
def list_(
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    lang: Lang = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array with every field.")] = False,
) -> None:
    """List your sessions, the last one first."""
    from ..sessions import list_sessions

    with _place(agent, lang) as place:
        found = list_sessions(place, user)
        if as_json:
            print(_json(found))
        elif found:
            _table(found, place.words)
        else:
            print(place.words.say("sessions.none", folder=place.name, user=user))


@commands.command("show", help="Show everything that was said in a session.")
def show(thread: Thread, user: User = DEFAULT_USER, agent: AgentFile = None, lang: Lang = None) -> None:
    """Show everything that was said in a session."""
    from ..sessions import transcript

    with _place(agent, lang) as place:
        speakers = {"human": place.words.say("sessions.you"), "ai": place.words.say("sessions.agent")}
        for message in transcript(place, thread, user):
            text = str(message.text).strip()
            if text:
                print(f"{speakers.get(message.type, message.name or message.type)}: {text}\n")


@commands.command("fork", help="Go on from an earlier turn under a new name.")
def fork(
    thread: Thread,
    new: Annotated[str, typer.Option("--as", metavar="NEW", help="The new session's name.")],
    turn: Annotated[int | None, typer.Option("--turn", metavar="N", help="The turn; without it the last one.")] = None,
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    lang: Lang = None,
) -> None:
    """Make a session that goes on from a turn of another one."""
    from ..sessions import fork_session

    with _place(agent, lang) as place:
        number = fork_session(place, thread, user, new=new, turn=turn)
        print(place.words.say("sessions.forked", thread=thread, new=new, turn=number))


@commands.command("rename", help="Give a session another name.")
def rename(
    thread: Thread,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    lang: Lang = None,
) -> None:
    """Give a session another name."""
    from ..sessions import rename_session

    with _place(agent, lang) as place:
        rename_session(place, thread, user, new=new)
        print(place.words.say("sessions.renamed", thread=thread, new=new))


@commands.command("delete", help="Delete a session; its memories stay yours.")
def delete(
    thread: Thread,
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    lang: Lang = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask, which only a terminal does.")] = False,
) -> None:
    """Delete a session's checkpoints, archive and lock."""
    from ..sessions import delete_session

    with _place(agent, lang) as place:
        if sys.stdin.isatty() and not yes:
            typer.confirm(place.words.say("sessions.delete_ask", thread=thread), abort=True)
        turns = delete_session(place, thread, user)
        print(place.words.say("sessions.deleted", thread=thread, turns=turns))


@commands.command("export", help="Write a session as JSON lines that another machine can import.")
def export(
    thread: Thread,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to a file, not to stdout.")] = None,
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Keep the keys, passwords and card numbers that were said.")
    ] = False,
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    lang: Lang = None,
) -> None:
    """Write a session with its archive, constraints, summary, state and memories."""
    from ..sessions import export_session

    with _place(agent, lang) as place:
        lines = export_session(place, thread, user, with_secrets=with_secrets)
        if out is None:
            for line in lines:
                sys.stdout.buffer.write(line.encode())
            sys.stdout.buffer.flush()
            return
        _write(lines, out, place.words)
        secrets = place.words.say("sessions.secrets_kept" if with_secrets else "sessions.secrets_masked")
        print(place.words.say("sessions.exported", thread=thread, file=out, secrets=secrets))


@commands.command("import", help="Take in a session from an export.")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `export` wrote.")],
    new: Annotated[str | None, typer.Option("--as", metavar="NEW", help="The session's name here.")] = None,
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    lang: Lang = None,
) -> None:
    """Take in a session with all that its file holds, or nothing of it."""
    from ..sessions import import_session

    with _place(agent, lang) as place:
        found = import_session(place, file, user, new=new)
        words = place.words
        print(words.say("sessions.imported", thread=found.thread, turns=found.turns, memories=found.memories))
        if found.memory_off:
            print(words.say("sessions.import_memory_off"), file=sys.stderr)


@commands.command("vacuum", help="Give the disk back what deleted sessions held.")
def vacuum(agent: AgentFile = None, lang: Lang = None) -> None:
    """Give the disk back what deleted sessions held."""
    from ..sessions import vacuum as compact

    with _place(agent, lang) as place:
        before, after = (f"{size / 1e6:.1f}" for size in compact(place))
        print(place.words.say("sessions.vacuumed", before=before, after=after))


@contextmanager
def _place(agent: Path | None, lang: str | None) -> Iterator[Place]:
    from ..sessions import opened

    settings = agent_settings(agent, None)
    with opened(settings, wording(lang, settings)) as place:
        yield place


def _table(found: Iterable[Session], words: Wording) -> None:
    """Print a line for each session, no longer than a terminal is wide; in a pipe its words are cut alike."""
    from rich.cells import cell_len, set_cell_size
    from rich.console import Console

    sessions = [*found]
    width = Console().width if sys.stdout.isatty() else None
    longest = max(cell_len(session.thread) for session in sessions)
    for session in sessions:
        costs = words.say(
            "sessions.columns", turns=session.turns, tokens=session.tokens, compactions=session.compactions
        )
        damaged = f"{words.say('sessions.damaged')} " if session.damaged else ""
        name, at = set_cell_size(session.thread, longest), session.at[:16].replace("T", " ")
        said = " ".join(session.words.split())
        said = said if len(said) <= _WORDS else f"{said[: _WORDS - 1]}…"
        line = f"{name}  {at}  {costs}  {damaged}{said}"
        print((set_cell_size(line, width) if width else line).rstrip())


def _json(found: Iterable[Session]) -> str:
    import json
    from dataclasses import asdict

    return json.dumps([asdict(session) for session in found], ensure_ascii=False, indent=2)


def _write(lines: Iterable[str], out: Path, words: Wording) -> None:
    """Write a file that only its owner can read, whole or not at all.

    Raises:
        StorageError: it cannot be written.
    """
    import os
    import tempfile

    from ninefold.state import StorageError

    from ..translation import translated

    try:
        descriptor, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
            os.replace(name, out)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise StorageError(
            *words.refusal("sessions.unwritten", file=out, why=translated(str(error.strerror), words.language))
        ) from error
