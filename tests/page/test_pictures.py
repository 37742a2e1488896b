"""The pictures of the documents: a conversation as people have it, on a desk and on a phone; nothing is cut off."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from tests.page.shown import PHONE, Served, idle, say, serving, tab, visiting
from tests.wire.replies import Say
from tests.wire.server import Body

KEPT_IN = "PAGE_PICTURES"
"""The variable with the folder for the pictures that the documents show."""
KEPT = {"page-en", "page-zh", "compaction-en", "costs-zh", "phone-en"}
CLIPPING = ".panel, .card, .conflict, .tabs, .composer"
FITS = "e => e.scrollWidth <= e.clientWidth + 1"
ROOM = {"width": 1280, "height": 800}


class Talk(NamedTuple):
    """A conversation: each message with its reply; the last message is in conflict with an earlier wish."""

    locale: str
    thread: str
    turns: tuple[tuple[str, str], ...]
    conflict: str
    why: str


ENGLISH = Talk(
    "en-GB",
    "Workshop in Lisbon",
    (
        (
            "Remember: my name is Nora, I run a print workshop in Lisbon. Never mention the supplier in a letter.",
            "Noted, Nora. I will leave the supplier out of every letter.",
        ),
        (
            "The order 7731-B is 1,200 posters at 2.40 euros each, due on 2027-03-15. All amounts in euros, please.",
            "**Order 7731-B**\n\n| | |\n|---|---|\n| posters | 1,200 |\n| each | €2.40 |\n| in all | **€2,880** |\n"
            "| due | 15 March 2027 |",
        ),
        (
            "The paper is 170 g, matte, and must not be recycled. The client is the museum; their contact is Rui, "
            "extension 4182. He never answers before ten, and wants every change in writing.",
            "Clear. I keep Rui's extension, 4182, and put changes in writing.",
        ),
        (
            "The proof goes to /srv/proofs/7731-b.pdf, version 3.2.1. They must not print from an older one.",
            "The proof is `/srv/proofs/7731-b.pdf`, version 3.2.1. Older versions are not to be printed.",
        ),
        (
            "Write to Rui that the proof is ready.",
            "Dear Rui,\n\nthe proof of your order 7731-B is ready: 1,200 posters, 170 g matte. Please confirm "
            "**version 3.2.1** in writing, so that we keep **15 March 2027**.\n\nKind regards  \nNora",
        ),
    ),
    "Give me all amounts in dollars.",
    "supplier",
)
CHINESE = Talk(
    "zh-CN",
    "青石民宿",
    (
        ("请记住：我叫许棠，在青石镇开民宿。给客人的信里不要提房东。", "好的，许棠。给客人的信里我不会提到房东。"),
        (
            "五月二日的订单号是 QS-5521，三间房，每间 380 元，一共住四晚。所有金额都用人民币。",
            "**订单 QS-5521**\n\n| | |\n|---|---|\n| 房间 | 3 间 |\n| 每间每晚 | 380 元 |\n| 四晚合计 | **4,560 元** |",
        ),
        (
            "客人是周老师，电话分机 6027，对花生过敏，早餐里不能有花生。他十点以前从不接电话，改动都要写下来。",
            "明白：周老师，分机 6027，早餐不放花生，改动都用文字。",
        ),
        (
            "房间的门锁程序在 /srv/locks/qs.bin，版本 2.4.0，不能用更旧的版本。",
            "门锁程序是 `/srv/locks/qs.bin`，版本 2.4.0；更旧的版本不会用。",
        ),
        (
            "给周老师写一封确认信。",
            "周老师：\n\n您好！您的订单 QS-5521 已经确认：三间房，五月二日起住四晚，合计 **4,560 元**。"
            "早餐已注明不放花生。\n\n许棠",
        ),
    ),
    "所有金额都用美元表示。",
    "房东",
)
REPLIES = {message: reply for talk in (ENGLISH, CHINESE) for message, reply in talk.turns}


def answer(body: Body) -> Say:
    last = str(body["messages"][-1]["content"])
    return Say(next((reply for message, reply in REPLIES.items() if message in last), "OK."))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    policy = {"summary_threshold_tokens": 300}
    with serving(
        tmp_path_factory.mktemp("page"), answer, light_model="none", model={"num_ctx": 4096}, context_policy=policy
    ) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pictures go: `make test-page` names the folder of the documents."""
    named = os.environ.get(KEPT_IN)
    made = Path(named) if named else tmp_path_factory.mktemp("pictures")
    made.mkdir(parents=True, exist_ok=True)
    return made


def picture(page: Page, folder: Path, name: str) -> None:
    """Take a picture of what is shown; nothing may be wider than the window."""
    page.mouse.move(0, 0)
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    assert page.evaluate(f"[...document.querySelectorAll('{CLIPPING}')].every({FITS})"), name
    if name in KEPT or KEPT_IN not in os.environ:
        page.screenshot(path=folder / f"{name}.png")


@pytest.mark.parametrize("talk", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_a_conversation_is_seen_from_every_side(browser: Browser, served: Served, folder: Path, talk: Talk) -> None:
    language = talk.locale[:2]
    with visiting(browser, served, talk.thread, locale=talk.locale, viewport=ROOM) as page:
        for message, reply in talk.turns:
            say(page, message)
            page.locator(".message.assistant", has_text=reply.split("\n")[0].strip("*")[:5]).wait_for()
            idle(page)
        tab(page, "prompt").locator(".layers > li").first.wait_for()
        picture(page, folder, f"page-{language}")
        page.emulate_media(color_scheme="dark")
        tab(page, "compactions").locator(".compaction .proven").first.wait_for()
        page.locator(".compaction details").first.locator("summary").click()
        picture(page, folder, f"compaction-{language}")
        page.emulate_media(color_scheme="light")
        tab(page, "ledger").locator(".plot .column").first.wait_for()
        picture(page, folder, f"costs-{language}")
        tab(page, "memories").locator(".memory").first.wait_for()
        picture(page, folder, f"memory-{language}")
        panel = tab(page, "why")
        panel.locator("#why").fill(talk.why)
        panel.locator("#why").press("Enter")
        panel.locator(".answer li").first.wait_for()
        picture(page, folder, f"why-{language}")
        tab(page, "rules").locator(".rule").first.wait_for()
        say(page, talk.conflict)
        page.locator(".chat .conflict").wait_for()
        picture(page, folder, f"conflict-{language}")
        tab(page, "turns").locator(".card").first.wait_for()
        picture(page, folder, f"turns-{language}")
    phone = {"viewport": PHONE, "is_mobile": True, "has_touch": True}
    with visiting(browser, served, talk.thread, locale=talk.locale, **phone) as page:
        page.locator(".chat .conflict").wait_for()
        picture(page, folder, f"phone-{language}")
        page.locator(".panes button").nth(2).tap()
        page.locator(".layers > li").first.wait_for()
        picture(page, folder, f"phone-prompt-{language}")
