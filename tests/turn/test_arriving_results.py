"""A long structured result enters the window as what of it matters; a short one, or one out of reach, enters whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool

from ninefold import build_graph
from ninefold.policies.compaction.extraction import arriving
from ninefold.policies.references import references_in
from tests.compaction.session import TOKENS
from tests.turn.agents import Agent, Body, agent, settings
from tests.wire.replies import Call, Reply, Say

ORDERS = [
    {"id": f"A-{n:04}", "status": "open", "total": 100 + 7 * n, "note": "left at the gate and signed by the driver"}
    for n in range(30)
]
ASKED = {"zh": "订单 A-0017 的总额是多少？", "en": "What is the total of order A-0017?"}


@tool
def orders(count: int) -> str:
    """List the orders."""
    return json.dumps({"orders": ORDERS[:count]})


def called(count: int) -> Any:
    def script(body: Body) -> Reply:
        return Say("OK.") if body["messages"][-1]["role"] == "tool" else Call("orders", {"count": count})

    return script


def result(a: Agent) -> str:
    return str(a.wire.chats[-1]["messages"][-1]["content"])


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_long_json_result_enters_as_three_tenths_that_hold_what_is_asked(tmp_path: Path, language: str) -> None:
    with agent(tmp_path, called(30), tools=[orders], memory=False) as a:
        a.say(ASKED[language])
        sent, (reference,) = result(a), references_in(result(a))
    whole = json.dumps({"orders": ORDERS})
    assert len(whole) > 2000
    assert TOKENS.text(whole) < a.settings.context_policy.tool_result_tokens
    assert len(sent) <= 0.3 * len(whole)
    assert "A-0017" in sent
    assert str(100 + 7 * 17) in sent
    assert reference


def test_a_short_result_and_one_whose_rest_the_model_cannot_fetch_enter_whole(tmp_path: Path) -> None:
    with agent(tmp_path / "short", called(7), tools=[orders], memory=False) as a:
        a.say(ASKED["en"])
        assert result(a) == json.dumps({"orders": ORDERS[:7]})
    with agent(tmp_path / "other", called(30), tools=[orders], memory=False) as a:
        own = settings(a.wire.url, tmp_path / "own", memory=False).model_copy(update={"tools": ()})
        Agent(build_graph(own, tools=[orders]), a.wire, own).say(ASKED["en"])
        assert result(a) == json.dumps({"orders": ORDERS})


def test_rows_under_their_ids_stay_a_table_when_most_of_their_fields_give_way() -> None:
    rows = {f"{n}": {"size": f"{n}-inch", "colour": "grey", "weight": n / 8, "price": n * 3.5} for n in range(100, 140)}
    whole = json.dumps({"name": "Laptop", "variants": rows})
    found = arriving(whole, room=1200, beside=0, tokens=TOKENS, focus="Which ones are 117-inch?")
    assert "name: Laptop" in found.text
    assert '"' not in found.text
    assert "117|117-inch" in found.text


def test_a_fact_stands_before_prose_and_a_row_s_name_before_the_end_of_its_lists() -> None:
    prose = "The company is known for its orders and its steady growth in many regions. " * 12
    whole = json.dumps({"about": prose, "more": prose, "symbol": "AAPL", "amount": 100})
    found = arriving(whole, room=1200, beside=0, tokens=TOKENS, focus="Please check my orders of the company")
    assert "AAPL" in found.text
    assert "100" in found.text
    beside = [f"restaurant number {n} beside the park" for n in range(40)]
    places = [{"name": f"Park {n}", "restaurants beside": beside} for n in range(6)]
    found = arriving(json.dumps(places), room=1200, beside=0, tokens=TOKENS, focus="parks with restaurants")
    assert all(f"Park {n}" in found.text for n in range(6))
