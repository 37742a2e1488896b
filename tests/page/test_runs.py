"""The turns that run at the page: how they end when something breaks, and when they cannot be stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from ninefold.console.happenings import Ended, Happening, Written
from ninefold.page.runs import Runs
from ninefold.state import Language
from ninefold.wording import Wording

WORDS = {Language.ENGLISH: "Your message is kept.", Language.CHINESE: "您的消息已保留"}


async def nothing() -> None:
    """Do nothing while nobody waits."""


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("before", [0, 2])
def test_an_error_without_a_name_of_ours_is_told_as_a_failed_turn(before: int, language: Language) -> None:
    wrong: list[dict[str, Any]] = []

    async def breaks() -> AsyncGenerator[Happening, None]:
        for number in range(before):
            yield Written("m", f"word {number} ")
        raise ZeroDivisionError("division by zero")

    async def play() -> list[dict[str, Any]]:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: wrong.append(context))
        runs = Runs()
        run = runs.begin("t", "hello", breaks(), Wording(language), nothing)
        told = [event async for event in run.watch()]
        await asyncio.sleep(0)
        assert not runs.running("t")
        assert not await runs.stop("t")
        return told

    told = asyncio.run(play())
    assert wrong == []
    assert [event["kind"] for event in told] == ["text"] * before + ["failed", "over"]
    assert told[-2]["error"] == "ZeroDivisionError"
    assert "ZeroDivisionError" in told[-2]["words"]
    assert WORDS[language] in told[-2]["words"]


def test_a_stop_tells_whether_the_turn_is_stopped() -> None:
    async def play() -> None:
        writing, written = asyncio.Event(), asyncio.Event()

        async def writes() -> AsyncGenerator[Happening, None]:
            yield Written("m", "a word")
            writing.set()
            try:
                await asyncio.sleep(60)
            finally:
                await written.wait()

        runs = Runs(patience=0.05)
        run = runs.begin("t", "hello", writes(), Wording(Language.ENGLISH), nothing)
        await writing.wait()
        assert not await runs.stop("t")
        assert runs.running("t")
        written.set()
        assert [event["kind"] async for event in run.watch()] == ["text", "stopped", "over"]
        run = runs.begin("t", "hello", writes(), Wording(Language.ENGLISH), nothing)
        writing.clear()
        await writing.wait()
        assert await runs.stop("t")

    asyncio.run(play())


def test_what_is_done_while_nobody_waits_is_ended_at_a_word() -> None:
    async def play() -> list[str]:
        seen: list[str] = []
        begun = asyncio.Event()

        async def prepares() -> None:
            begun.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                seen.append("ended")
                raise

        async def answers() -> AsyncGenerator[Happening, None]:
            yield Ended(None, None)

        runs = Runs()
        runs.begin("t", "hello", answers(), Wording(Language.ENGLISH), prepares)
        await begun.wait()
        await runs.rest()
        return seen

    assert asyncio.run(play()) == ["ended"]
