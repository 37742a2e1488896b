"""A Chroma client for a folder or a server's URL: no telemetry, a time-out, never behind another process."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ninefold.state import MemoryStoreError, SettingsError

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

_SPELLINGS = itertools.count(1)
_CHANGES = slice(24, 28)  # the file change counter in the header of an SQLite database


class Connection:
    """A client that is opened late and opened again when another process has written.

    An embedded client answers queries from an index in its own memory: what another process wrote is missing there, or
    found without its text, until the client is opened anew. The change counter of Chroma's SQLite file tells.
    """

    def __init__(self, place: Path | str, *, timeout: float) -> None:
        self.server = isinstance(place, str) and place.startswith(("http://", "https://"))
        self._place = place if self.server else Path(place).expanduser().resolve()
        self._timeout = timeout
        self._client: ClientAPI | None = None
        self._seen: tuple[int, bytes] | None = None
        self._found = False

    @property
    def folder(self) -> Path | None:
        """The folder; None for a server."""
        return None if self.server else Path(self._place)

    def __str__(self) -> str:
        return str(self._place)

    def client(self) -> tuple[ClientAPI, bool]:
        """Give the client, and whether it was opened anew, so that handles got from the old one are void.

        Raises:
            MemoryStoreError: the folder vanished.
        """
        if self._client is not None and not self.server and self._fingerprint() != self._seen:
            self.close()
        if self._client is not None:
            return self._client, False
        self._client = self._connect() if self.server else self._open()
        self.wrote()
        self._found = True
        return self._client, True

    def current(self) -> bool:
        """Whether a folder's client is open and nobody else has written since.

        Raises:
            MemoryStoreError: the folder vanished.
        """
        return not self.server and self._client is not None and self._fingerprint() == self._seen

    def wrote(self) -> None:
        """Take what the file holds now as known: our own write is in our own index."""
        if not self.server:
            self._seen = self._fingerprint()

    def close(self) -> None:
        """Let go of the client; the next call opens another."""
        client, self._client = self._client, None
        if client is not None:
            getattr(client, "close", lambda: None)()

    def _open(self) -> ClientAPI:
        import chromadb
        from chromadb.config import Settings

        if self._found:  # what was there once is not replaced by an empty store: its disk may only be away
            self._fingerprint()
        os.makedirs(self._place, mode=0o700, exist_ok=True)
        # chromadb shares one engine between clients whose path is spelled alike and closes it with the last of them; a
        # spelling of its own makes sure that closing this client really lets go of its index.
        path = os.path.join(self._place, *["."] * next(_SPELLINGS))
        return chromadb.PersistentClient(path=path, settings=Settings(anonymized_telemetry=False))

    def _connect(self) -> ClientAPI:
        import chromadb
        import httpx
        from chromadb.config import Settings

        address = urlsplit(str(self._place))
        if not address.hostname:
            raise SettingsError(f"{self._place!s} is no address of a Chroma server.", "Write http://host:port.")
        port = address.port or (443 if address.scheme == "https" else 8000)
        # chromadb sets no time-out and takes none, not even for the questions that its constructor asks: a server that
        # hangs would hold the turn.
        limit = httpx.Timeout(self._timeout)
        httpx.get(f"{address.scheme}://{address.hostname}:{port}/api/v2/heartbeat", timeout=limit).raise_for_status()
        client = chromadb.HttpClient(
            host=address.hostname,
            port=port,
            ssl=address.scheme == "https",
            settings=Settings(anonymized_telemetry=False),
        )
        session = getattr(getattr(client, "_server", None), "_session", None)
        if isinstance(session, httpx.Client):
            session.timeout = limit
        return client

    def _fingerprint(self) -> tuple[int, bytes]:
        try:
            with open(Path(self._place) / "chroma.sqlite3", "rb") as file:
                return os.fstat(file.fileno()).st_ino, file.read(_CHANGES.stop)[_CHANGES]
        except OSError as error:
            self.close()
            raise MemoryStoreError(
                f"The memory folder {self._place} cannot be read: {error.strerror}.",
                "Put it back; after a restart an empty one is made.",
            ) from error
