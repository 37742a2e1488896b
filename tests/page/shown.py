"""The page as a person has it: `ninefold serve` in a process of its own, a model over HTTP, a real browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from tests.cli.shell import Shell
from tests.turn.agents import server_count
from tests.wire.server import Script, WireServer

PATIENCE = 40_000
"""Milliseconds: a machine with much to do is slow, not wrong."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def browser_path() -> str:
    """Give the machine's Chromium; without one the tests are skipped, and in CI they fail."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        missing = "no Chromium is on the PATH; on Debian: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return found


@contextmanager
def a_browser() -> Iterator[Browser]:
    """Give a headless Chromium."""
    path = browser_path()
    with sync_playwright() as play:
        # Root may not use Chromium's sandbox; what it shows here is our own page.
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        yield browser
        browser.close()


class Served:
    """`ninefold serve` over a data folder; `start` and `stop` as often as a test needs.

    Args:
        folder: the data folder, with agent.yaml in it.
        wire: the model's server.
        agent: the agent's settings beside model and memory.
    """

    def __init__(self, folder: Path, wire: WireServer, agent: dict[str, Any]) -> None:
        self.wire = wire
        self.shell = Shell(folder / "home", wire.url)
        self.file = folder / "agent.yaml"
        self.file.write_text(json.dumps({"agent": agent}), encoding="utf-8")
        self.address = ""
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        """Start it, and wait until it gives its address."""
        command = self.shell.command("serve", "--port", "0", "--agent", str(self.file))
        self._process = subprocess.Popen(
            command, env=self.shell.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            raise AssertionError(f"no address in {line!r}: {self._process.communicate(timeout=20)[1]}")
        self.address = found[0]
        # What the server says later is not read: a full pipe would stop it.
        threading.Thread(target=self._process.stdout.read, daemon=True).start()

    @property
    def origin(self) -> str:
        """The address without its token."""
        return self.address.partition("/?")[0]

    def stop(self, number: int = signal.SIGINT) -> str:
        """End it as Ctrl-C does, and give what it said on stderr."""
        assert self._process is not None
        self._process.send_signal(number)
        try:
            return self._process.communicate(timeout=20)[1] or ""
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise


@contextmanager
def serving(folder: Path, replies: Script = (), *, default: str = "OK.", **agent: Any) -> Iterator[Served]:
    """Give the page over a model that answers by script."""
    with WireServer(replies, count=server_count, default=default) as wire:
        served = Served(folder, wire, agent)
        try:
            yield served
        finally:
            served.stop(signal.SIGKILL)


@contextmanager
def let_in(served: Served) -> Iterator[httpx.Client]:
    """Give a client that opened the address with its token and asks as the page does."""
    with httpx.Client(base_url=served.origin, headers={"origin": served.origin}, timeout=60, trust_env=False) as client:
        assert client.get(served.address).status_code == 303
        yield client


@contextmanager
def visiting(
    browser: Browser, served: Served, thread: str = "", *, locale: str = "en-GB", **options: Any
) -> Iterator[Page]:
    """Give the page in a browser; an error in its code, or a breach of its security policy, fails the test."""
    context: BrowserContext = browser.new_context(locale=locale, **{"viewport": SCREEN, **options})
    context.set_default_timeout(PATIENCE)
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if _is_wrong(said.text, said.type) else None)
    page.goto(f"{served.address}#{thread}")
    page.wait_for_selector("#message")
    try:
        yield page
    finally:
        context.close()
    assert wrong == []


SCREEN = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}


def _is_wrong(text: str, kind: str) -> bool:
    # An answer of 4xx is told by the browser as an error too; what the page says about it is looked at by the tests.
    return kind == "error" and "Failed to load resource" not in text


def say(page: Page, text: str) -> None:
    """Type a message and send it with Enter."""
    page.fill("#message", text)
    page.press("#message", "Enter")


def ask(page: Page, text: str, reply: str = "OK.") -> None:
    """Say something and wait for the end of the turn."""
    count = page.locator(".message.assistant").count()
    say(page, text)
    idle(page)
    page.locator(".message.assistant").nth(count).get_by_text(reply).wait_for()


def idle(page: Page) -> None:
    """Wait until no turn runs: what was asked for was answered, its message has left the field, its turn is over."""
    expect(page.locator("#message")).to_have_value("", timeout=PATIENCE)
    page.locator(".composer button[type=submit]:enabled").wait_for()
    page.locator(".messages[aria-busy=false]").wait_for()
    page.locator(".status").wait_for(state="detached")


def tab(page: Page, name: str) -> Locator:
    """Open a tab of the context, and give its panel."""
    page.locator(f"#tab-{name}").click()
    return page.locator(f"#panel[aria-labelledby=tab-{name}]")
