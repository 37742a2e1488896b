"""Everyday ways to state a lasting wish, by register, and the talk of work that only sounds like one."""

from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from ninefold.policies.constraints import extract
from ninefold.state import Scope


def lasts(text: str) -> bool:
    return any(wish.scope is not Scope.TURN for wish in extract(text).wishes)


@pytest.mark.parametrize(
    ("name", "heard", "false"),
    [("everyday_seen", 0.94, 0.02), ("everyday_second", 0.92, 0.04), ("everyday_third", 0.90, 0.04)],
)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_everyday_wishes_are_heard_in_every_register(name: str, heard: float, false: float, language: str) -> None:
    data = cast(Any, yaml.safe_load((Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8")))[language]
    said = [text.replace("【", "").replace("】", "") for texts in data["wishes"].values() for text in texts]
    idle = [text for texts in data["none"].values() for text in texts]
    assert sum(map(lasts, said)) >= heard * len(said)
    assert sum(map(lasts, idle)) <= false * len(idle)


@pytest.mark.parametrize(
    "text",
    [
        "这个接口目前只返回最近三十天的订单",
        "列表页一次最多加载五十条",
        "我们组决定把结算页改成绿色",
        "信息部说交换机最近不太稳",
        "供应商问要放行哪个端口，我手边没有记录",
        "再写一句可以直接发给他们的话",
        "看看哪些页面几乎没有人看，可以直接砍掉",
        "一家太贵，一家没有带升降板的车",
        "接下来两个月要搬办公室",
        "说明书上写着不要放进烤箱",
        "按我平时的习惯，你建议约几点？",
        "我们平时通常只去那家店",
        "我一般只去这家理发店",
        "我们平时只吃那家的面",
        "希望你昨天的回答都很短",
        "希望你之前的答案都很简短",
        "任何人都必须去看看",
        "这本书是书迷必备",
        "去那边的人签证必不可少",
        "This release removes guest accounts",
        "The product page only loads twenty items",
        "We decided to make the checkout green",
        "The label says never to iron it",
        "From next week on I will sit down with the builders",
        "We fixed the day, so nobody else needs the yard",
        "It is a must for anyone to visit",
        "The museum is a must in Vienna",
        "That book is a must for fans of crime novels",
        "A visa is a must for those who stay longer",
        "I hope all your answers were short",
        "I hope you had no trouble with the tables",
        "We trust all the steps were clear",
        "We usually only go to that shop",
        "We normally only eat at that place",
        "In this report use of force is discussed",
        "In this story no one dies",
    ],
)
def test_what_a_product_does_and_what_people_decide_praise_or_are_used_to_is_no_rule(text: str) -> None:
    assert not lasts(text)


@pytest.mark.parametrize(
    ("text", "simplified"),
    [
        ("往後信件結尾都要寫敬祝安康", "往后信件结尾都要写敬祝安康"),
        ("如果我問天氣，請用攝氏", "如果我问天气，请用摄氏"),
        ("所有金額用人民幣，不要用紅色", "所有金额用人民币，不要用红色"),
        ("請別再用表格了", "请别再用表格了"),
    ],
)
def test_traditional_letters_are_read_as_simplified_ones_and_kept_as_they_are(text: str, simplified: str) -> None:
    found, plain = extract(text).wishes, extract(simplified).wishes
    assert found
    kinds = [(wish.key, wish.polarity, wish.scope, wish.start, wish.end) for wish in plain]
    assert [(wish.key, wish.polarity, wish.scope, wish.start, wish.end) for wish in found] == kinds
    assert all(part in text for wish in found for part in (wish.words, wish.value, wish.condition) if part)


@pytest.mark.parametrize(
    "text",
    [
        "希望你在回答之前先问我",
        "希望以后都别用表格了",
        "我只去安静的餐厅",
        "图片说明必不可少",
        "I hope your answers will be short",
        "I wish your answers were shorter",
        "Captions are a must for every chart",
        "I only use this palette",
    ],
)
def test_a_hope_for_what_comes_and_a_habit_of_ones_own_is_a_rule(text: str) -> None:
    assert lasts(text)


@pytest.mark.parametrize(
    "text",
    [
        "这份报告用英文写",
        "这份报告里用短句",
        "For this report use English",
        "In this report use short sentences",
        "For this essay please write in French",
        "In this proposal keep the tone formal",
        "For this document avoid jargon",
    ],
)
def test_a_rule_for_one_piece_of_work_needs_no_comma(text: str) -> None:
    (wish,) = extract(text).wishes
    assert wish.task
    assert wish.words == text


@pytest.mark.parametrize(
    "text",
    [
        "接口超时时间不得大于三秒",
        "页面的按钮一律用绿色",
        "首页不要放轮播图",
        "The button must be green",
        "The page must never load more than twenty items",
    ],
)
def test_what_is_ordered_of_a_product_is_a_rule(text: str) -> None:
    assert lasts(text)
