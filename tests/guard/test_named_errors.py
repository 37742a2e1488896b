"""What LangGraph would refuse in its own words is refused in ours, and nothing is changed by it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ninefold.state import InputError, InvalidUpdate, StepsExhausted
from tests.guard.toy import on, say, toy, window


@pytest.mark.parametrize(
    ("values", "step", "why"),
    [
        (5, None, "dict"),
        ("text", None, "dict"),
        ([1], None, "dict"),
        ({"next_cut": ()}, "nobody", "nobody"),
        ({"no_such_field": 1}, None, "no_such_field"),
        ({"turn": 3}, None, "turn"),
    ],
)
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_an_update_that_the_state_does_not_take_is_named(
    values: Any, step: str | None, why: str, asynchronous: bool
) -> None:
    graph = toy()
    graph.invoke(say("first"), on())
    before = graph.get_state(on())

    def update() -> None:
        if asynchronous:
            asyncio.run(graph.aupdate_state(on(), values, as_node=step))
        else:
            graph.update_state(on(), values, as_node=step)

    with pytest.raises(InvalidUpdate, match=why) as refused:
        update()
    assert refused.value.next_step
    assert "docs.langchain.com" not in str(refused.value)
    assert graph.get_state(on()) == before


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_a_turn_that_the_caller_gave_too_few_steps_is_named_and_taken_up(asynchronous: bool) -> None:
    graph = toy()
    few: Any = {**on(), "recursion_limit": 1}
    with pytest.raises(StepsExhausted, match="recursion_limit"):
        asyncio.run(graph.ainvoke(say("first"), few)) if asynchronous else graph.invoke(say("first"), few)
    graph.invoke(None, on())
    assert window(graph, on()) == ["human: first", "ai: re:first"]


@pytest.mark.parametrize("limit", [0, -1, "7", 2.5])
def test_a_limit_that_is_no_number_of_steps_is_refused(limit: Any) -> None:
    graph = toy()
    with pytest.raises(InputError, match="recursion_limit"):
        graph.invoke(say("first"), {**on(), "recursion_limit": limit})
    assert not graph.get_state(on()).values
