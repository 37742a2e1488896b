"""Everyday ways to state a lasting wish, by register, and the talk of work that only sounds like one."""

from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from ninefold.policies.constraints import extract
from ninefold.state import Scope


def lasts(text: str) -> bool:
    return any(wish.scope is not Scope.TURN for wish in extract(text).wishes)


@pytest.mark.parametrize(("name", "heard", "false"), [("everyday_seen", 0.94, 0.02), ("everyday_second", 0.92, 0.04)])
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
        "This release removes guest accounts",
        "The product page only loads twenty items",
        "We decided to make the checkout green",
        "The label says never to iron it",
        "From next week on I will sit down with the builders",
        "We fixed the day, so nobody else needs the yard",
    ],
)
def test_what_a_product_does_and_what_a_team_decides_or_plans_is_no_rule(text: str) -> None:
    assert not lasts(text)


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
