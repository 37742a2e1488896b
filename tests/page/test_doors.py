"""Who is let in to the page: this machine, this address, this page, and whoever holds the token."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.page.shown import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("page"), memory="off") as found:
        yield found


@pytest.fixture
def visitor(served: Served) -> Iterator[httpx.Client]:
    """Somebody who opened the address with the token."""
    with httpx.Client(base_url=served.origin, timeout=60, trust_env=False) as client:
        assert client.get(served.address).status_code == 303
        yield client


def test_the_token_gives_a_cookie_that_scripts_cannot_read_and_leaves_the_address(served: Served) -> None:
    answer = httpx.get(served.address, trust_env=False)
    cookie = answer.headers["set-cookie"].lower()
    assert answer.headers["location"] == "/"
    assert all(part in cookie for part in ("httponly", "samesite=strict", "path=/"))


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/?token=%ff", "/api/sessions", "/static/main.js"])
def test_without_the_token_nothing_is_shown(served: Served, path: str) -> None:
    answer = httpx.get(served.origin + path, trust_env=False)
    assert answer.status_code == 403
    assert "ninefold serve" in answer.text
    assert "set-cookie" not in answer.headers


def test_a_start_has_a_token_of_its_own(served: Served, visitor: httpx.Client) -> None:
    token = served.address.partition("token=")[2]
    assert len(token) >= 43
    port = served.origin.rpartition(":")[2]
    before = {f"ninefold-{port}": token[:-1] + ("A" if token[-1] != "A" else "B")}
    assert httpx.get(f"{served.origin}/api/home", cookies=before, trust_env=False).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:80", ""])
def test_a_name_that_points_here_is_refused_even_with_the_cookie(visitor: httpx.Client, host: str) -> None:
    answer = visitor.get("/api/sessions", headers={"host": host})
    assert answer.status_code in (400, 421)
    assert "thread" not in answer.text


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null", "https://127.0.0.1", None])
def test_another_page_may_change_nothing_even_with_the_cookie(visitor: httpx.Client, origin: str | None) -> None:
    headers = {} if origin is None else {"origin": origin}
    answer = visitor.post("/api/say", headers=headers, json={"thread": "doors", "text": "hello"})
    assert answer.status_code == 403
    assert visitor.get("/api/session", params={"thread": "doors"}).json()["messages"] == []


def test_another_page_may_read_nothing_even_with_the_cookie(visitor: httpx.Client) -> None:
    assert visitor.get("/api/home", headers={"origin": "http://evil.example"}).status_code == 403
    for beside in ("cross-site", "same-site"):
        assert visitor.get("/api/home", headers={"sec-fetch-site": beside}).status_code == 403
    assert visitor.get("/api/home", headers={"sec-fetch-site": "same-origin"}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/static/main.js", "/api/home", "/api/session?thread=", "/nowhere"])
def test_every_answer_carries_the_policy(visitor: httpx.Client, path: str) -> None:
    headers = visitor.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in headers


def test_only_this_machine_is_listened_to(served: Served) -> None:
    port = int(served.origin.rpartition(":")[2])
    others = {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others - {"127.0.0.1"}:
        with socket.socket() as probe:
            probe.settimeout(2)
            assert probe.connect_ex((address, port)) != 0, address


@pytest.mark.parametrize(
    "path",
    [
        "../application.py",
        "..%2fapplication.py",
        "%2e%2e/server.py",
        "/etc/passwd",
        "texts",
        "%2e%2e/static/main.js",
        "main.js%00.js",
        "a" * 5_000 + ".js",
        "a/" * 3_000 + "b.js",
    ],
)
def test_files_outside_of_the_page_are_not_given(visitor: httpx.Client, path: str) -> None:
    assert visitor.get(f"/static/{path}").status_code == 404


@pytest.mark.parametrize("before", ["", "/", "%2f", "texts//", "vendor/../../../../../../../../../.."])
def test_a_file_of_the_machine_with_an_ending_of_the_page_is_not_given(
    visitor: httpx.Client, tmp_path: Path, before: str
) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('"4711"', encoding="utf-8")
    for inside in ("main.js", "texts/en.json", "vendor/versions.json"):
        assert visitor.get(f"/static/{inside}").status_code == 200
    assert visitor.get(f"/static/{before}{secret}").status_code == 404


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"thread": "", "text": "x"}, "thread_id"),
        ({"thread": 7, "text": "x"}, "thread_id"),
        ({"thread": "doors", "text": "   "}, "empty"),
        ({"thread": "doors", "text": ["a"]}, "no text"),
        ({"thread": "doors", "text": "x", "turn": "two"}, "whole number"),
        ({"thread": "doors", "text": "x", "turn": 3}, "no session"),
        (["doors"], "cannot be read"),
    ],
)
def test_what_cannot_be_a_message_is_refused_in_words(
    served: Served, visitor: httpx.Client, values: object, words: str
) -> None:
    answer = visitor.post("/api/say", headers={"origin": served.origin}, json=values)
    assert answer.status_code in (400, 403)
    assert words in answer.json()["words"]


def test_half_a_letter_is_replaced_and_the_session_stays_readable(served: Served, visitor: httpx.Client) -> None:
    body = rb'{"thread": "half", "text": "a \ud83d and a \u0000"}'
    assert visitor.post("/api/say", headers={"origin": served.origin}, content=body).status_code == 202
    with visitor.stream("GET", "/api/watch", params={"thread": "half"}) as events:
        assert json.loads([*events.iter_lines()][-1]) == {"kind": "over"}
    kept = visitor.get("/api/session", params={"thread": "half"})
    assert kept.status_code == 200
    assert kept.json()["run"]["said"] == "a \ufffd and a \ufffd"
    assert kept.json()["messages"][0]["text"] == "a \ufffd and a \ufffd"


@pytest.mark.parametrize("depth", [400, 100_000])
def test_a_request_that_is_nested_deeply_is_refused_in_words(served: Served, visitor: httpx.Client, depth: int) -> None:
    for name in ("text", "thread", "turn"):
        body = f'{{"thread": "doors", "text": "x", "{name}": {"[" * depth}{"]" * depth}}}'
        answer = visitor.post("/api/say", headers={"origin": served.origin}, content=body)
        assert answer.status_code in (400, 403)
        assert answer.json()["words"]


def test_a_request_longer_than_any_window_is_refused_in_words(served: Served, visitor: httpx.Client) -> None:
    body = b'{"thread": "doors", "text": "' + b"a" * (9 * 2**20) + b'"}'
    answer = visitor.post("/api/say", headers={"origin": served.origin, "accept-language": "zh-CN"}, content=body)
    assert answer.status_code == 400
    assert "8 MiB" in answer.json()["words"]
    assert "窗口" in answer.json()["words"]


def test_a_port_that_is_taken_is_named_with_what_to_do(served: Served) -> None:
    port = served.origin.rpartition(":")[2]
    ended = served.shell.run("serve", "--port", port, "--agent", str(served.file))
    assert ended.returncode == 1
    assert f"The port {port} cannot be used" in ended.stderr
    assert "--port" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_without_its_extra_the_command_that_installs_it_is_named(served: Served) -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from ninefold.cli import main; main()"
    command = [sys.executable, "-c", code, "serve", "--port", "0", "--lang", "zh", "--agent", str(served.file)]
    ended = subprocess.run(command, env=served.shell.environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.strip().endswith('`pip install "ninefold[page]"`。')
