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
        ("What did I ask yesterday?", "2026-03-17", "2026-03-18"),
        ("我昨天问了什么", "2026-03-17", "2026-03-18"),
        ("我大前天说过什么", "2026-03-15", "2026-03-16"),
        ("我前天说过什么", "2026-03-16", "2026-03-17"),
        ("what did I say the day before yesterday", "2026-03-16", "2026-03-17"),
        ("上上个月我们聊了什么", "2026-01-01", "2026-02-01"),
        ("what did we discuss the month before last", "2026-01-01", "2026-02-01"),
        ("what did we say on 3/5", "2026-03-05", "2026-03-06"),
        ("what did we say on 2026.3.5", "2026-03-05", "2026-03-06"),
        ("What did I tell you on 5 March?", "2026-03-05", "2026-03-06"),
        ("what did you recommend on Dec. 24th, 2025?", "2025-12-24", "2025-12-25"),
        ("3月5号你给我推荐了什么", "2026-03-05", "2026-03-06"),
        ("三月五号你给我推荐了什么", "2026-03-05", "2026-03-06"),
        ("周一三月五日我们讨论的方案", "2026-03-05", "2026-03-06"),
        ("三月份5号我说过什么", "2026-03-05", "2026-03-06"),
        ("二〇二五年十二月二十四日我说过什么", "2025-12-24", "2025-12-25"),
        ("十二月三十一号我们聊了什么", "2025-12-31", "2026-01-01"),
        ("What did I tell you on March the 5th?", "2026-03-05", "2026-03-06"),
        ("What did I tell you on the fifth of March?", "2026-03-05", "2026-03-06"),
        ("what did we decide on the 5th of March", "2026-03-05", "2026-03-06"),
        ("what did you recommend on December twenty-fourth, 2025?", "2025-12-24", "2025-12-25"),
        ("what did we say on the thirty first of December", "2025-12-31", "2026-01-01"),
        ("一个礼拜前我说过什么", "2026-03-08", "2026-03-15"),
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
        "what did we say about version 3.5?",
        "版本3.5我们怎么说的",
        "What did we say about pages 3-5?",
        "以前天天说的那句话",
        "今天的问题怎么解决",
        "昨天的小说好看吗",
        "前提到底是什么，今天",
        "今天的讲座在哪",
        "What is on the task list today?",
        "晚上周杰伦说了什么",
        "推荐一部去年的电影",
        "who said that may 5 people come?",
        "what did we say on 31 February?",
        "what did we say on the thirty-first of February?",
        "二月三十日我说过什么",
        "他说三月五号线要停运",
        "what did we say about the first of them?",
    ],
)
def test_a_time_of_something_else_is_no_filter(question: str) -> None:
    assert said_when(question, NOW) is None


def local(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, datetime.fromisoformat(NOW).tzinfo)
