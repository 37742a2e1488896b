"""A rule of the first turn after forty turns of an agent that LangChain runs: in the bytes, within the window."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bugs.wire_laws import over_the_window
from tests.middleware.agents import CONFIG, opened, orphans, say
from tests.turn.agents import Body, server_count, whole_prompt
from tests.wire.replies import Call, Reply, Say
from tests.wire.server import WireServer

TALKS = {
    "en": ("Hard rules: never use red, and all amounts must be in dollars.", "Look at part {n} of the plan, "),
    "zh": ("硬性规定：不要用红色，不要用表格，所有金额用人民币。", "再看一下方案的第 {n} 部分，"),
}


def answered(body: Body) -> Reply:
    last = body["messages"][-1]
    if last["role"] == "user" and "orders" in last["content"]:
        return Call("orders", {"month": "2026-05"})
    return Say("It is fine as it stands. " * 20)


@pytest.mark.parametrize("language", TALKS)
def test_a_rule_stands_word_for_word_in_every_prompt_and_each_prompt_fits(language: str, tmp_path: Path) -> None:
    rule, remark = TALKS[language]
    said = [rule, *(remark.format(n=n) + ("orders of May" if n % 8 == 0 else "and more. " * 20) for n in range(39))]
    with WireServer(answered, count=server_count) as wire:
        with opened(wire, tmp_path) as agent:
            for text in said[:20]:
                say(agent, text)
        # Another program goes on with the same checkpoints.
        with opened(wire, tmp_path) as agent:
            for text in said[20:]:
                say(agent, text)
            values = agent.get_state(CONFIG).values
        assert len(wire.chats) == 45
        for body in wire.chats:
            assert rule in whole_prompt(body)
            assert over_the_window(body) == ""
            assert orphans(body) == []
            assert body["options"] == {"num_ctx": 4096, "num_predict": 1024}
    history = values["messages"]
    assert [message.text for message in history if message.type == "human"] == said
    assert {len(message.text) for message in history if message.type == "tool"} == {len(orders_of_may())}
    kept = values["ninefold"]
    assert kept["counters"]["compactions"] > 0
    assert len(kept["entries"]) < len(history) / 2
    assert kept["summary"]["other_facts"]


def orders_of_may() -> str:
    from tests.middleware.agents import orders

    return str(orders.invoke({"month": "2026-05"}))
