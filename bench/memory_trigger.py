"""T1's trigger: what the write rules keep of public conversations, where the folder with them is at hand.

The cues were widened after looking at these very sets, so the figures say what the rules can do, not what they do on
conversations that nobody has looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.figures import Goal, at_least, at_most, keep, told
from ninefold.policies.write_judge import RuleJudge

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "dev"


def fires(text: str) -> bool:
    """Whether anything in the message would be kept."""
    return bool(RuleJudge().statements(text))


def lines(name: str, data: Path) -> Iterator[dict[str, Any]]:
    """Give the lines of a set."""
    for line in (data / name).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def measure(name: str, wanted: Sequence[str], others: Sequence[str], goal: float) -> Goal:
    """Print precision, recall and F1 of the trigger."""
    hits, false = sum(map(fires, wanted)), sum(map(fires, others))
    precision, recall = hits / max(1, hits + false), hits / len(wanted)
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    print(
        f"{name:16} {len(wanted):4} of {len(wanted) + len(others):4}   P {precision:.2f}  R {recall:.2f}  F1 {f1:.2f}"
    )
    return at_least("T1", f"F1 of what is kept, {name}", f1, goal)


def main(data: Path = DATA) -> None:
    """Print the trigger's figures."""
    if not data.exists():
        print(f"no data at {data}")
        return
    wanted: list[str] = []
    others: list[str] = []
    for talk in lines("constraints/multichallenge_ir_en.jsonl", data):
        stated = {constraint["stated_at"] for constraint in talk["constraints"]}
        for turn in talk["turns"]:
            if turn["role"] == "user":
                (wanted if turn["id"] in stated else others).append(turn["text"])
    goals = [measure("multichallenge", wanted, others, 0.75)]
    prefeval = list(lines("constraints/prefeval_en.jsonl", data))
    said = [constraint["text"] for line in prefeval for constraint in line["constraints"]]
    goals.append(measure("prefeval", said, [line["question"] for line in prefeval], 0.85))
    wild = [turn for line in lines("trigger/wildchat_user_turns_en.jsonl", data) for turn in line["turns"]]
    requests = [line["text"] for line in lines("recall/noise_zh.jsonl", data) if line["speaker"] == "usr"]
    for name, texts in (("wildchat", wild), ("crosswoz zh", requests)):
        share = sum(map(fires, texts)) / len(texts)
        print(f"{name:16} {len(texts):4} texts   fires on {share:.3f}")
        if name == "wildchat":
            goals.append(at_most("T1", "messages of which something is kept, wildchat", share, 0.15))
    told(goals)
    keep("memory_trigger", goals, {})


if __name__ == "__main__":
    main()
