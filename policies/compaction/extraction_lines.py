"""Logs, tables and plain text cut to the lines that matter: what is asked about, what went wrong, head and tail."""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Sequence
from typing import Final

from .extraction_json import Extracted
from .focus import terms, weights
from .strategy import Counter

_ALARM: Final = re.compile(
    r"(?i)\b(error|exception|traceback|fail(ed|ure|ing)?|fatal|critical|panic|warn(ing)?|denied|timeout|assert\w*)\b"
    r"|错误|异常|失败|警告|超时|拒绝|崩溃"
)
_RULE: Final = re.compile(r"^[\s|:+=\-─━_*]+$")
_DIGITS: Final = re.compile(r"\d+|0x[0-9a-f]+", re.IGNORECASE)
_LONG: Final = 400
"""Characters of a line beyond which it is cut into pieces of that size, so that one endless line can be chosen from."""


def extract_lines(text: str, *, limit: int, tokens: Counter, focus: str) -> Extracted:
    """Give the lines of a text that matter most, in their order and in at most `limit` tokens; gaps are marked."""
    lines = [piece for line in text.splitlines() if line.strip() and not _RULE.match(line) for piece in _pieces(line)]
    ranked = _ranked(lines, focus)
    low, high = 0, len(ranked)
    while low < high:
        middle = (low + high + 1) // 2
        shown = _shown(lines, ranked[:middle])
        if len(shown) <= limit * 12 and tokens.text(shown) <= limit:
            low = middle
        else:
            high = middle - 1
    if low == 0 and lines:
        return Extracted(tokens.clip(lines[ranked[0]], limit), (_gone(len(lines)),))
    left_out = len(lines) - low
    return Extracted(_shown(lines, ranked[:low]), (_gone(left_out),) if left_out else ())


def _gone(count: int) -> str:
    return f"{count} lines"


def _pieces(line: str) -> list[str]:
    if len(line) <= _LONG:
        return [line.rstrip()]
    cut: list[str] = []
    start = 0
    while start < len(line):
        end = min(len(line), start + _LONG)
        joint = max(line.rfind(mark, start + _LONG // 2, end) for mark in (" ", "。", "，", ",", ";"))
        end = joint + 1 if end < len(line) and joint > start else end
        cut.append(line[start:end])
        start = end
    return cut


def _ranked(lines: Sequence[str], focus: str) -> list[int]:
    """Give the places of the lines, most wanted first."""
    wanted = weights(terms(focus), lines)
    most = max(wanted, default=0.0)
    scores = [4.0 * weight / most if most else 0.0 for weight in wanted]
    # Lines beside a wanted one explain it.
    near = [
        max((scores[j] for j in range(max(0, i - 2), min(len(lines), i + 3)) if j != i), default=0.0)
        for i in range(len(lines))
    ]
    seen: Tally[str] = Tally()
    total: list[float] = []
    for index, line in enumerate(lines):
        shape = _DIGITS.sub("0", line.strip())
        seen[shape] += 1
        score = scores[index] + 0.3 * near[index]
        score += 1.5 if _ALARM.search(line) else 0.0
        score += 1.2 if line.lstrip().startswith("#") else 0.0
        score += 2.0 if index == 0 else 1.0 if index < 3 or index >= len(lines) - 3 else 0.0
        score -= 1.0 if seen[shape] > 2 else 0.0
        total.append(score)
    return sorted(range(len(lines)), key=lambda index: (-total[index], index))


def _shown(lines: Sequence[str], chosen: Sequence[int]) -> str:
    shown: list[str] = []
    last = -1
    for index in sorted(chosen):
        if index > last + 1:
            shown.append(f"… (+{index - last - 1})")
        shown.append(lines[index])
        last = index
    if last < len(lines) - 1:
        shown.append(f"… (+{len(lines) - 1 - last})")
    return "\n".join(shown)
