"""`ninefold memory`: what is kept about a person across sessions."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from .options import DEFAULT_USER, AgentFile, Lang, User, agent_settings, at_host, named_agent, wording

if TYPE_CHECKING:
    from pathlib import Path

    from ninefold.nodes.ports import MemoryStore
    from ninefold.state import AgentSettings, MemoryRecord

    from ..wording import Wording

commands = typer.Typer(help="Look after the long-term memories.", no_args_is_help=True)

_KIND = 10
"""Cells of the longest name of a kind."""


@commands.command("list", help="List your memories, oldest first.")
def list_(user: User = DEFAULT_USER, agent: AgentFile = None, lang: Lang = None) -> None:
    """List a person's memories, those that were replaced marked as such."""
    records, words = _store(agent).records(user), wording(lang, named_agent(agent, None))
    if not records:
        print(words.say("memory.none"))
    for record in records:
        print(_line(record, words))


@commands.command("search", help="Show the memories nearest to a text, with their cosine.")
def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to look for.")],
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    lang: Lang = None,
) -> None:
    """Search as a turn does; those below the threshold of recall are marked."""
    store = _store(agent)
    found, words = store.search(user, text, limit=10), wording(lang, named_agent(agent, None))
    if not found:
        print(words.say("memory.none"))
    for record, score in found:
        print(f"{'✓' if score >= store.min_score else ' '} {score:.3f}  {_line(record, words)}")


@commands.command("forget", help="Forget WORDS, or a memory by its id, in all sessions too.")
def forget(
    what: Annotated[str, typer.Argument(metavar="WORDS", help="What to forget: words, or the id of a memory.")],
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    lang: Lang = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask, which only a terminal does.")] = False,
) -> None:
    """Forget in a person's memories, those that were replaced too, and wherever it stands in their sessions."""
    from ninefold.graph.forgetting import meant
    from ninefold.policies.forget_texts import any_of

    from ..build import build_graph
    from ..console.changes import told_forgotten
    from ..forgetting import forget as forgotten
    from ..home import data_folder

    settings = agent_settings(agent, None)
    store, words = _store(agent), wording(lang, settings)
    records = store.records(user)
    holds = any_of(meant(what, records))
    for record in records:
        if holds(record.text) or holds(record.description):
            print(_line(record, words))
    if sys.stdin.isatty() and not yes:
        typer.confirm(words.say("memory.forget_ask", words=what), abort=True)
    gone = forgotten(build_graph(settings, memory=store), user, what, data_folder(settings))
    print(told_forgotten(gone, what, words))


@commands.command("export", help="Write your memories to stdout as JSON lines.")
def export(user: User = DEFAULT_USER, agent: AgentFile = None) -> None:
    """Write every record of a person, one JSON object a line."""
    for record in _store(agent).records(user):
        print(record.model_dump_json())


@commands.command("reembed", help="Embed all memories anew after a change of embedder.")
def reembed(agent: AgentFile = None, lang: Lang = None) -> None:
    """Move the memories of all users to the agent's embedder, from their stored text."""
    from ninefold.adapters.memory.reembed import reembed as move

    from ..embedder import keep_embedder
    from ..home import data_folder
    from ..memories import embedder_name, embeddings_of, memory_place, memory_settings

    settings = _with_its_embedder(agent)
    memory, folder = memory_settings(settings), data_folder(settings)
    stamp = embedder_name(settings.embeddings)
    count = move(memory_place(memory, folder), embeddings_of(settings.embeddings), stamp)
    keep_embedder(folder, stamp)
    print(wording(lang, settings).say("memory.reembedded", count=count, embedder=stamp))


def _with_its_embedder(agent: Path | None) -> AgentSettings:
    """Give the agent with the embedder of its own, where its file names one or the model that one goes with."""
    named = named_agent(agent, None)
    own = named.model_fields_set & {"model", "embeddings"}
    return at_host(named, os.environ) if own else agent_settings(agent, None)


def _store(agent: Path | None) -> MemoryStore:
    from ..home import data_folder
    from ..memories import memory_of, memory_settings

    settings = agent_settings(agent, None)
    memory_settings(settings)
    store = memory_of(settings, data_folder(settings))
    assert store is not None
    return store


def _line(record: MemoryRecord, words: Wording) -> str:
    from rich.cells import set_cell_size

    text = " ".join(record.text.split())
    status = "" if record.status == "active" else f"  ({words.name('memory.status', record.status.value)})"
    kind = set_cell_size(words.name("memory.kind", record.kind.value), _KIND)
    return f"{record.id}  {record.created[:10]}  {kind}  {text}{status}"
