"""The tables of README and docs/scale, each between two comments, written from what the measurements left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from bench.tables import MODES, Results, head, line, longer, marks_of, rules, steps_of

ROOT = Path(__file__).parent.parent
Language = Literal["en", "zh"]
DOCUMENTS: Mapping[Path, Language] = {
    ROOT / "README.md": "en",
    ROOT / "README.zh-CN.md": "zh",
    ROOT / "docs" / "scale.md": "en",
    ROOT / "docs" / "scale.zh-CN.md": "zh",
}
BLOCK = re.compile(r"<!-- bench\.report writes: (\w+) -->\n.*?<!-- end -->", re.DOTALL)
Lines = Iterator[str]


def rewritten(text: str, language: Language, results: Results) -> str:
    """Give a document with its tables made anew; one whose figures were not measured stays as it is.

    Raises:
        KeyError: a comment names a table that there is none of.
    """

    def made(found: re.Match[str]) -> str:
        name = found[1]
        lines = list(TABLES[name](results, language))
        return f"<!-- bench.report writes: {name} -->\n{_joined(lines)}\n<!-- end -->" if lines else found[0]

    return BLOCK.sub(made, text)


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def _measured(result: Mapping[str, Any], language: Language) -> str:
    """Say when and on what: a time of a busy machine should be read as one."""
    date, machine, load = result["date"], result["machine"], result["load"]
    if language == "zh":
        return f"测于 {date}，{machine}，当时负载 {load}。"
    return f"Measured on {date}, {machine}, load {load}."


def kept(results: Results, language: Language) -> Lines:
    """Give M1 of every system: the rules that its prompts hold, and how long they are."""
    if "keeps" not in results:
        return
    found, date = rules(results["keeps"]), results["keeps"]["date"]
    if language == "zh":
        yield f"`make bench-keeps`：{found.turns} 轮对话的提示词里，还有多少完整保留着第一轮的每条规则。"
        yield "按做摘要的模型分列，取中英文中较低的一个，窗口为 8,192 个 token。"
        yield f"最后两列统计各系统跑完的全部提示词，包括 {found.turns} 轮以后的。测于 {date}。\n"
        yield from head("", "摘要可靠", "摘要粗心", "摘要有敌意", "超出窗口的提示词", "每个提示词的 token")
    else:
        yield f"`make bench-keeps`: how many prompts of {found.turns} turns still hold every rule of turn 1, by how the"
        yield "summarising model is (the lower of Chinese and English), in a window of 8,192 tokens."
        yield f"The last two columns count all that a system played, any prompt beyond turn {found.turns} included."
        yield f"Measured on {date}.\n"
        heads = ("perfect summariser", "careless one", "adversarial one", "prompts over the window", "tokens a prompt")
        yield from head("", *heads)
    broke = {"en": "broke", "zh": "中途出错"}[language]
    for each in found.systems:
        held = [f"{each.held[mode]:.0%}" if mode in each.held else broke for mode in MODES]
        yield line(each.name, *held, f"{each.over:,} / {each.prompts:,}", f"{each.tokens:,}")


def turns(results: Results, language: Language) -> Lines:
    """Give what a turn costs by the length of its session."""
    marks = marks_of(results)
    if not marks:
        return
    yield _measured(results[longer(results)], language) + "\n"
    yield from {
        "en": head("turns of the session", "processor, ms", "wall, ms", "KB on disk", "checkpoint rows a turn"),
        "zh": head("会话的轮数", "处理器，毫秒", "实际，毫秒", "磁盘 KB", "每轮检查点行数"),
    }[language]
    for mark in marks:
        yield line(f"{mark['turns']:,}", mark["cpu_ms"], mark["wall_ms"], mark["kb"], mark["rows"])


def steps(results: Results, language: Language) -> Lines:
    """Give the part of a turn's processor time that each step takes."""
    found = steps_of(results)
    if not found:
        return
    told = {"en": ("step", "of the turn's processor time"), "zh": ("步骤", "占这一轮处理器时间")}[language]
    yield from head(*told)
    for step, share in found:
        named = "一轮的结尾" if language == "zh" and step == "end of the turn" else step
        yield line(named, f"{share:.0%}")


def memories(results: Results, language: Language) -> Lines:
    """Give what memories cost by their number."""
    if "scale" not in results:
        return
    yield _measured(results["scale"], language) + "\n"
    yield from {
        "en": head("people", "memories", "write, ms each", "KB each", "first search, ms (processor)", "later ones"),
        "zh": head("用户", "所有记忆", "写入，毫秒/条", "KB/条", "第一次搜索，毫秒（处理器）", "以后的搜索"),
    }[language]
    for row in results["scale"]["memories"]:
        first, later = (f"{row[f'{name}_ms']:,} ({row[f'{name}_cpu_ms']:,})" for name in ("first", "later"))
        yield line(f"{row['users']:,}", f"{row['memories']:,}", row["write_ms"], row["kb"], first, later)


TABLES: Mapping[str, Callable[[Results, Language], Lines]] = {
    "rules": kept,
    "turns": turns,
    "steps": steps,
    "memories": memories,
}
"""By the name in the comment."""
