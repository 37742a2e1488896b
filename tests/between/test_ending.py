"""A rule that is ended by hand holds no longer, in later threads neither; no other rule ends with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninefold.graph.ending import end
from ninefold.graph.in_force import constraints_in_force
from ninefold.state import InputError
from tests.turn.agents import Agent, agent, config


def held(a: Agent, thread: str = "t1") -> list[str]:
    return [each.words for each in constraints_in_force(a.graph, config(thread))]


@pytest.mark.parametrize(
    ("short", "longer", "hello"),
    [
        ("Always answer in French", "Always answer in French when I write about wine", "Hello."),
        ("以后都不要用缩写", "以后都不要用缩写和表情", "你好。"),
    ],
)
def test_only_the_rule_that_was_named_ends(tmp_path: Path, short: str, longer: str, hello: str) -> None:
    with agent(tmp_path) as a:
        a.say(short)
        a.say(longer, thread="t2")
        (gone,) = (each for each in constraints_in_force(a.graph, config()) if each.words == short)
        assert end(a.graph, config(), gone.id) == gone
        assert short not in held(a)
        a.say(hello, thread="t3")
        assert short not in held(a, "t3")
        assert longer in held(a, "t3")
        with pytest.raises(InputError):
            end(a.graph, config(), gone.id)
