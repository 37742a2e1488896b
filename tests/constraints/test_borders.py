"""Where one wish of a message ends and the next one, or a request, begins."""

import pytest

from ninefold.policies.constraints import extract
from ninefold.state import Polarity
from tests.constraints.conversation import Conversation


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        (
            "以后每次回答不超过两句话，任何时候都不要提到红色",
            ["以后每次回答不超过两句话", "任何时候都不要提到红色"],
        ),
        ("每次我问价格，都用人民币", ["每次我问价格，都用人民币"]),
        (
            "Keep answers short, and never at any time mention red.",
            ["Keep answers short", "and never at any time mention red"],
        ),
        ('Never call me "boss". What is 2+2?', ['Never call me "boss"']),
        ('Always sign with "Ann". Say good morning.', ['Always sign with "Ann"']),
        ("不要叫我“老板”。二加二等于几？", ["不要叫我“老板”"]),
        ("Please answer in French and don't use emojis.", ["Please answer in French", "don't use emojis"]),
        ("Write short and never use red.", ["Write short and never use red"]),
        ("- Never use red.\n- Always use euros", ["Never use red", "Always use euros"]),
        ("- 不要用红色。\n- 金额用欧元", ["不要用红色", "金额用欧元"]),
        ("My rules:\n1. **Never use red.**\n2. (Always use euros.)", ["Never use red", "Always use euros"]),
        ("我的要求：\n（1）不要用红色\n（2）**金额用欧元**", ["不要用红色", "金额用欧元"]),
        ("Only cite papers (never blogs).", ["Only cite papers (never blogs)"]),
        ('Always end with "Over."', ['Always end with "Over."']),
        ("Always end with “Over.” Say good morning.", ["Always end with “Over.”"]),
        ("结尾都写“完毕。”", ["结尾都写“完毕。”"]),
        ("From now on, write short answers. Write a poem.", ["From now on, write short answers"]),
        ("Please cite sources, from now on.", ["Please cite sources, from now on"]),
        ("今后，请给出处。写一首诗。", ["今后，请给出处"]),
        ("From now on, what should I do?", []),
        ("以后，我该怎么办？", []),
        ("请看一下说明：内容如下", []),
        ("The terms are as follows:", []),
    ],
)
def test_a_wish_ends_where_the_next_begins_and_takes_no_request_in(text: str, wishes: list[str]) -> None:
    found = extract(text).wishes
    assert [wish.words for wish in found] == wishes
    assert [text[wish.start : wish.end] for wish in found] == wishes


def test_a_demand_is_none_the_less_a_demand_for_the_ban_beside_it() -> None:
    demand, ban = extract("Please answer in French and don't use emojis.").wishes
    assert (demand.polarity, demand.value, ban.polarity) == (Polarity.REQUIRE, "French", Polarity.FORBID)


@pytest.mark.parametrize(
    ("text", "permission"),
    [
        ("Never sell item 3 below 50 euros", "You may now sell item 3 at any price"),
        ("Never use red", "You can use red again"),
        ("不要用红色", "现在可以用红色了"),
        ("Item 3 must not be sold below 50 euros", "Item 3 can be sold at any price now"),
        ("Meetings must not be on Mondays", "Meetings can be on any day now"),
        ("3号商品不能低于100元出售", "3号商品现在可以按任何价格出售了"),
        ("会议不能安排在周一", "会议现在可以安排在任何一天了"),
    ],
)
def test_a_permission_lifts_the_ban(text: str, permission: str) -> None:
    assert Conversation().say(text).say(permission).words == []


@pytest.mark.parametrize(
    ("text", "permission"),
    [
        ("3号商品不能低于100元出售", "5号商品现在可以按任何价格出售了"),
        ("Item 3 must not be sold below 50 euros", "Item 5 can be sold at any price now"),
    ],
)
def test_a_permission_lifts_no_ban_of_another_number(text: str, permission: str) -> None:
    assert Conversation().say(text).say(permission).words == [text]


@pytest.mark.parametrize(
    ("rule", "talk"),
    [
        ("Never use tables", "We can sit at the tables again."),
        ("Always answer in English", "I can speak English again after the surgery."),
        ("Never call me boss", "You can call me Ann now."),
        ("别提我妹妹", "我妹妹又有工作了"),
        ("不要推荐海鲜", "现在店里又有海鲜了"),
    ],
)
def test_what_someone_can_do_again_is_no_permission(rule: str, talk: str) -> None:
    assert rule in Conversation().say(rule).say(talk).words
