"""`ninefold chat`: a conversation in the terminal or through a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from .beginning import asking, begun, warm, with_rule
from .options import DEFAULT_USER, AgentFile, Lang, ModelName, ProfileOption, User, named_agent, wording

if TYPE_CHECKING:
    from ninefold.state import AgentSettings

    from ..console.conversation import Conversation
    from ..wording import Wording


HELP = "Talk with the agent; lines come from stdin when it is no terminal."


def chat(
    thread: Annotated[
        str | None, typer.Option("--thread", metavar="THREAD", help="The session to go on with; without it a new one.")
    ] = None,
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    model: ModelName = None,
    profile: ProfileOption = None,
    say: Annotated[
        list[str] | None, typer.Option("--say", metavar="TEXT", help="Say this and leave; may be given several times.")
    ] = None,
    lang: Lang = None,
) -> None:
    """Talk with the agent; lines come from stdin when it is no terminal."""
    from ninefold.state import InputError

    if say is not None and not all(text.strip() for text in say):
        raise InputError("The message is empty.", "Say something: a message needs at least one character of text.")
    settings = named_agent(agent, model, profile)
    words = wording(lang, settings)
    settings = begun(settings, words)
    if say or not sys.stdin.isatty():
        raise typer.Exit(_pipe(settings, thread, user, say, words))
    _terminal(settings, thread, user, words)


def _pipe(settings: AgentSettings, thread: str | None, user: str, say: list[str] | None, words: Wording) -> int:
    from ninefold.state import ConflictRule, NinefoldError

    from ..console.plain import argument, converse, lines_of
    from ..sessions.names import new_thread

    rule = settings.constraints.on_conflict
    settings = with_rule(settings, ConflictRule.NEWEST if rule is ConflictRule.ASK else rule)
    warm(settings, words)
    name = new_thread() if thread is None else thread
    lines = map(argument, say) if say else lines_of(sys.stdin.buffer, words)
    try:
        return converse(_conversation(settings, name, user), lines, words)
    except (NinefoldError, KeyboardInterrupt):
        if thread is None:
            print(words.say("chat.go_on", thread=name), file=sys.stderr)
        raise


def _terminal(settings: AgentSettings, thread: str | None, user: str, words: Wording) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from rich.console import Console

    from ..console.lines import HISTORY, line_reader
    from ..console.terminal import Terminal
    from ..home import data_folder
    from ..sessions.names import new_thread

    settings = asking(settings)
    warm(settings, words)
    console = Console(highlight=False)
    kept = data_folder(settings) / HISTORY
    name = new_thread() if thread is None else thread
    named = f"{settings.model.provider}:{settings.model.model_name}"
    console.print(words.say("chat.hello", model=named, thread=name), style="bold", markup=False)
    console.print(words.say("chat.hint"), style="dim", markup=False)
    with ThreadPoolExecutor(1) as background:
        opening = background.submit(_conversation, settings, name, user)
        Terminal(opening, words, line_reader(kept), console).converse(known_thread=thread is not None)
    console.print(words.say("chat.go_on", thread=name), style="dim", markup=False)


def _conversation(settings: AgentSettings, thread: str, user: str) -> Conversation:
    from .. import build_graph
    from ..console.conversation import Conversation
    from ..home import data_folder

    folder = data_folder(settings)
    return Conversation(build_graph(settings), thread, user, num_ctx=settings.model.num_ctx, folder=folder)
