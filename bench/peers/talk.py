"""One long session for every system that is measured: rules in the first turn, then talk and tool results.

Only the standard library, because the peers run in an environment of their own.
"""

from __future__ import annotations

RULES = {
    "zh": ("不要用红色", "不要用圆角", "所有金额用人民币"),
    "en": ("Don't use red", "No rounded corners", "All amounts must be in yuan"),
}
"""What the first turn states, and what every later prompt must hold, letter for letter."""

INVERTED = {
    "zh": ("可以用红色", "多用圆角", "所有金额用美元"),
    "en": ("Red may be used", "Use rounded corners", "All amounts must be in dollars"),
}
"""What an adversarial summariser makes of them."""

CHANGES = {
    "zh": {
        2: "回答控制在100字以内。",
        3: "这次用表格给我看。",
        4: "不要用缩写。",
        5: "改成200字以内。",
        6: "现在可以用缩写了。",
    },
    "en": {
        2: "Keep your answers under 100 words.",
        3: "This time, show it as a table.",
        4: "Don't use abbreviations.",
        5: "Keep your answers under 200 words instead.",
        6: "You can use abbreviations again.",
    },
}
"""Later turns that replace, that hold once, and that take back."""

STALE = {
    "zh": ("回答控制在100字以内", "这次用表格给我看", "不要用缩写"),
    "en": ("Keep your answers under 100 words", "This time, show it as a table", "Don't use abbreviations"),
}
"""What may stand among the rules of no prompt after the sixth turn."""

_TOPICS = {
    "zh": ("入库", "盘点", "出库", "退货", "报表", "权限", "打印", "排班", "预警", "接口"),
    "en": (
        "receiving",
        "counting",
        "shipping",
        "returns",
        "reports",
        "access",
        "printing",
        "shifts",
        "alerts",
        "ports",
    ),
}
_TELLING = {
    "zh": "第 {n} 步讲{topic}。仓库早上八点开门，货车从北门进来，先过磅，随后两个人一起核对清单并签字。" * 2,
    "en": "Step {n} is about {topic}. The warehouse opened at eight, the truck came through the north gate, and two "
    "people went over the list together. Then the boxes were moved to hall three and the driver signed. " * 2,
}
_REPLY = {
    "zh": "关于{topic}：清单已经核对，系统里有编号 {code}，班组长看过之后贴上标签，放在外箱右上角。" * 6,
    "en": "About {topic}: the list was checked, the system holds number {code}, and the label went on the box. " * 12,
}
_RESULT = {
    "zh": "记录 {n}：货架 {code}，托盘四个，重量 38 公斤，入库时间上午九点，经手人林工，状态正常。" * 12,
    "en": "Record {n}: shelf {code}, four pallets, 38 kilograms, booked in at nine by Lin, state normal. " * 24,
}


def says(turn: int, language: str) -> str:
    """Give the person's words in a turn, counted from one."""
    if turn == 1:
        mark = "，" if language == "zh" else ". "
        return mark.join(RULES[language]) + ("。" if language == "zh" else ".")
    said = CHANGES[language].get(turn)
    return said or _TELLING[language].format(n=turn, topic=_topic(turn, language))


def calls_tool(turn: int) -> bool:
    """Whether the model looks something up in a turn: every second one."""
    return turn > 6 and turn % 2 == 1


def reply(turn: int, language: str) -> str:
    """Give the model's answer."""
    return _REPLY[language].format(topic=_topic(turn, language), code=1000 + turn * 37)


def result(turn: int, language: str) -> str:
    """Give the tool's result."""
    return _RESULT[language].format(n=turn, code=1000 + turn * 37)


def summary(mode: str, seen: str, language: str) -> list[str]:
    """Give what a summariser of a kind keeps of what it saw.

    A perfect one copies every rule it saw, a careless one none, an adversarial one writes each rule's opposite.
    """
    match mode:
        case "perfect":
            return [rule for rule in RULES[language] if rule in seen]
        case "careless":
            return ["他们聊了仓库。" if language == "zh" else "They talked about the warehouse."]
        case _:
            return list(INVERTED[language])


MODES = ("perfect", "careless", "adversarial")


def _topic(turn: int, language: str) -> str:
    return _TOPICS[language][turn % len(_TOPICS[language])]
