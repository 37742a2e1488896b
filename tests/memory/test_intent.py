"""When the memories are asked, and what for."""

from pathlib import Path

import pytest

from ninefold.policies.intent import QUERY_CHARACTERS, RuleIntent, asks_for_a_reply

SMALL_TALK = Path(__file__).parents[2] / "bench" / "small_talk"


@pytest.mark.parametrize(
    "words",
    [
        "我之前说过数据库用什么？",
        "What did we decide about the database?",
        "我妈妈的生日是哪天来着",
        "Where do I live",
        "When did Mary plant the roses?",
        "按我们上次定的格式来",
        "Same as last time",
        "帮我写项目的部署文档",
        "Write the deployment guide for our project.",
        "那个在上海工作的人叫什么名字",
        "今天天气真好，对了，我的航班是几点？",
        "Hi there! By the way, what is my flight number?",
    ],
)
def test_whatever_may_need_the_memories_asks_them(words: str) -> None:
    assert RuleIntent().judge(words).search


@pytest.mark.parametrize(
    "words", ["你好呀！", "hi there", "谢谢，辛苦了", "How are you today?", "今天天气真不错", "哈哈哈", "", " "]
)
def test_small_talk_asks_for_nothing(words: str) -> None:
    assert not RuleIntent().judge(words).search


@pytest.mark.parametrize(
    ("words", "search"),
    [
        ("请记住：打印的负责人是林工，编号是 1259。", False),
        ("麻烦你记一下，仓库的端口是 18443", False),
        ("Please remember that the port is 18443.", False),
        ("Keep in mind: the deadline is 5 May.", False),
        ("请记住打印的负责人是林工，然后帮我写一封邮件。", True),
        ("Remember what we said about the port?", True),
        ("Note that the port changed, and please write the mail.", True),
        ("你还记得我的端口吗", True),
    ],
)
def test_who_asks_to_keep_a_thing_asks_for_nothing_else_by_that(words: str, search: bool) -> None:
    assert RuleIntent().judge(words).search is search


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("你上次给我推荐了哪本书？", True),
        ("关于放松，你的建议是什么？", True),
        ("Which book did you recommend?", True),
        ("What was your advice on the lease?", True),
        ("我给你推荐过哪本书？", False),
        ("Which book did I recommend to you?", False),
        ("What do you know about my lease?", False),
    ],
)
def test_a_question_for_what_the_assistant_said_is_told_from_one_for_the_persons_words(
    question: str, reply: bool
) -> None:
    assert asks_for_a_reply(question) is reply


@pytest.mark.parametrize("language", ["zh", "en"])
def test_at_most_a_tenth_of_the_small_talk_starts_a_search(language: str) -> None:
    lines = [line for line in (SMALL_TALK / f"{language}.txt").read_text(encoding="utf-8").splitlines() if line]
    assert len(lines) >= 60
    assert sum(RuleIntent().judge(line).search for line in lines) <= len(lines) / 10


def test_the_query_is_the_question_and_not_the_chat_around_it() -> None:
    words = "今天天气真好，我刚喝了杯咖啡。对了，我表姐的身高是多少？另外晚上得去超市。"
    assert RuleIntent().judge(words).query == "对了，我表姐的身高是多少？"
    assert (
        RuleIntent().judge("It rained. I had soup. What is Ann's phone number?").query == "What is Ann's phone number?"
    )


def test_a_short_follow_up_is_asked_together_with_the_words_before_it() -> None:
    assert "数据库" in RuleIntent().judge("那端口呢？", before=["我们的数据库用什么？"]).query
    assert "database" in RuleIntent().judge("And why?", before=["Which database do we use?"]).query


def test_a_long_message_makes_a_short_query() -> None:
    assert len(RuleIntent().judge("我的端口是多少？" * 5000).query) <= QUERY_CHARACTERS + 1
