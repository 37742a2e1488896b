"""What a model's reply holds is read whatever stands around it, or it is None; thinking is never the answer."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninefold.policies.json_reply import parse_json

VALUE = {"constraints": [{"words": "不要用红色", "polarity": "forbid"}]}
TEXT = json.dumps(VALUE, ensure_ascii=False)


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```\nHope this helps!",
        f"Sure! Here it is:\n{TEXT}\nLet me know.",
        f"好的，结果如下：{TEXT}。",
        str(VALUE),
        TEXT.replace("}]}", "},]}"),
        f'<think>maybe {{"constraints": []}}</think>{TEXT}',
        f'thinking without an opening {{"constraints": []}}</think>\n{TEXT}',
        f"<THINK>x</THINK>\n{TEXT}",
        TEXT[:-1],
        TEXT[:-2],
        TEXT + "}",
        f'{{"constraints": []}}\n{TEXT}',
        json.dumps(VALUE, indent=2),
    ],
)
def test_the_object_is_read_through_fences_prose_thinking_and_missing_ends(reply: str) -> None:
    assert parse_json(reply) == VALUE


@pytest.mark.parametrize(
    "reply",
    ["", "no", "I cannot help with that.", "{", "[", '{"a": ', f"<think>{TEXT}", "42", '"text"', "null", "{a b c}"],
)
def test_where_there_is_no_answer_there_is_none(reply: str) -> None:
    assert parse_json(reply) is None


def test_half_a_list_keeps_its_whole_items() -> None:
    half = '{"constraints": [{"words": "一"}, {"words": "二"}, {"words": "三'
    assert parse_json(half) == {"constraints": [{"words": "一"}, {"words": "二"}]}


def test_brackets_inside_strings_are_letters() -> None:
    assert parse_json('x {"a": "}]{[\\""} y') == {"a": '}]{["'}


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=6), values, max_size=4), st.booleans())
def test_every_object_reads_back(value: dict[str, object], fenced: bool) -> None:
    text = json.dumps(value, ensure_ascii=fenced)
    assert parse_json(f"```json\n{text}\n```" if fenced else text) == value


@given(st.text(alphabet=st.sampled_from('{}[]",:\\ab1<>/think`\n '), max_size=200))
def test_no_reply_makes_it_fail(reply: str) -> None:
    assert isinstance(parse_json(reply), dict | list | None)


@pytest.mark.parametrize(
    "reply", ["{" * 60_000, "[" * 60_000, '{"a":' * 10_000, "}{" * 30_000, '{"a":[1,{"b":2},' * 4_000]
)
def test_a_reply_made_of_openers_costs_no_more_than_a_long_one(reply: str) -> None:
    started = time.process_time()
    parse_json(reply)
    assert time.process_time() - started < 2
