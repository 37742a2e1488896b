"""The page, served on this machine alone until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from ninefold.state import InputError, SettingsError

if TYPE_CHECKING:
    from ninefold.state import AgentSettings, Language

    from ..wording import Wording

HOST = "127.0.0.1"
_GRACE = 3
"""Seconds that open streams are given when the page closes."""


def serve(
    settings: AgentSettings,
    user: str,
    port: int,
    wording: Wording,
    *,
    language: Language | None,
    ready: Callable[[str], None],
) -> None:
    """Serve the page until Ctrl-C or SIGTERM.

    Args:
        settings: the agent's.
        user: whose sessions it shows.
        port: where; 0 takes a free one.
        wording: the language of what is refused before the page is there.
        language: the page's; None follows the browser.
        ready: told the address with its token, once it is listened to; what is asked before the first answer waits.

    Raises:
        SettingsError: the extra is not installed, or the agent's settings cannot be used.
        InputError: the port is taken.
        StorageError: the data folder cannot be used.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError as missing:
        raise SettingsError(
            "The page needs packages that are not installed.", 'Run `pip install "ninefold[page]"`.'
        ) from missing
    from ..build import build_graph
    from ..sessions import opened
    from .application import application
    from .security import new_token
    from .served import Served, at_a_page

    with _listening(port) as listener:
        settings = at_a_page(settings)
        token, taken = new_token(), listener.getsockname()[1]
        with opened(settings, wording) as place:
            served = Served(settings=settings, graph=build_graph(settings), user=user, place=place, language=language)
            config = uvicorn.Config(
                application(served, token, taken),
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_GRACE,
            )
            ready(f"http://{HOST}:{taken}/?token={token}")
            server = uvicorn.Server(config)
            closing = server.shutdown

            async def shutdown(sockets: list[socket.socket] | None = None) -> None:
                # A stream ends with its turn; uvicorn would wait for it, and then break it off.
                await served.runs.stop_all()
                await closing(sockets)

            server.shutdown = shutdown  # type: ignore[method-assign]
            server.run(sockets=[listener])


def _listening(port: int) -> socket.socket:
    """Give a socket that other machines cannot reach.

    Raises:
        InputError: something else listens there.
    """
    listener = socket.socket()
    # A page that was closed a moment ago does not keep its port; one that is open does.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        raise InputError(
            f"The port {port} cannot be used: {error}.", "Name another one with --port, or 0 for any."
        ) from error
    return listener
