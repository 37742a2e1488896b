"""What a request asks for: its values, its person's language, the sessions it is about."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any, cast

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ninefold.graph.identity import checked
from ninefold.policies.text import storable
from ninefold.state import IdentityError, InputError, Language, NinefoldError, StorageError, ThreadBusy

from ..console.conversation import Conversation
from ..sessions import Place
from ..wording import Wording
from .runs import failed
from .served import Served

LONGEST = 8 * 2**20
"""Bytes of a request; what no window could hold is not read."""
CHOSEN = "ninefold-language"
"""The cookie with the language that the person switched to."""


@dataclass(frozen=True)
class Asked:
    """One request, read."""

    served: Served
    wording: Wording
    given: Mapping[str, Any]

    @property
    def place(self) -> Place:
        """Where the sessions are."""
        return self.served.place_in(self.wording)

    @property
    def thread(self) -> str:
        """The session that it is about.

        Raises:
            IdentityError: it is no name of a session.
        """
        return checked("thread_id", self.given.get("thread"))

    @property
    def conversation(self) -> Conversation:
        """The person's conversation on that session."""
        return self.served.conversation(self.thread)

    def text(self, name: str) -> str:
        """Give a value that is text, without what no database keeps; empty where there is none.

        Raises:
            InputError: it is something else.
        """
        value = self.given.get(name, "")
        if not isinstance(value, str):
            raise InputError(f"{name} is no text.", "Reload the page.")
        return str(storable(value))

    def number(self, name: str) -> int | None:
        """Give a value that is a whole number, None where there is none.

        Raises:
            InputError: it is something else.
        """
        value = self.given.get(name)
        if value in (None, ""):
            return None
        try:
            return int(str(value))
        except ValueError:
            raise InputError(f"{name} is no whole number.", "Reload the page.") from None


def language_of_request(headers: Headers, default: Language | None = None) -> Language:
    """Give the language that was switched to, else the one asked for at the start, else the browser's first known."""
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except CookieError:
        jar = SimpleCookie()
    switched = jar[CHOSEN].value if CHOSEN in jar else ""
    if switched in (Language.CHINESE, Language.ENGLISH):
        return Language(switched)
    if default is not None:
        return default
    wanted = (part.split(";")[0].strip().lower() for part in headers.get("accept-language", "").split(","))
    known = (name[:2] for name in wanted if name[:2] in (Language.CHINESE, Language.ENGLISH))
    return Language(next(known, Language.ENGLISH))


async def read(request: Request) -> Asked:
    """Give what a request asks for.

    Raises:
        InputError: its body is no JSON object, or too long.
    """
    served: Served = request.app.state.served
    wording = Wording(language_of_request(request.headers, served.language))
    if request.method == "GET":
        return Asked(served, wording, dict(request.query_params))
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LONGEST:
            raise InputError(*wording.refusal("page.too_long", most=LONGEST // 2**20))
    try:
        given = json.loads(bytes(body) or b"{}")
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise InputError(*wording.refusal("page.no_json"))
    return Asked(served, wording, cast("dict[str, Any]", given))


Endpoint = Callable[[Request], Any]


def answering(answer: Callable[[Asked], Any]) -> Endpoint:
    """Give the endpoint that answers with JSON; the work is done in a thread, beside the turns."""

    async def endpoint(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(answer, await read(request)))

    return endpoint


async def refuse(request: Request, error: Exception) -> Response:
    """Give a named error as the page shows it."""
    assert isinstance(error, NinefoldError)
    wording = Wording(language_of_request(request.headers, request.app.state.served.language))
    return JSONResponse(failed(error, wording), _status(error))


def _status(error: NinefoldError) -> int:
    match error:
        case ThreadBusy():
            return 409
        case IdentityError():
            return 403
        case InputError():
            return 400
        case StorageError():
            return 500
        case _:
            return 502
