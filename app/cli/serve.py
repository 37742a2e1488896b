"""`ninefold serve`: the page, on this machine alone."""

from __future__ import annotations

from typing import Annotated

import typer

from .beginning import asking, begun, warm
from .options import DEFAULT_USER, AgentFile, Lang, ModelName, ProfileOption, User, named_agent, wording

HELP = "Open a page in the browser: the chat, and what its prompts are made of."

PORT = 8765


def serve(
    port: Annotated[int, typer.Option("--port", metavar="N", help="Where the page is; 0 takes a free port.")] = PORT,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    user: User = DEFAULT_USER,
    agent: AgentFile = None,
    model: ModelName = None,
    profile: ProfileOption = None,
    lang: Lang = None,
) -> None:
    """Serve the page on this machine until Ctrl-C, and print the address that lets in."""
    from ninefold.state import Language

    from ..page.server import serve as serve_page

    settings = named_agent(agent, model, profile)
    words = wording(lang, settings)
    settings = asking(begun(settings, words))
    warm(settings, words)

    def ready(address: str) -> None:
        print(words.say("page.open", address=address), flush=True)
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    serve_page(settings, user, port, words, language=Language(lang) if lang else None, ready=ready)
