"""Two conversations, one in each language, full of what a compaction may not lose."""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):
    """One turn: what the person said, what was replied, and what of it has to be found again."""

    words: str
    reply: str
    kept: tuple[str, ...] = ()


_PADDING_ZH = "这里是一些说明文字，介绍背景和做法，没有需要记住的内容。" * 6
_PADDING_EN = "Here is some text about the background and how things are usually done. " * 8

CHINESE = (
    Said(
        "我叫王小明，项目名是北斗。不要用红色，不要用圆角，所有金额用人民币。",
        "好的，记住了。" + _PADDING_ZH,
        ("王小明", "北斗", "不要用红色", "不要用圆角"),
    ),
    Said("上次的预算是三万元，实际花了28,500元。", "明白，还剩一千五百元。" + _PADDING_ZH, ("三万元", "28,500元")),
    Said(
        "服务器从 2024年3月15日 起没有重启过，机房不能进外人。",
        "收到。" + _PADDING_ZH,
        ("2024年3月15日", "没有重启过", "机房不能进外人"),
    ),
    Said(
        "订单号是 A2024-0017，快递放在 /data/orders/0017.json 里。",
        "我看到了。" + _PADDING_ZH,
        ("A2024-0017", "/data/orders/0017.json"),
    ),
    Said("我们决定采用方案B，部署到 v2.3.1。", "好的，已按方案B安排。" + _PADDING_ZH, ("方案B", "v2.3.1")),
    Said("帮我写一封给老板的邮件，说明交付时间是下周三。", "邮件已写好：老板您好……" + _PADDING_ZH, ("下周三",)),
    Said("我不吃香菜，也从不喝酒。", "好的。" + _PADDING_ZH, ("不吃香菜", "从不喝酒")),
    Said("会议室一共坐得下四十五人，租金每小时三百二十元。", "了解。" + _PADDING_ZH, ("四十五人", "三百二十元")),
    Said(
        "文档在 https://docs.example.com/a/b?id=7 ，里面写着“先备份再升级”。",
        "看到了。" + _PADDING_ZH,
        ("https://docs.example.com/a/b?id=7", "先备份再升级"),
    ),
    Said(
        "记得提醒我十二天后续签合同，电话 13800138000。", "好的，到时提醒您。" + _PADDING_ZH, ("十二天", "13800138000")
    ),
)
ENGLISH = (
    Said(
        "My name is Alice Moore and the project is called Blue Heron. Don't use red, and never use rounded corners.",
        "Noted. " + _PADDING_EN,
        ("Alice Moore", "Blue Heron", "use red", "never use rounded corners"),
    ),
    Said(
        "The old budget was $30,000 and we really spent 28,500 dollars.",
        "Understood. " + _PADDING_EN,
        ("$30,000", "28,500 dollars"),
    ),
    Said(
        "The server has not been restarted since March 15, 2024, and visitors cannot enter the machine room.",
        "Understood. " + _PADDING_EN,
        ("not been restarted", "March 15, 2024", "cannot enter the machine room"),
    ),
    Said(
        "The order is A2024-0017 and the parcel list is in /data/orders/0017.json here.",
        "I see. " + _PADDING_EN,
        ("A2024-0017", "/data/orders/0017.json"),
    ),
    Said("We decided to go with plan B and deploy v2.3.1.", "Done. " + _PADDING_EN, ("plan B", "v2.3.1")),
    Said(
        "Please write an e-mail to my boss saying that delivery is next Wednesday.",
        "Here it is: Dear boss … " + _PADDING_EN,
        ("next Wednesday",),
    ),
    Said(
        "I do not eat coriander and I never drink alcohol.",
        "All right. " + _PADDING_EN,
        ("do not eat coriander", "never drink alcohol"),
    ),
    Said(
        "The room seats 45 people and costs 320 dollars for 4 hours.",
        "I see. " + _PADDING_EN,
        ("45 people", "320 dollars", "4 hours"),
    ),
    Said(
        'The document at https://docs.example.com/a/b?id=7 says "back up before you upgrade".',
        "Seen. " + _PADDING_EN,
        ("https://docs.example.com/a/b?id=7", "back up before you upgrade"),
    ),
    Said(
        "Remind me to renew the contract in 12 days, the phone number is 555-0134-2277.",
        "I will. " + _PADDING_EN,
        ("12 days", "555-0134-2277"),
    ),
)
SMALL_TALK = {
    "zh": Said("今天天气不错，随便聊聊电影吧。", "好啊，最近有不少好片子。" + _PADDING_ZH),
    "en": Said(
        "Nice weather today, let us chat about movies.", "Sure, there are some good ones lately. " + _PADDING_EN
    ),
}
