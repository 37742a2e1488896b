"""A turn that is killed at any port call and resumed in a new process is the turn that was never killed.

Here each step dies at its first call and after its last; `python -m bench.crash` dies at every one.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.crash.harness import FIRST, SECOND, THIRD, Death, Result, difference, followed, prepared, resumed


class Prepared(NamedTuple):
    base: Path
    deaths: list[Death]
    expected: Result


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(*prepared(tmp_path_factory.mktemp("crash")))


def one_round(deaths: list[Death]) -> list[Death]:
    """Give for each step, and for the first writes of the turn, the earliest and the latest death."""
    chosen = deaths[3:8:2]
    seen: set[str] = set()
    for node, group in groupby(deaths, key=lambda death: death.name.split(":")[0]):
        if node != "between" and node not in seen:
            first, *_, last = group
            chosen += [last] if node in _READS else [first, last]
            seen.add(node)
    return [*chosen, deaths[-1]]


_READS = ("turn_start", "assembly", "fidelity_check", "memory_retrieval")
"""Steps whose ports only give: their second death is left to the bench."""


def test_the_round_has_every_step_that_calls_a_port(ready: Prepared) -> None:
    nodes = {death.name.split(":")[0] for death in one_round(ready.deaths)}
    assert nodes >= {"turn_start", "memory_retrieval", "assembly", "fidelity_check", "model_call", "tool_call"}
    assert "memory_write" in nodes
    assert ready.expected["outcome"] == "answered"
    assert [text for text in ready.expected["window"] if "human" in text] == [f"human: {FIRST}", f"human: {SECOND}"]


def test_a_killed_turn_that_is_resumed_loses_nothing_and_doubles_nothing(ready: Prepared, tmp_path: Path) -> None:
    for place, death in enumerate(one_round(ready.deaths)):
        after = resumed(ready.base, tmp_path / "turn", death, again=place % 2 == 0)
        assert difference(after, ready.expected, death) == "", str(death)


def test_a_turn_whose_tool_was_killed_ends_as_interrupted_and_says_which_tool(ready: Prepared, tmp_path: Path) -> None:
    death = next(death for death in ready.deaths if death.name == "tool_call: tool.stock" and death.side == "after")
    after = resumed(ready.base, tmp_path / "turn", death, again=False)
    assert after["outcome"] == "interrupted"
    told = after["notes"][0].removesuffix(" (stock)")
    assert "stock" in told
    assert after["window"][-2:] == [f"tool: {told}", f"ai: 查到了：{told}"]


def test_a_new_message_after_a_killed_turn_loses_nothing_that_was_said(ready: Prepared, tmp_path: Path) -> None:
    for death in one_round(ready.deaths)[::3]:
        durable, after = followed(ready.base, tmp_path / "turn", death)
        check_followed(ready.expected, death, durable=durable, after=after)


def same_words(memories: list[str]) -> list[str]:
    return sorted(text.rstrip("。") for text in memories)


def check_followed(expected: Result, death: Death, *, durable: bool, after: Result) -> None:
    """Assert that what was said before a death is answered, obeyed and remembered with the next message."""
    spoken = [FIRST, SECOND, THIRD] if durable else [FIRST, THIRD]
    human = [text.removeprefix("human: ") for text in after["window"] if text.startswith("human: ")]
    assert human == spoken, f"{death}: {after}"
    assert after["archive"] == after["window"], f"{death}: {after}"
    assert after["window"][-1].startswith("ai: ")
    assert (after["open_calls"], after["unprocessed"], after["outcome"]) == ([], [], "answered"), f"{death}: {after}"
    assert len(set(after["memories"])) == len(after["memories"])
    if durable:
        assert after["constraints"] == expected["constraints"], f"{death}: {after}"
        assert same_words(after["memories"]) == same_words(expected["memories"]), f"{death}: {after}"
