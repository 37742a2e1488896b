"""The README's comparison, written between two comments from M1's figures, in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.tables import MODES, Rules, rules

ROOT = Path(__file__).parent.parent
READMES = {"en": ROOT / "README.md", "zh": ROOT / "README.zh-CN.md"}
BEGINS, ENDS = "<!-- bench.report writes this table -->", "<!-- end of the table -->"
HEADS = {
    "en": ("", "perfect summariser", "careless one", "adversarial one", "prompts over the window", "tokens a prompt"),
    "zh": ("", "摘要可靠", "摘要粗心", "摘要有敌意", "超出窗口的提示词", "每个提示词的 token"),
}
OF = {"en": "{over:,} of {prompts:,}", "zh": "{prompts:,} 个中 {over:,} 个"}
BROKE = {"en": "broke", "zh": "中途出错"}
SAID = {
    "en": (
        "`make bench-keeps`: how many prompts of {turns} turns still hold every rule of turn 1, by how the\n"
        "summarising model is (the lower of Chinese and English), with a window of 8,192 tokens. Measured on {date}."
    ),
    "zh": (
        "`make bench-keeps`：{turns} 轮对话的提示词里，还有多少完整保留着第一轮的每条规则。\n"
        "按做摘要的模型分列，取中英文中较低的一个，窗口为 8,192 个 token。测于 {date}。"
    ),
}


def table(found: Rules, language: str, date: str) -> Iterator[str]:
    """Give the comparison's lines: a sentence that names the command, then a row for each system."""
    yield SAID[language].format(turns=found.turns, date=date)
    yield ""
    heads = HEADS[language]
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for each in found.systems:
        held = [f"{each.held[mode]:.0%}" if mode in each.held else BROKE[language] for mode in MODES]
        over = OF[language].format(over=each.over, prompts=each.prompts)
        yield "| " + " | ".join([each.name, *held, over, f"{each.tokens:,}"]) + " |"


def rewritten(readme: str, language: str, keeps: Mapping[str, Any]) -> str:
    """Give a README with its table made anew.

    Raises:
        ValueError: the comments that hold the table are missing.
    """
    lines = "\n".join(table(rules(keeps), language, keeps["date"]))
    text, count = re.subn(
        rf"{BEGINS}\n.*?{ENDS}", lambda _: f"{BEGINS}\n{lines}\n{ENDS}", readme, count=1, flags=re.DOTALL
    )
    if not count:
        raise ValueError(f"the README has no {BEGINS} … {ENDS}")
    return text
