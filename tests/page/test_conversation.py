"""A conversation at the page: a question answered, a compaction, a restart, going back, a fork, why, forgetting."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.page.shown import Served, ask, idle, say, serving, tab, visiting
from tests.turn.agents import system_text, whole_prompt

LONG = (
    "The invoice of order {number} is {amount}.50 yuan, due on 2026-0{number}-15; never send it to sales@example.com. "
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    policy = {"summary_threshold_tokens": 500}
    with serving(tmp_path_factory.mktemp("page"), light_model="none", context_policy=policy) as found:
        yield found


def long(number: int) -> str:
    return LONG.format(number=number, amount=1000 + number) * 6


def test_a_conflict_waits_for_the_person_and_their_answer_is_what_the_model_is_sent(
    browser: Browser, served: Served
) -> None:
    with visiting(browser, served, "conflict") as page:
        ask(page, "Answer in Markdown tables. The budget is 300 yuan.")
        say(page, "Give me plain text, the budget is 500 yuan.")
        question = page.locator(".chat .conflict")
        question.wait_for()
        assert "300 yuan" in question.inner_text()
        calls = len(served.wire.chats)
        for number in range(question.locator(".question").count()):
            question.locator(".question").nth(number).get_by_role("button", name="Replace it").click()
        idle(page)
        page.locator(".message.assistant").nth(1).wait_for()
        assert len(served.wire.chats) == calls + 1
        sent = whole_prompt(served.wire.chats[-1])
        assert "500 yuan" in sent
        rules = tab(page, "rules")
        rules.get_by_text("500 yuan").first.wait_for()
        assert rules.locator(".rule", has_text="300 yuan").count() == 0
        ended = rules.locator(".ended")
        ended.locator("summary").click()
        assert "300 yuan" in ended.inner_text()


def test_a_rule_is_pinned_leads_to_its_turn_and_is_ended(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "rules") as page:
        ask(page, "Never use the colour red in the drawings.")
        rules = tab(page, "rules")
        rules.locator(".rule", has_text="the colour red").get_by_text("Turn 1").wait_for()
        rules.locator("#pin").fill("All drafts are in British English")
        rules.locator("#pin").press("Enter")
        rules.locator(".rule", has_text="British English").wait_for()
        ask(page, "Draw a house.")
        assert "British English" in whole_prompt(served.wire.chats[-1])
        rules.locator(".rule", has_text="the colour red").get_by_role("button", name="End").click()
        rules.locator(".rule", has_text="the colour red").wait_for(state="detached")
        ask(page, "Draw another house.")
        assert "red" not in system_text(served.wire.chats[-1])


def test_a_compaction_shows_before_after_and_proof_and_is_taken_back(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "compaction") as page:
        for number in range(1, 6):
            ask(page, long(number))
        made = tab(page, "compactions").locator(".compaction").first
        made.locator(".proven").first.wait_for()
        before, after = (int(text.replace(",", "")) for text in made.locator("dd > span:last-child").all_inner_texts())
        assert after < before
        made.locator("details").first.locator("summary").click()
        assert "yuan" in made.locator(".was").first.inner_text()
        page.get_by_role("button", name="Undo the last").click()
        page.locator(".notice", has_text="back").wait_for()
        assert page.locator(".notice.error").count() == 0


def test_the_session_is_there_after_a_restart_of_the_server(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "restart") as page:
        ask(page, "The port is 18443.")
    assert "Traceback" not in served.stop()
    served.start()
    with visiting(browser, served, "restart") as page:
        page.locator(".message.user", has_text="The port is 18443.").wait_for()
        ask(page, "What is the port?")
        assert "The port is 18443." in whole_prompt(served.wire.chats[-1])
        assert page.locator(".divider").count() == 2


def test_going_back_to_a_turn_leaves_the_later_ones_out_of_the_prompt(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "back") as page:
        for text in ("We go to Rome.", "We travel by tram.", "We stay four nights."):
            ask(page, text)
        tab(page, "turns").locator(".card", has_text="Rome").get_by_role("button", name="Go back here").click()
        page.get_by_text("goes on from turn 1").wait_for()
        say(page, "We go by bicycle.")
        page.locator(".message.user", has_text="bicycle").wait_for()
        idle(page)
        sent = whole_prompt(served.wire.chats[-1])
        assert "Rome" in sent
        assert "tram" not in sent
        page.locator(".message.user", has_text="tram").wait_for(state="detached")
        assert page.locator(".divider").count() == 2


def test_a_fork_goes_on_under_its_own_name_and_leaves_the_other_as_it_is(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "fork") as page:
        ask(page, "We go to Rome.")
        ask(page, "We travel by tram.")
        tab(page, "turns").locator(".card", has_text="Rome").get_by_role("button", name="Fork").click()
        page.locator(".chat-head h1", has_text="(2)").wait_for()
        page.locator(".message.user", has_text="tram").wait_for(state="detached")
        ask(page, "We go by bicycle.")
        assert "tram" not in whole_prompt(served.wire.chats[-1])
        page.locator(".sessions li", has_text="fork (2)").wait_for()
        page.locator(".session[title=fork]").click()
        page.locator(".message.user", has_text="tram").wait_for()
        assert page.locator(".message.user", has_text="bicycle").count() == 0


def test_why_tells_where_words_are_and_why_others_are_not(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "why") as page:
        ask(page, "The port is 18443.")
        panel = tab(page, "why")
        panel.locator("#why").fill("18443")
        panel.locator("#why").press("Enter")
        panel.locator(".answer li.in_prompt").wait_for()
        panel.locator("#why").fill("the password of the printer")
        panel.get_by_role("button", name="Why?").click()
        panel.locator(".answer li.never_said").wait_for()


def test_the_prompt_shows_the_layers_that_were_sent_with_their_tokens(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "layers") as page:
        ask(page, "Do not use red. The port is 18443.")
        ask(page, "And the host?")
        panel = tab(page, "prompt")
        panel.get_by_text("Turn 2 of 2").wait_for()
        layers = panel.locator(".layers > li")
        assert layers.count() >= 3
        earlier = layers.filter(has_text="earlier messages")
        earlier.locator("summary").click()
        assert "The port is 18443." in earlier.locator("pre").first.inner_text()
        page.get_by_role("button", name="The turn before").click()
        panel.get_by_text("Turn 1 of 2").wait_for()
        sent = int(panel.locator(".figures strong").inner_text().replace(",", ""))
        costs = tab(page, "ledger")
        costs.locator(".plot .column").nth(1).wait_for()
        assert f"{sent:,}" in costs.locator("tbody tr").first.inner_text()
        assert costs.locator(".times dt", has_text="model_call").count() == 1


def test_a_memory_is_corrected_and_words_are_forgotten_everywhere(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "memory") as page:
        ask(page, "Remember: my locker number is 4711.")
        known = tab(page, "memories").locator(".memory.active", has_text="4711")
        known.get_by_role("button", name="Correct").click()
        page.locator("dialog textarea").fill("my locker number is 4712")
        page.locator("dialog").get_by_role("button", name="Correct").click()
        page.locator(".memory.active", has_text="4712").wait_for()
        page.locator(".memory.superseded", has_text="4711").wait_for()
        page.locator("#forget").fill("locker")
        page.locator("#forget").press("Enter")
        page.locator("dialog").get_by_role("button", name="Forget").click()
        page.locator(".memory", has_text="locker").first.wait_for(state="detached")
        page.locator(".message.user", has_text="locker").wait_for(state="detached")
        ask(page, "What do you know about me?")
        assert "locker" not in whole_prompt(served.wire.chats[-1])


def test_a_session_is_renamed_and_deleted_from_the_list(browser: Browser, served: Served) -> None:
    with visiting(browser, served, "renamed") as page:
        ask(page, "We go to Rome.")
        row = page.locator(".sessions li.open")
        row.hover()
        row.get_by_role("button", name="Rename renamed").click()
        page.locator("dialog input").fill("Rome 2027")
        page.locator("dialog input").press("Enter")
        page.locator(".chat-head h1", has_text="Rome 2027").wait_for()
        page.locator(".message.user", has_text="We go to Rome.").wait_for()
        row.hover()
        row.get_by_role("button", name="Delete Rome 2027").click()
        page.locator("dialog").get_by_role("button", name="Delete").click()
        page.locator(".sessions li", has_text="Rome 2027").wait_for(state="detached")
        page.locator(".welcome").wait_for()
