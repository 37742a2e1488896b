"""Where the package registry keeps a wheel: the index pip is set to use, read as JSON (PEP 691) or HTML (PEP 503)."""

from __future__ import annotations

import configparser
import html
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx

from .catalogue import PackagePart
from .download import SourceFailed, place

DEFAULT_INDEX = "https://pypi.org/simple"
_JSON = "application/vnd.pypi.simple.v1+json"
_ANCHOR = re.compile(r"<a\b[^>]*\bhref=[\"']([^\"'#]+)#sha256=([0-9a-f]{64})[\"'][^>]*>", re.IGNORECASE)


@dataclass(frozen=True)
class Wheel:
    """One wheel on the registry, with the hash the index gives for it."""

    url: str
    sha256: str


def index_url() -> str:
    """The index pip would ask: PIP_INDEX_URL, else pip's configuration files, else pypi.org."""
    if url := os.environ.get("PIP_INDEX_URL"):
        return url.rstrip("/")
    for path in _pip_files():
        parser = configparser.RawConfigParser()
        try:
            parser.read(path, encoding="utf-8")
        except (OSError, configparser.Error, UnicodeDecodeError):
            continue
        for section in ("install", "global"):
            if parser.has_option(section, "index-url"):
                return parser.get(section, "index-url").strip().rstrip("/")
    return DEFAULT_INDEX


def find_wheel(client: httpx.Client, part: PackagePart) -> Wheel:
    """The pure-Python wheel of this package and version.

    Raises:
        SourceFailed: the index cannot be reached or has no such wheel with a hash.
    """
    index = index_url()
    page = f"{index}/{part.package}/"
    try:
        response = client.get(page, headers={"Accept": f"{_JSON}, text/html;q=0.5"})
        response.raise_for_status()
    except httpx.HTTPStatusError as error:
        raise SourceFailed(f"{place(index)} answered {error.response.status_code} for {part.package}") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise SourceFailed(f"{place(index)} cannot be reached ({error or type(error).__name__})") from error
    wanted = f"{part.package.replace('-', '_')}-{part.version}-py3-none-any.whl"
    for link, sha256 in _links(response):
        if urlsplit(link).path.rsplit("/", 1)[-1] == wanted:
            return Wheel(urljoin(str(response.url), link), sha256)
    raise SourceFailed(f"{place(index)} has no {wanted} with a SHA-256")


def _links(response: httpx.Response) -> list[tuple[str, str]]:
    if "json" in response.headers.get("content-type", ""):
        try:
            return [(str(file["url"]), str(file["hashes"]["sha256"])) for file in response.json()["files"]]
        except (KeyError, TypeError, ValueError) as error:
            raise SourceFailed(f"{response.url.host} answered something that is no package index") from error
    return [(html.unescape(link), sha256) for link, sha256 in _ANCHOR.findall(response.text)]


def _pip_files() -> list[Path]:
    """Pip's configuration files, strongest first."""
    name = "pip.ini" if os.name == "nt" else "pip.conf"
    home = Path.home()
    own = os.environ.get("PIP_CONFIG_FILE")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    shared = [Path(folder) / "pip" / name for folder in os.environ.get("XDG_CONFIG_DIRS", "/etc/xdg").split(os.pathsep)]
    user = [Path(os.environ.get("APPDATA", home)) / "pip" / name] if os.name == "nt" else [config / "pip" / name]
    mac = [home / "Library/Application Support/pip" / name] if sys.platform == "darwin" else []
    paths = [Path(sys.prefix) / name, *user, *mac, home / ".pip" / name, Path("/etc") / name, *shared]
    return [Path(own), *paths] if own else paths
