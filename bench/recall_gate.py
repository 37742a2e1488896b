"""R4's gate: how often the intent check fires on questions that need the memories, and on small talk.

The questions are those of public conversation sets, where the folder with them is at hand; the small talk is our own
and comes with the project.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.figures import Goal, at_least, at_most, keep, told
from ninefold.policies.intent import RuleIntent

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data" / "dev"
SETS = ("locomo_en", "bfcl_memory_en", "beam_en", "memorybank_zh", "memdaily_zh")


def fired(texts: Iterable[str]) -> tuple[int, list[str]]:
    """Give how many texts started a search, and those that did not."""
    silent = [text for text in texts if not RuleIntent().judge(text).search]
    return len(silent), silent


def questions(name: str, data: Path) -> list[str]:
    """Give the questions of a set, without the lines that its source marks as broken."""
    lines = (data / "recall" / f"{name}.questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line)["question"] for line in lines]
    return [text for text in asked if text != "[ERRORQ]"]


def report(name: str, texts: Sequence[str], *, show: bool) -> float:
    """Print one line and give it: how often the check fired."""
    silent, missed = fired(texts)
    print(f"{name:16} {len(texts):5} texts   fired {1 - silent / len(texts):6.3f}")
    if show:
        for text in missed if name != "small talk" else [text for text in texts if text not in missed]:
            print("        ", text[:150].replace("\n", " "))
    return 1 - silent / len(texts)


def main(data: Path = DATA) -> None:
    """Print the firing rates."""
    show = "--show" in sys.argv
    goals: list[Goal] = []
    if data.exists():
        everything = []
        for name in SETS:
            asked = questions(name, data)
            everything += asked
            report(name, asked, show=show)
        share = report("all questions", everything, show=False)
        goals.append(at_least("R4", "questions that the intent check searches for", share, 0.98))
        lines = (data / "trigger" / "wildchat_user_turns_en.jsonl").read_text(encoding="utf-8").splitlines()
        report("wildchat", [turn for line in lines for turn in json.loads(line)["turns"]], show=False)
    for language in ("zh", "en"):
        talk = (HERE / "small_talk" / f"{language}.txt").read_text(encoding="utf-8").splitlines()
        share = report("small talk", [line for line in talk if line], show=show)
        goals.append(at_most("R4", f"small talk that it searches for, {language}", share, 0.1))
    told(goals)
    keep("recall_gate", goals, {})


if __name__ == "__main__":
    main()
