"""The routes of the page: the files that the browser reads, and the data behind them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ninefold.state import NinefoldError

from ..wording import Wording
from . import changes, sessions, talk
from .requests import answering, language_of_request, refuse
from .security import Guarded
from .served import Served
from .telling.compactions import compactions
from .telling.costs import costs, why
from .telling.prompt import prompt
from .telling.session import session

THEME = "ninefold-theme"
"""The cookie with the colours that the person switched to: light or dark."""
_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
}

_READ = {
    "home": sessions.home,
    "sessions": sessions.listed,
    "session": session,
    "prompt": prompt,
    "compactions": compactions,
    "costs": costs,
    "why": why,
    "memories": changes.memories,
}
_CHANGE = {
    "rename": sessions.renamed,
    "delete": sessions.deleted,
    "fork": sessions.forked,
    "pin": changes.pinned,
    "end": changes.ended,
    "compact": changes.compacted,
    "undo": changes.undone,
    "memories/correct": changes.amended,
}
_TALK = {
    "say": talk.say,
    "retry": talk.retry,
    "decide": talk.decide,
    "stop": talk.stop,
    "forget": changes.forget,
}


def application(served: Served, token: str, port: int) -> Starlette:
    """Give the page as an ASGI application.

    Args:
        served: what it shows.
        token: what lets in.
        port: where it is served, which is a part of its name.
    """
    routes = [Route("/", index), Route("/static/{path:path}", static), Route("/api/watch", talk.watch)]
    routes += [Route(f"/api/{name}", answering(answer)) for name, answer in _READ.items()]
    routes += [Route(f"/api/{name}", answering(answer), methods=["POST"]) for name, answer in _CHANGE.items()]
    routes += [Route(f"/api/{name}", answer, methods=["POST"]) for name, answer in _TALK.items()]

    def words_of(headers: object) -> Wording:
        return Wording(language_of_request(headers, served.language))  # type: ignore[arg-type]

    guard = Middleware(Guarded, token=token, port=port, words_of=words_of)
    app = Starlette(routes=routes, middleware=[guard], exception_handlers={NinefoldError: refuse})
    app.state.served = served
    return app


async def index(request: Request) -> Response:
    """Give the page, in the person's language and colours."""
    language = language_of_request(request.headers, request.app.state.served.language)
    theme = request.cookies.get(THEME, "")
    text = _files()["index.html"].decode().replace('lang="en"', f'lang="{language.value}"', 1)
    if theme in ("light", "dark"):
        text = text.replace('data-theme="system"', f'data-theme="{theme}"', 1)
    return Response(text, media_type="text/html")


async def static(request: Request) -> Response:
    """Give a file of the page."""
    path = request.path_params["path"]
    kind, content = _TYPES.get(PurePosixPath(path).suffix), _files().get(path)
    if kind is None or content is None:
        return PlainTextResponse("404", 404)
    return Response(content, media_type=kind, headers={"cache-control": "no-cache"})


@cache
def _files() -> Mapping[str, bytes]:
    """Give the files of the page by path: what a request names is looked up in them, and never on the disk."""
    found: dict[str, bytes] = {}
    waiting = [("", files("ninefold.page").joinpath("static"))]
    while waiting:
        above, folder = waiting.pop()
        for each in folder.iterdir():
            path = above + each.name
            if each.is_dir():
                waiting.append((f"{path}/", each))
            else:
                found[path] = each.read_bytes()
    return found
