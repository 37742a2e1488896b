"""Who sits before the page: somebody without a mouse, on a phone, in Chinese, in the dark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.page.shown import PHONE, Served, ask, idle, say, serving, tab, visiting
from tests.turn.agents import whole_prompt


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("page"), memory="off", light_model="none") as found:
        yield found


def focused(page: Page) -> str:
    """Give what the keyboard is on: its name, or its text."""
    read = "document.activeElement.getAttribute('aria-label') || document.activeElement.innerText"
    return str(page.evaluate(read)).strip()


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the keyboard is on what has this name; what it is on must be seen."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if focused(page).startswith(name):
            shape = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert shape != "none", name
            return
    raise AssertionError(f"{name} cannot be reached with Tab")


def test_everything_is_done_with_the_keyboard_alone(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "keys") as page:
        page.keyboard.press("Tab")
        assert focused(page) == "Skip to the message field"
        page.keyboard.press("Enter")
        page.keyboard.type("Never use red.")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("The port is 18443.")
        page.keyboard.press("Enter")
        page.locator(".message.assistant").wait_for()
        idle(page)
        assert "Never use red.\nThe port is 18443." in whole_prompt(served.wire.chats[-1])
        tab_to(page, "Prompt")
        page.keyboard.press("ArrowRight")
        page.locator("#tab-rules[aria-selected=true]").wait_for()
        page.locator("#tab-rules:focus").wait_for()
        tab_to(page, "End")
        page.keyboard.press("Enter")
        page.locator(".rule").wait_for(state="detached")
        page.keyboard.press("Shift+Tab")
        for _ in range(60):
            if focused(page).startswith("Rename keys"):
                break
            page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        page.locator("dialog[open]").wait_for()
        page.keyboard.press("Escape")
        page.locator("dialog[open]").wait_for(state="detached")
        assert focused(page) == "Rename keys"


def test_every_control_has_a_name(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "names") as page:
        ask(page, "Never use red.")
        for name in ("prompt", "rules", "memories", "compactions", "turns", "why", "ledger"):
            tab(page, name)
            # In one look: a list of controls that is read piece by piece may change meanwhile.
            nameless = page.locator("button:visible, input:visible, textarea:visible").evaluate_all(
                """all => all.filter(
                    e => !(e.ariaLabel || e.innerText || (e.labels && [...e.labels].map(l => l.innerText).join()))
                ).map(e => e.outerHTML)"""
            )
            assert nameless == [], name


@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
def test_a_phone_has_one_column_with_tabs_and_nothing_stands_out(browser: Browser, served: Served, locale: str) -> None:
    phone = {"viewport": PHONE, "is_mobile": True, "has_touch": True}
    with visiting(browser, served, f"phone-{locale}", locale=locale, **phone) as page:
        panes = page.locator(".panes button")
        say(page, "Never use red. The address is https://example.com/" + "a" * 200)
        page.locator(".message.assistant").wait_for()
        idle(page)
        for at, shown in ((0, ".sessions"), (2, ".context"), (1, ".chat")):
            panes.nth(at).tap()
            page.locator(shown).wait_for()
            assert page.locator(".sessions:visible, .chat:visible, .context:visible").count() == 1
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"], shown
        panes.nth(2).tap()
        for name in ("prompt", "rules", "memories", "compactions", "turns", "why", "ledger"):
            tab(page, name)
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name


def test_chinese_is_read_from_the_browser_and_switched(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "zh", locale="zh-CN") as page:
        assert page.locator("html").get_attribute("lang") == "zh-CN"
        ask(page, "不要用红色。端口是 18443。")
        rules = tab(page, "rules")
        assert "禁止" in rules.locator(".rule").inner_text()
        panel = tab(page, "why")
        panel.locator("#why").fill("18443")
        panel.locator("#why").press("Enter")
        assert "提示词" in panel.locator(".answer h2").inner_text()
        tab(page, "rules").locator("#pin").fill("字" * 2001)
        page.locator("#pin").press("Enter")
        assert "2001 个字" in page.locator(".notice.error").inner_text()
        page.get_by_role("button", name="English").click()
        page.get_by_role("button", name="New session").wait_for()
        page.reload()
        page.get_by_role("button", name="New session").wait_for()


def test_colours_follow_the_system_until_they_are_switched(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "dark", color_scheme="dark") as page:
        background = "getComputedStyle(document.body).backgroundColor"
        dark = page.evaluate(background)
        page.emulate_media(color_scheme="light")
        light = page.evaluate(background)
        assert dark != light
        page.get_by_role("button", name="Colours").click()
        page.get_by_role("button", name="Colours: light").click()
        page.locator("html[data-theme=dark]").wait_for()
        assert page.evaluate(background) == dark
        page.reload()
        page.wait_for_selector("#message")
        assert page.evaluate(background) == dark


def test_enter__takes_the_word_that_is_offered_while_chinese_is_typed(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "ime") as page:
        calls = len(served.wire.chats)
        page.fill("#message", "ni hao")
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url))
        pressed = (
            "e => e.dispatchEvent(new KeyboardEvent('keydown',"
            " {key: 'Enter', isComposing: true, bubbles: true, cancelable: true}))"
        )
        # True: the browser does with the key what it does while a word is offered.
        assert page.locator("#message").evaluate(pressed) is True
        # What a key sends is asked for before the page draws again.
        page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert page.input_value("#message") == "ni hao"
        assert [url for url in sent if "/api/" in url] == []
        assert len(served.wire.chats) == calls
        page.press("#message", "Control+Enter")
        page.locator(".message.user", has_text="ni hao").wait_for()
        idle(page)
        assert len(served.wire.chats) == calls + 1
