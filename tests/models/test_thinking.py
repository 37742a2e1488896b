"""Thoughts are taken out of a model's reply, talk about the tags is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninefold.adapters.models.thinking import strip_thinking


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('<think>{"keep":false}</think>{"keep":true}', '{"keep":true}'),
        ("<think>\n想一想\n</think>\n\n答案是 3。", "答案是 3。"),
        ("\n <think>a</think> b", "b"),
        ("<think>never closed", ""),
        ("its thought\n</think>\nanswer", "answer"),
        ("thought</think>answer", "answer"),
        ("<THINK>a</THINK>b", "b"),
        ("<thinking>a</thinking>b", "b"),
        ("<think>a</think>b\n<think>c</think>\nd", "b\nd"),
    ],
)
def test_thoughts_leave_the_answer_only(reply: str, answer: str) -> None:
    assert strip_thinking(reply) == answer


@pytest.mark.parametrize(
    "reply",
    [
        "The tag <think> opens a thought.",
        "Models write `<think>` first and `</think>` last.",
        "```xml\n<think>\nexample\n</think>\n```\nas above",
        "a < b",
        "  kept as it is \n",
    ],
)
def test_a_reply_about_the_tags_is_kept(reply: str) -> None:
    assert strip_thinking(reply) == reply


@given(st.text().filter(lambda text: "think" not in text.lower()))
def test_a_text_without_think_tags_is_given_back_as_it_is(text: str) -> None:
    assert strip_thinking(text) == text


@given(st.text(alphabet="ab \n"), st.text(alphabet="ab` \n</think>"))
def test_a_closed_thought_in_front_changes_nothing_else(thought: str, answer: str) -> None:
    once = strip_thinking(answer)
    assert strip_thinking(f"<think>{thought}</think>\n{answer}").strip() == once.strip()
