"""What comes between: a stop, a reload in the middle of a reply, a second tab, another program, a huge paste."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import APIResponse, Browser, Route, expect

from tests.page.shown import Served, ask, idle, say, serving, visiting
from tests.wire.replies import ErrorMidway, Fail, Hang, Reply, Say
from tests.wire.server import Body

PASTE = """(field, text) => {
    field.focus();
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    field.setRangeText(text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
}"""
STORY = "Once there was a keeper of windows. " * 12

RELEASED = threading.Event()
"""Set by a test when it has done in the middle of a reply what it is about."""


def answer(body: Body) -> Reply:
    """Answer as the last message asks for."""
    match str(body["messages"][-1]["content"]).strip().splitlines()[-1]:
        case "Be slow.":
            return Say(STORY + "The end.", pieces=2, released=RELEASED)
        case "Say nothing more.":
            return Hang(60, "I begin, and")
        case "Fail.":
            return Fail(404)
        case "Break.":
            return ErrorMidway("Half of it", "the model ran out of memory")
        case _:
            return Say("OK.")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("page"), answer, memory="off", light_model="none") as found:
        yield found


def test_a_stop_ends_the_reply_at_once_shows_how_far_it_came_and_is_taken_up(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "stop") as page:
        say(page, "Say nothing more.")
        page.locator(".message.assistant", has_text="I begin, and").wait_for()
        page.get_by_role("button", name="Stop").click()
        page.locator(".ending.stopped").wait_for()
        assert page.locator(".message.assistant").inner_text() == "I begin, and"
        page.reload()
        page.locator(".ending.stopped").wait_for()
        assert page.locator(".message.assistant").inner_text() == "I begin, and"
        assert page.locator(".message.user").count() == 1
        calls = len(served.wire.chats)
        page.get_by_role("button", name="Go on with this turn").click()
        served.wire.wait_for_chats(calls + 1, 60)
        page.locator(".message.assistant", has_text="I begin, and").wait_for()
        page.locator("#message").press("Escape")
        page.locator(".ending.stopped").wait_for()
        say(page, "Never mind.")
        page.locator(".message.assistant", has_text="OK.").wait_for()


def test_a_turn_goes_on_while_its_page_is_reloaded(browser: Browser, served: Served) -> None:
    calls = len(served.wire.chats)
    RELEASED.clear()
    with visiting(browser, served, "reload") as page:
        say(page, "Be slow.")
        page.locator(".message.assistant", has_text="keeper").wait_for()
        say(page, "And then?")
        page.locator(".notice", has_text="still being written").wait_for()
        assert page.input_value("#message") == "And then?"
        page.reload()
        page.locator(".messages[aria-busy=true]").wait_for()
        page.locator(".message.assistant", has_text="keeper").wait_for()
        assert page.input_value("#message") == "And then?"
        page.fill("#message", "")
        RELEASED.set()
        page.locator(".message.assistant", has_text="The end.").wait_for()
        idle(page)
        assert page.locator(".message.user").count() == 1
        assert page.locator(".message.assistant").count() == 1
        assert len(served.wire.chats) == calls + 1


def test_a_second_tab_is_refused_in_words_keeps_its_text_and_sees_the_reply(browser: Browser, served: Served) -> None:
    RELEASED.clear()
    with visiting(browser, served, "tabs") as first, visiting(browser, served, "tabs") as second:
        second.fill("#message", "And me?")
        say(first, "Be slow.")
        first.locator(".message.assistant", has_text="keeper").wait_for()
        second.press("#message", "Enter")
        refused = second.locator(".notice.error")
        refused.wait_for()
        assert "Another turn has held the thread 'tabs' at this page" in refused.inner_text()
        assert second.input_value("#message") == "And me?"
        RELEASED.set()
        idle(first)
        second.press("#message", "Enter")
        idle(second)
        second.locator(".message.user", has_text="And me?").wait_for()
        assert second.input_value("#message") == ""
        second.locator(".message.assistant", has_text="The end.").wait_for()


def test_a_chat_in_a_terminal_that_holds_the_session_is_named_and_the_text_given_back(
    browser: Browser, served: Served
) -> None:
    calls = len(served.wire.chats)
    talking = subprocess.Popen(
        served.shell.command("chat", "--agent", str(served.file), "--thread", "both", "--say", "Say nothing more."),
        env=served.shell.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        served.wire.wait_for_chats(calls + 1, 60)
        with visiting(browser, served, "both") as page:
            say(page, "It is me.")
            refused = page.locator(".notice.error")
            refused.wait_for()
            assert "Another turn has held the thread 'both'" in refused.inner_text()
            assert page.input_value("#message") == "It is me."
    finally:
        talking.kill()
        talking.wait()


def test_a_model_that_fails_is_named_and_the_message_is_kept(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "failed") as page:
        say(page, "Fail.")
        failed = page.locator(".ending.failed")
        failed.wait_for()
        assert "ollama pull" in failed.inner_text()
        page.get_by_role("button", name="Go on with this turn").wait_for()
        page.reload()
        page.locator(".ending.failed").wait_for()
        assert page.locator(".message.user").all_inner_texts() == ["Fail."]


def test_a_reply_that_was_cut_is_kept_and_said_to_be_half(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "half") as page:
        ask(page, "Break.", "Half of it")
        page.locator(".notice", has_text="not complete").wait_for()


def test_a_huge_paste_freezes_nothing_and_what_was_cut_is_said(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "huge") as page:
        # As a paste does it: the page hears of the text before it stands in the field.
        page.locator("#message").evaluate(PASTE, "word " * 200_000)
        page.press("#message", "Enter")
        page.locator(".notice", has_text="too long").wait_for(timeout=60_000)
        idle(page)
        page.get_by_text("more characters are in the archive").wait_for()
        assert len(page.locator(".message.user").inner_text()) < 10_000
        ask(page, "Something short.")


def test_closing_the_server_in_the_middle_of_a_reply_leaves_a_turn_that_is_taken_up(
    browser: Browser, served: Served
) -> None:
    with visiting(browser, served, "closed") as page:
        say(page, "Say nothing more.")
        page.locator(".message.assistant", has_text="I begin, and").wait_for()
        assert "Traceback" not in served.stop()
        page.locator(".notice.error", has_text="does not answer").wait_for()
    served.start()
    with visiting(browser, served, "closed") as page:
        page.get_by_text("The last turn was not finished").wait_for()
        assert page.locator(".message.user", has_text="Say nothing more.").count() == 1
        ask(page, "Something else.")


def test_nothing_can_be_said_before_it_is_clear_in_which_session(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "early") as page:
        listed = threading.Event()

        def late(route: Route) -> None:
            expect(page.locator(".composer")).to_have_count(0)
            listed.set()
            route.continue_()

        page.route("**/api/sessions*", late, times=1)
        page.reload()
        page.wait_for_selector("#message")
        assert listed.is_set()
        ask(page, "Never use red.")


def test_an_answer_from_before_the_turn_does_not_take_it_from_the_page(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "overtaken") as page:
        held: list[tuple[Route, APIResponse]] = []
        page.route("**/api/session?*", lambda route: held.append((route, route.fetch())), times=1)
        page.reload()
        ask(page, "Never use red.")
        [(route, empty)] = held
        with page.expect_response("**/api/session?*"):
            route.fulfill(response=empty)
        page.locator("#tab-turns").click()
        page.locator(".message.assistant", has_text="OK.").wait_for()
