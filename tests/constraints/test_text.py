"""Text is cut at its own joints, and what says no is heard in both languages."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from ninefold.policies.negation import is_negated, negations
from ninefold.policies.text import Span, clauses, detect_language, plain_text, sentences, strip_quoted
from ninefold.state import Language


def texts(spans: tuple[Span, ...]) -> list[str]:
    return [span.text for span in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("不要红色。可以吗？好！", ["不要红色。", "可以吗？", "好！"]),
        (
            "Use v1.2.3. See a.b/c?d=1 now. Mr. Li pays 4.5 dollars.",
            ["Use v1.2.3.", "See a.b/c?d=1 now.", "Mr. Li pays 4.5 dollars."],
        ),
        ("第一行\n第二行", ["第一行", "第二行"]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("Really?! Yes…", ["Really?!", "Yes…"]),
        ("好的.然后呢", ["好的.", "然后呢"]),
    ],
)
def test_sentences_end_at_their_marks_and_nowhere_else(text: str, expected: list[str]) -> None:
    assert texts(sentences(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("不要正文，输出成 CSV；谢谢", ["不要正文", "输出成 CSV", "谢谢"]),
        ("价格 30,000 元，时间 10:30", ["价格 30,000 元", "时间 10:30"]),
        ("no red, no blue; keep https://a.b/c,d", ["no red", "no blue", "keep https://a.b/c", "d"]),
        ("要求：简短", ["要求", "简短"]),
        ("能玩2小时 - 4小时的", ["能玩2小时 - 4小时的"]),
    ],
)
def test_clauses_end_at_commas_and_colons_but_not_inside_numbers(text: str, expected: list[str]) -> None:
    assert texts(clauses(text)) == expected


@given(st.text(alphabet=st.sampled_from("ab不要。，,.!?？:：;\n \"“”'`>1９…-—"), max_size=80))
def test_spans_are_spans_and_never_overlap(text: str) -> None:
    for spans in (sentences(text), clauses(text), negations(text)):
        assert all(text[span.start : span.end] == span.text for span in spans)
        assert all(one.end <= other.start for one, other in pairwise(spans))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他说“不要红色”吧", "他说      吧"),
        ("don't use 'red' here", "don't use       here"),
        ("run `rm -rf` now", "run          now"),
        ("> quoted\nmine", "        \nmine"),
        ("```\ncode\n``` mine", "   \n    \n    mine"),
        ("it's Ann's book", "it's Ann's book"),
    ],
)
def test_quoted_speech_and_code_are_blanked_at_the_same_length(text: str, expected: str) -> None:
    assert strip_quoted(text) == expected


@given(st.text(max_size=200))
def test_blanking_keeps_the_length(text: str) -> None:
    assert len(strip_quoted(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("你好", "zh"),
        ("hello there", "en"),
        ("用 JSON 输出", "zh"),
        ("Please explain 红", "en"),
        ("", "en"),
        ("123", "en"),
    ],
)
def test_the_language_is_that_of_most_words(text: str, language: str) -> None:
    assert detect_language(text) is Language(language)


def test_the_text_of_a_message_is_its_text_blocks() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    assert plain_text(HumanMessage([{"type": "text", "text": "one"}, image, "two"])) == "one\ntwo"
    assert plain_text(HumanMessage("one")) == "one"


@pytest.mark.parametrize(
    "text",
    [
        "不要用红色",
        "别加糖",
        "禁止吸烟",
        "避免圆角",
        "无需登录",
        "除了蓝色都不行",
        "红色就算了吧",
        "我对花生过敏",
        "不含税",
        "未付款",
        "don't use red",
        "dont use red",
        "never again",
        "no red",
        "without images",
        "avoid bold",
        "anything but red",
        "I cannot come",
        "except Mondays",
        "gluten-free",
        "I'd rather not",
    ],
)
def test_what_says_no_is_heard(text: str) -> None:
    assert is_negated(text)
    assert texts(negations(f"好，{text}。")) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "特别好",
        "不错",
        "区别在哪",
        "要不要加红色",
        "有没有蓝色",
        "没问题",
        "差不多",
        "不但快",
        "不管怎样都行",
        "无论如何",
        "性别",
        "免费",
        "not only fast but cheap",
        "no problem",
        "why not",
        "I can't wait",
        "no worries",
        "No. 5",
        "whether or not",
    ],
)
def test_words_that_only_look_like_a_no_turn_nothing_round(text: str) -> None:
    assert not is_negated(text)
