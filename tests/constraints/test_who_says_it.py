"""Whose words a demand is, how far it reaches, and that brackets and letters of another width hide none."""

import pytest

from ninefold.policies.constraints import extract
from ninefold.state import Polarity, Scope


def heard(text: str) -> list[tuple[str, Polarity, Scope]]:
    return [(wish.words, wish.polarity, wish.scope) for wish in extract(text).wishes]


@pytest.mark.parametrize(
    "text",
    [
        "Use the stairs, said the sign, so I walked.",
        "Make sure your seat belt is on, the pilot said.",
        "Stop right there! I yelled at the driver.",
        "不要停车！我对司机大喊。",
        "请不要挂断，电话里的声音说。",
        "一律八折，超市门口写的。",
    ],
)
def test_what_someone_else_is_said_to_have_said_is_no_rule(text: str) -> None:
    assert heard(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Never use tables, my boss said.", "Never use tables"),
        ("Never deploy on Fridays, my boss says.", "Never deploy on Fridays"),
        ("No peanuts, the doctor said.", "No peanuts"),
        ("Never use eval, I said!", "Never use eval"),
        ("Never save passwords. Read the policy first.", "Never save passwords"),
        ("不要用红色，老板说的。", "不要用红色"),
        ("不要吃辣，医生说的。", "不要吃辣"),
        ("别碰生产库，我妈这么教我。", "别碰生产库"),
    ],
)
def test_a_rule_of_someone_whose_word_counts_is_passed_on(text: str, words: str) -> None:
    said, polarity, _ = heard(text)[0]
    assert said.startswith(words)
    assert polarity is Polarity.FORBID


@pytest.mark.parametrize("text", ["Answer in one sentence: what is gravity?", "用一句话回答：什么是引力？"])
def test_what_bounds_the_one_question_behind_it_ends_with_it(text: str) -> None:
    ((_, _, scope),) = heard(text)
    assert scope is Scope.TURN


def test_a_demand_for_whatever_is_written_outlives_the_question() -> None:
    assert heard("Answer in euros: what does it cost?") == [("Answer in euros", Polarity.REQUIRE, Scope.SESSION)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Answer in English (never in German)",
            [("Answer in English", Polarity.REQUIRE), ("never in German", Polarity.FORBID)],
        ),
        ("用表格（不要列表）回答", [("用表格", Polarity.REQUIRE), ("不要列表", Polarity.FORBID)]),
        ("Never (and I mean it) use tables", [("Never (and I mean it) use tables", Polarity.FORBID)]),
        ("Ｎｅｖｅｒ use tables", [("Ｎｅｖｅｒ use tables", Polarity.FORBID)]),
    ],
)
def test_brackets_and_full_width_letters_hide_no_rule(text: str, expected: list[tuple[str, Polarity]]) -> None:
    assert [(words, polarity) for words, polarity, _ in heard(text)] == expected
    assert all(words in text for words, _ in expected)


@pytest.mark.parametrize("text", ["Call me when you land.", "Call me back tomorrow."])
def test_to_be_called_at_some_time_is_no_name(text: str) -> None:
    assert all(wish.key != "name" for wish in extract(text).wishes)


@pytest.mark.parametrize("text", ["这次会话里每次回答不超过五十个字。", "本次会话回答不超过50个字。"])
def test_a_demand_of_this_session_is_one(text: str) -> None:
    ((words, polarity, scope),) = heard(text)
    assert (words, polarity, scope) == (text.rstrip("。"), Polarity.REQUIRE, Scope.SESSION)


@pytest.mark.parametrize(
    "text",
    [
        "For this one only you may mention prices: what does a coffee cost in Rome?",
        "这一次可以提价格：罗马一杯咖啡多少钱？",
    ],
)
def test_a_permission_for_one_answer_ends_with_it(text: str) -> None:
    ((_, polarity, scope),) = heard(text)
    assert (polarity, scope) == (Polarity.PREFER, Scope.TURN)


@pytest.mark.parametrize(
    "text",
    [
        "Use the stairs example in every answer.",
        "Always put the car chapter first.",
        "Leave the window quotes as they are.",
        "Everybody in the list needs a phone number.",
        "Call me at work by my surname.",
        "Only two options left open at most.",
        "No words left untranslated.",
        "孩子的故事不要有暴力。",
        "这个报告必须用表格。",
        "别错过任何一个错别字。",
        "新闻稿里不要用感叹号。",
        "文章里不要出现英文缩写。",
        "我们以后都用公制单位。",
        "每次查询都输出SQL。",
        "每次回复都是中文。",
        "飞机必须直飞。",
        "Stop the dog jokes.",
        "We should always start with a joke.",
        "No TODOs left in the code.",
        "Rule: answer in French, alright?",
        "(Please never use emojis)",
        "以后我要每天收到一份小结。",
    ],
)
def test_a_plain_demand_is_heard_whatever_it_speaks_of(text: str) -> None:
    assert heard(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我不想等，直接给答案", "直接给答案"),
        ("我妈爬不了楼梯，住的地方别超过二楼", "住的地方别超过二楼"),
        ("My boss has no time, so please no long e-mails", "so please no long e-mails"),
    ],
)
def test_a_reason_before_a_demand_hides_it_not(text: str, words: str) -> None:
    assert [said for said, _, _ in heard(text)] == [words]


@pytest.mark.parametrize(
    "text",
    [
        "每次打电话都没人接",
        "每次坐车都很累",
        "考试不允许带手机",
        "图书馆里不许大声说话",
        "Always a pleasure talking to you!",
        "Put the cake in the oven",
        "Dogs are not allowed on the beach",
        "No milk today",
    ],
)
def test_talk_of_daily_life_is_no_rule(text: str) -> None:
    assert heard(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "今天要用英文回答",
        "出门旅行的建议都要考虑下雨",
        "最好先看看医生的说明再回答",
        "No tables today",
        "Put the heating costs in a table",
        "Don't worry about headings, but keep the summary short",
    ],
)
def test_what_speaks_of_the_assistants_work_is_never_talk_of_daily_life(text: str) -> None:
    assert heard(text)
