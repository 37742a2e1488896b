"""When something was said, as a question names it, in both languages."""

from datetime import datetime

import pytest

from ninefold.policies.dates import said_when

NOW = "2026-03-18T15:30:00+08:00"  # a Wednesday


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("上周我们聊了什么？", "2026-03-09", "2026-03-16"),
        ("What did we discuss last week?", "2026-03-09", "2026-03-16"),
        ("我昨天说的端口是多少", "2026-03-17", "2026-03-18"),
        ("What did I tell you yesterday?", "2026-03-17", "2026-03-18"),
        ("上个月决定了什么", "2026-02-01", "2026-03-01"),
        ("what did we decide last month", "2026-02-01", "2026-03-01"),
        ("我三天前说过什么", "2026-03-15", "2026-03-16"),
        ("What did I say 3 days ago?", "2026-03-15", "2026-03-16"),
        ("3月5日我们讨论的方案", "2026-03-05", "2026-03-06"),
        ("12月5日我们讨论的方案", "2025-12-05", "2025-12-06"),
        ("what was said on 2026-03-05", "2026-03-05", "2026-03-06"),
        ("去年你说过什么", "2025-01-01", "2026-01-01"),
    ],
)
def test_a_question_about_what_was_said_names_its_time(question: str, start: str, end: str) -> None:
    found = said_when(question, NOW)
    assert found is not None
    assert [moment.isoformat()[:10] for moment in map(local, found)] == [start, end]


@pytest.mark.parametrize(
    "question",
    [
        "去年我在大理住哪家民宿？",
        "Where did we stay last year?",
        "上面说的端口是多少",
        "What did I say?",
        "",
        "说 13月45日",
    ],
)
def test_a_time_of_something_else_is_no_filter(question: str) -> None:
    assert said_when(question, NOW) is None


def local(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, datetime.fromisoformat(NOW).tzinfo)
