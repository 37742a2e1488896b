"""Exact values are found in both writing systems, and two ways of writing one value are one value."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninefold.policies.keeping.held import Held
from ninefold.policies.values import FINDERS, exact_values
from tests.examples import examples

_DIGITS = "零一二三四五六七八九"


def canonical(text: str) -> list[str]:
    return [value.canonical for value in exact_values(text)]


def in_han(number: int) -> str:
    """Write a number below a hundred million in Chinese numerals."""
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        gap = "零" if 0 < low < 1000 else ""
        return f"{in_han(high)}万{gap}{in_han(low) if low else ''}"
    text, zero = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, unit)
        if digit:
            text += ("零" if zero and text else "") + _DIGITS[digit] + name
            zero = False
        else:
            zero = True
    return text


def wide(text: str) -> str:
    return text.translate({ord(d): ord(d) + 0xFEE0 for d in "0123456789"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("预算三万元", ["30000 cny"]),
        ("30,000 元", ["30000 cny"]),
        ("３００００元", ["30000 cny"]),
        ("3 万块", ["30000 cny"]),
        ("三万五", ["35000"]),
        ("thirty thousand dollars", ["30000 usd"]),
        ("$30,000", ["30000 usd"]),
        ("30k tokens", ["30000 token"]),
        ("百分之三十", ["30 %"]),
        ("30％", ["30 %"]),
        ("30 percent", ["30 %"]),
        ("4.5分以上", ["4.5 point"]),
        ("10-20人", ["10..20 person"]),
        ("3-5 万", ["30000..50000"]),
        ("2024年1月15日", ["2024-01-15"]),
        ("2024-01-15", ["2024-01-15"]),
        ("January 15, 2024", ["2024-01-15"]),
        ("15 January 2024", ["2024-01-15"]),
        ("二〇二四年一月十五日", ["2024-01-15"]),
        ("下午3点半", ["15:30"]),
        ("3:30 pm", ["15:30"]),
        ("下周三", ["wed"]),
        ("next Wednesday", ["wed"]),
        ("订单 O001", ["o001"]),
        ("电话 13800138000", ["13800138000"]),
        ("mail ann@example.com", ["ann@example.com"]),
        ("见 /etc/nginx/nginx.conf", ["/etc/nginx/nginx.conf"]),
        ("open src/main.py", ["src/main.py"]),
        ("打开 https://a.example/b?c=1。", ["https://a.example/b?c=1"]),
        ("v1.2.3", ["1.2.3"]),
        ("我叫王小明", ["@王小明"]),
        ("the cat is called Blue Heron", ["@blue heron"]),
    ],
)
def test_a_value_has_one_canonical_form(text: str, expected: list[str]) -> None:
    assert canonical(text) == expected


@pytest.mark.parametrize(
    "text", ["一个人一下子就好了", "千万别忘，万一十分麻烦", "三心二意", "one of them", "no value here", "第一", ""]
)
def test_words_that_only_look_like_numbers_are_none(text: str) -> None:
    assert canonical(text) == []


@given(st.integers(min_value=11, max_value=99_999_999))
def test_a_number_is_the_same_in_digits_groups_full_width_and_han(number: int) -> None:
    ways = [str(number), f"{number:,}", wide(str(number)), in_han(number)]
    assert {tuple(canonical(f"共{way}元")) for way in ways} == {(f"{number} cny",)}


@given(st.integers(min_value=11, max_value=99_999_999), st.integers(min_value=11, max_value=99_999_999))
def test_two_numbers_are_held_as_one_only_when_they_are_equal(one: int, other: int) -> None:
    (value,) = exact_values(f"共{in_han(one)}元")
    assert Held([f"the total is {other:,} RMB"]).value(value) == (one == other)


@given(st.text(alphabet="订单O0123456789三万五千元年月日:.,-/，。点 abcdeXYZ\n“”@#v%", max_size=60))
def test_values_are_spans_of_the_text_and_never_overlap(text: str) -> None:
    end = 0
    for value in exact_values(text):
        assert text[value.start : value.end] == value.text
        assert value.start >= end
        end = value.end


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("预算是30公里", "预算是30米"),
        ("花了28,500元", "花了28,500美元"),
        ("三月五日", "三月六日"),
        ("订单 A17", "订单 A71"),
        ("v2.3.1", "v2.3.2"),
        ("共 30 人", "共 30"),
        ("in /data/a/b.json", "in /data/a/c.json"),
    ],
)
def test_another_value_does_not_hold_the_first(said: str, told: str) -> None:
    (value,) = exact_values(said)
    assert not Held([told]).value(value)
    assert Held([f"旁边的话，{said}，后面的话"]).value(value)


def test_a_long_run_of_letters_is_read_once() -> None:
    began = time.process_time()
    assert exact_values("x" * 100_000) == ()
    assert time.process_time() - began < 10


_LETTERS = st.characters(codec="gb18030", exclude_characters="\u0131\u017f\u0130\u212a", exclude_categories=["Cs"])
"""Without the four letters that a pattern takes for an i, an s or a k and nobody writes a number with."""


@examples(12 * 25)
@given(st.data())
def test_a_text_in_which_a_kind_is_found_has_its_sign(data: st.DataObject) -> None:
    _, sign, pattern, _ = data.draw(st.sampled_from(FINDERS))
    text = data.draw(st.from_regex(pattern, alphabet=_LETTERS))
    assert sign(text)
