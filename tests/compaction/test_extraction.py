"""A result is cut to what is asked about: small, honest about what it dropped, and right in its middle."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninefold.policies.compaction import extract
from tests.compaction.session import TOKENS
from tests.examples import examples

ORDERS = (
    '{ "status": "success", "request_id": "abc-123-def-456", "timestamp": "2024-01-15T10:30:00Z", "data": { "user": '
    '{"id": 1001, "name": "张三", "email": "zhangsan@example.com", "created_at": "2023-05-01"}, "orders": [ '
    '{"order_id": "O001", "amount": 299, "status": "paid", "items": 3}, {"order_id": "O002", "amount": 158, "status": '
    '"pending", "items": 1} ] }, "meta": {"page": 1, "total": 2, "elapsed_ms": 45} }'
)


def test_the_seeds_result_keeps_user_orders_amounts_and_states_in_two_fifths() -> None:
    whole = TOKENS.text(ORDERS)
    found = extract(ORDERS, limit=whole * 2 // 5, tokens=TOKENS, focus="查一下张三的订单")
    assert TOKENS.text(found.text) <= whole * 2 // 5
    for value in ("张三", "1001", "O001", "299", "paid", "O002", "158", "pending"):
        assert value in found.text
    assert {"$.request_id", "$.timestamp", "$.status", "$.data.user.email"} <= set(found.dropped)
    assert "$.data.orders[*].status" not in found.dropped


def test_a_status_in_the_data_is_data_and_one_that_tells_of_a_failure_stays() -> None:
    found = extract('{"status": "failed", "error": "no seat"}', limit=40, tokens=TOKENS, focus="")
    assert "failed" in found.text
    assert "no seat" in found.text
    assert "status" not in extract('{"status": "success", "seat": "12A"}', limit=40, tokens=TOKENS, focus="").text


def _rows(count: int) -> list[dict[str, object]]:
    chance = random.Random(7)
    return [
        {
            "flight": f"HAT{index:04d}",
            "origin": chance.choice(["SHA", "PEK", "CAN"]),
            "price": chance.randint(200, 4000),
            "seats": {"economy": chance.randint(0, 30), "business": chance.randint(0, 9)},
            "note": "regular service, meals on board, no refund after departure",
        }
        for index in range(count)
    ]


def test_a_row_in_the_middle_of_a_huge_json_result_is_kept_when_it_is_asked_for() -> None:
    rows = _rows(600)
    text = json.dumps({"status": "ok", "flights": rows})
    assert TOKENS.text(text) > 30_000
    for focus in ("How many business seats has HAT0311?", "航班 HAT0311 还有多少公务舱座位？"):
        found = extract(text, limit=1000, tokens=TOKENS, focus=focus)
        assert TOKENS.text(found.text) <= 1000
        assert "HAT0311" in found.text
        assert str(rows[311]["price"]) in found.text
        lines = [line.strip() for line in found.text.splitlines()]
        header = next(line for line in lines if "seats.business" in line)
        row = next(line for line in lines if "HAT0311" in line)
        seats = rows[311]["seats"]
        assert isinstance(seats, dict)
        assert dict(zip(header.split("|"), row.split("|"), strict=True))["seats.business"] == str(seats["business"])


@pytest.mark.parametrize(
    ("text", "focus", "wanted"),
    [
        (
            "\n".join(
                f"2024-05-{i % 28 + 1:02d} 10:{i % 60:02d}:00 INFO worker {i} finished batch {i * 7}"
                for i in range(1500)
            )
            + "\n2024-06-02 03:14:15 ERROR payment 88217 was refused: card expired\n"
            + "\n".join(f"2024-06-03 10:{i % 60:02d}:00 INFO worker {i} finished batch {i * 9}" for i in range(800)),
            "why did the payment fail?",
            "ERROR payment 88217 was refused: card expired",
        ),
        (
            "城市,人口,面积\n"
            + "\n".join(f"城市{i},{i * 1000 + 17},{i * 3}" for i in range(3000))
            + "\n海口,2873358,2297",
            "海口的面积是多少？",
            "海口,2873358,2297",
        ),
        (
            "| name | port |\n|---|---|\n" + "\n".join(f"| service-{i} | {7000 + i} |" for i in range(2500)),
            "On which port is service-1234?",
            "| service-1234 | 8234 |",
        ),
        (
            "<html><head><title>Manual</title><style>p{color:red}</style></head><body>"
            + "".join(
                f"<h2>Chapter {i}</h2><p>Text about topic{i} and what belongs to it, at some length.</p>"
                for i in range(900)
            )
            + "<h2>Torque</h2><p>The wheel nuts are tightened with 118 Nm.</p></body></html>",
            "wheel nuts torque?",
            "The wheel nuts are tightened with 118 Nm.",
        ),
    ],
    ids=["log", "csv", "markdown table", "html"],
)
def test_a_line_in_a_huge_text_is_kept_when_it_is_asked_for(text: str, focus: str, wanted: str) -> None:
    found = extract(text, limit=600, tokens=TOKENS, focus=focus)
    assert TOKENS.text(found.text) <= 600
    assert wanted in found.text
    assert found.dropped


def test_markup_scripts_and_styles_of_a_page_are_gone() -> None:
    page = "<!doctype html><html><style>a{}</style><script>var x=1</script><h1>Hi</h1><p>a &amp; b</p></html>"
    assert extract(page, limit=50, tokens=TOKENS, focus="").text == "# Hi\na & b"


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(min_size=1, max_size=6), inner, max_size=5),
    max_leaves=40,
)


@examples(200)
@given(_json, st.integers(min_value=1, max_value=120), st.text(max_size=12))
def test_an_extract_never_takes_more_than_its_limit(tree: object, limit: int, focus: str) -> None:
    text = json.dumps(tree, ensure_ascii=False)
    assert TOKENS.text(extract(text, limit=limit, tokens=TOKENS, focus=focus).text) <= limit


@examples(200)
@given(st.text(max_size=400), st.integers(min_value=1, max_value=60))
def test_any_text_is_cut_within_its_limit(text: str, limit: int) -> None:
    assert TOKENS.text(extract(text, limit=limit, tokens=TOKENS, focus="").text) <= limit


@examples(100)
@given(
    st.lists(
        st.fixed_dictionaries({"id": st.integers(0, 999), "v": st.text("abc", max_size=3)}), min_size=1, max_size=30
    )
)
def test_every_value_that_is_not_shown_is_listed_as_dropped(rows: list[dict[str, object]]) -> None:
    text = json.dumps(rows)
    found = extract(text, limit=40, tokens=TOKENS, focus="")
    shown = sum(1 for row in rows if str(row["id"]) in found.text)
    if shown < len({str(row["id"]) for row in rows}):
        assert any(path.startswith("$[*].id") for path in found.dropped)
