"""Who is let in: this machine, this address, this page, and whoever holds the token.

A page of another site can make a browser send requests here. It cannot read the token, it names itself in Origin, and a
name of its own that it lets point to this machine (DNS rebinding) stands in Host; each of the three is refused alone.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..wording import Wording

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types lit-html dompurify",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
WHOLE_DAY = 86_400


def new_token() -> str:
    """Give a token that nobody can guess: 256 bits, made for every start."""
    return secrets.token_urlsafe(32)


class Guarded:
    """Lets through what may be answered, and puts the headers on every answer.

    Args:
        app: what answers.
        token: what the address holds once, and a cookie from then on.
        port: where the page is.
        words_of: gives the sentences in a request's language.
    """

    def __init__(self, app: ASGIApp, token: str, port: int, words_of: Callable[[Headers], Wording]) -> None:
        self._app = app
        self._token = token
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self._words_of = words_of
        # Cookies know no ports: two pages on one machine would take each other's.
        self._cookie = f"ninefold-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            # Neither a start nor an end needs a guard; a websocket finds no route.
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        answer = self._refused(scope) or self._let_in(scope)
        await (answer or self._app)(scope, receive, with_headers)

    def _refused(self, scope: Scope) -> Response | None:
        """Give the answer to whoever comes by a foreign name or from a foreign page."""
        headers = Headers(scope=scope)
        words = self._words_of(headers)
        host = headers.get("host", "")
        if host not in self._hosts:
            return PlainTextResponse(words.say("page.foreign_host"), 421)
        origin = headers.get("origin")
        # A browser names the page in Origin of everything but a plain reading.
        needed = scope["method"] not in ("GET", "HEAD")
        foreign = origin not in ({f"http://{host}"} if needed else {f"http://{host}", None})
        beside = headers.get("sec-fetch-site", "same-origin")
        if foreign or (beside not in ("same-origin", "none") and not _is_visit(headers)):
            return PlainTextResponse(words.say("page.foreign_origin"), 403)
        return None

    def _let_in(self, scope: Scope) -> Response | None:
        """Give the answer to whoever has no cookie yet: the page with it for the token, else a refusal."""
        headers = Headers(scope=scope)
        if self._same(_cookie(headers, self._cookie)):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if scope["path"] == "/" and self._same(query.get("token", [""])[0]):
            # The address that stays in the browser's history does not hold the token.
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self._cookie, self._token, max_age=WHOLE_DAY, httponly=True, samesite="strict", path="/")
            return answer
        return PlainTextResponse(self._words_of(headers).say("page.wrong_token"), 403)

    def _same(self, given: str) -> bool:
        return secrets.compare_digest(given.encode("utf-8", "replace"), self._token.encode())


def _is_visit(headers: Headers) -> bool:
    """Tell a person's own visit, by a link somewhere, from a request that a page makes."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _cookie(headers: Headers, name: str) -> str:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    return jar[name].value if name in jar else ""
