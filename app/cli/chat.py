"""`ninefold chat`: a conversation in the terminal or through a pipe."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from .models import progress_bar
from .options import DEFAULT_USER, AgentFile, Lang, ModelName, User, at_host, host_url, named_agent, wording

if TYPE_CHECKING:
    from ninefold.state import AgentSettings

    from ..console.conversation import Conversation
    from ..wording import Wording


HELP = "Talk with the agent; lines come from stdin when it is no terminal. 与智能体对话。"


def chat(
    thread: Annotated[
        str | None, typer.Option("--thread", metavar="THREAD", help="The session to go on with; without it a new one.")
    ] = None,
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    model: ModelName = None,
    say: Annotated[
        list[str] | None, typer.Option("--say", metavar="TEXT", help="Say this and leave; may be given several times.")
    ] = None,
    lang: Lang = None,
) -> None:
    """Talk with the agent; lines come from stdin when it is no terminal."""
    from ninefold.state import InputError

    if say is not None and not all(text.strip() for text in say):
        raise InputError("The message is empty.", "Say something: a message needs at least one character of text.")
    settings = named_agent(agent, model)
    words = wording(lang, settings)
    settings = _begun(settings, words)
    if say or not sys.stdin.isatty():
        raise typer.Exit(_pipe(settings, thread, user, say, words))
    _terminal(settings, thread, user, words)


def _pipe(settings: AgentSettings, thread: str | None, user: str, say: list[str] | None, words: Wording) -> int:
    from ninefold.state import ConflictRule, NinefoldError

    from ..console.plain import argument, converse, lines_of

    rule = settings.constraints.on_conflict
    settings = _with_rule(settings, ConflictRule.NEWEST if rule is ConflictRule.ASK else rule)
    warm(settings, words)
    name = _new_thread() if thread is None else thread
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

    from ninefold.state import ConflictRule

    from ..console.lines import HISTORY, line_reader, scrub
    from ..console.terminal import Terminal
    from ..home import data_folder

    if "on_conflict" not in settings.constraints.model_fields_set:
        settings = _with_rule(settings, ConflictRule.ASK)
    warm(settings, words)
    console = Console(highlight=False)
    kept = data_folder(settings) / HISTORY
    name = _new_thread() if thread is None else thread
    named = f"{settings.model.provider}:{settings.model.model_name}"
    console.print(words.say("chat.hello", model=named, thread=name), style="bold", markup=False)
    console.print(words.say("chat.hint"), style="dim", markup=False)
    with ThreadPoolExecutor(1) as background:
        opening = background.submit(_conversation, settings, name, user)
        Terminal(opening, words, line_reader(kept), console, lambda said: scrub(kept, said)).converse(
            known_thread=thread is not None
        )
    console.print(words.say("chat.go_on", thread=name), style="dim", markup=False)


def _begun(settings: AgentSettings, words: Wording) -> AgentSettings:
    """Give the agent as its data folder was begun; a choice that is made now is said aloud, and one that is not."""
    from ..first_start import FILE, chosen, resumed
    from ..home import data_folder

    folder, url = data_folder(settings), host_url(os.environ)
    if "model" in settings.model_fields_set:
        return at_host(resumed(settings, folder), os.environ)
    choice = chosen(settings, folder, lambda name: _bring(name, folder, words), server=url)
    model = choice.settings.model
    named = f"{model.provider}:{model.model_name}"
    if choice.new:
        print(words.say("chat.chosen", model=named, file=folder / FILE), file=sys.stderr)
    elif url is not None and model.provider != "ollama":
        print(words.say("chat.kept", model=named, url=url, file=folder / FILE), file=sys.stderr)
    return at_host(choice.settings, os.environ)


def _bring(name: str, folder: Path, words: Wording) -> None:
    """Have the embedded model's weights in the data folder: said before it begins, and shown while it goes on."""
    from ninefold.adapters.weights.catalogue import find_weights
    from ninefold.adapters.weights.pull import model_file, pull
    from ninefold.state import ModelMissing

    with suppress(ModelMissing):
        model_file(name, folder)
        return
    size = f"{find_weights(name).size / 1e6:.0f}"
    print(words.say("chat.fetching", model=name, size=size), file=sys.stderr)
    with progress_bar(words.say("models.pulling", name=name)) as report:
        pull(name, folder, progress=report)


def warm(settings: AgentSettings, words: Wording) -> Thread | None:
    """Begin to load an embedded model and to read its system prompt, while the person types and the libraries load.

    A fault is left to the first turn, which names it. The language of the prompt is a guess: that of the person's
    locale; a wrong one costs the first turn a second.
    """
    if settings.model.provider != "embedded":
        return None

    def load() -> None:
        from langchain_core.messages import HumanMessage, SystemMessage

        from ninefold.graph.parts import fixed_text
        from ninefold.state import NinefoldError

        from ..build import model_of
        from ..home import data_folder

        with suppress(NinefoldError):
            opening = SystemMessage(fixed_text(settings, settings.language or words.language))
            model_of(settings.model, data_folder(settings)).invoke([opening, HumanMessage("")], num_predict=1)

    thread = Thread(target=load, name="warm", daemon=True)
    thread.start()
    return thread


def _conversation(settings: AgentSettings, thread: str, user: str) -> Conversation:
    from .. import build_graph
    from ..console.conversation import Conversation

    return Conversation(build_graph(settings), thread, user, num_ctx=settings.model.num_ctx)


def _new_thread() -> str:
    """Give an id that sorts by time and is short enough to type."""
    import secrets
    from datetime import datetime

    return f"{datetime.now().astimezone():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def _with_rule(settings: AgentSettings, rule: object) -> AgentSettings:
    return settings.model_copy(update={"constraints": settings.constraints.model_copy(update={"on_conflict": rule})})
