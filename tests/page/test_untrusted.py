"""What a person, a model, a tool or a memory wrote is shown, never run: no script, picture or foreign request."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.page.shown import Served, ask, idle, say, serving, tab, visiting
from tests.wire.replies import Call, Reply, Say
from tests.wire.server import Body

EVIL = """<img src="http://evil.example/a.png" onerror="window.pwned = 1"><script>window.pwned = 2</script>
<a href="javascript:window.pwned=3">one</a> [two](javascript:window.pwned=4) [three](https://example.com/x)
![picture](http://evil.example/b.png) <iframe src="http://evil.example"></iframe> [four](data:text/html,x)
<style>body { display: none }</style><form action="http://evil.example"><button>five</button></form>
<svg onload="window.pwned=5"></svg> <b style="position:fixed">six</b> [seven](//evil.example/y) &#x6a;avascript
"""


def answer(body: Body) -> Reply:
    """Answer with the same ill will as the person, and call a tool with it where one is asked for."""
    last = body["messages"][-1]
    if last["role"] == "user" and "note it" in last["content"]:
        return Call("memory_write", {"text": EVIL.replace("\n", " ")})
    return Say(EVIL)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("page"), answer, light_model="none") as found:
        yield found


def test_nothing_that_was_said_runs_loads_or_leads_away(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "evil") as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        ask(page, f"Remember: my motto is {EVIL}", "picture")
        say(page, f"note it: {EVIL}")
        idle(page)
        page.locator(".message.tool").wait_for()
        tab(page, "rules").locator("#pin").fill(EVIL.replace("\n", " "))
        page.locator("#pin").press("Enter")
        page.locator(".rule").first.wait_for()
        for name in ("memories", "compactions", "turns", "ledger", "prompt"):
            tab(page, name)
        for layer in page.locator(".layers summary").all():
            layer.click()
        page.locator(".layers pre").first.wait_for()
        tab(page, "why").locator("#why").fill("<img src=x onerror=window.pwned=6>")
        page.locator("#why").press("Enter")
        page.locator(".answer").wait_for()
        page.reload()
        page.locator(".message.assistant").first.wait_for()
        assert page.evaluate("window.pwned") is None
        assert [url for url in asked if not url.startswith(served.origin)] == []
        for tag in ("img:not(.brand img)", "iframe", "style", "form[action]", "svg[onload]", "[style*=fixed]"):
            assert page.locator(f".messages {tag}, .panel {tag}").count() == 0, tag
        links = page.locator(".messages a").evaluate_all(
            "all => all.map(a => [a.getAttribute('href'), a.rel, a.target])"
        )
        assert links
        assert {href for href, _, _ in links} <= {"https://example.com/x", None}
        assert all("noopener" in rel and target == "_blank" for href, rel, target in links if href)
        # It is all there to be read.
        assert "onerror" in page.locator(".message.assistant").first.inner_text()


def test_the_name_of_a_session_is_text_too(browser: Browser, served: Served) -> None:
    name = '<img src=x onerror="window.pwned=7">'
    with visiting(browser, served, name) as page:
        page.locator(".chat-head h1", has_text="onerror").wait_for()
        ask(page, "Hello", "picture")
        page.locator(".session-title", has_text="onerror").wait_for()
        assert page.evaluate("window.pwned") is None


def test_markdown_is_shown_as_what_it_means(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "markdown") as page:
        ask(page, "| a | b |\n|---|---|\n| 1 | 2 |\n\n```\n<b>code</b>\n```\n\n- *one*", "picture")
        said = page.locator(".message.user").first
        assert said.locator("td").all_inner_texts() == ["1", "2"]
        assert said.locator("pre code").inner_text().strip() == "<b>code</b>"
        assert said.locator("li em").inner_text() == "one"
