"""X1 and X2: what of a tool result stays in the prompt, and whether a spoilt summary is caught.

python -m bench.keeps_x [--data FOLDER] [--json FILE] [--turns N]

X1: JSON results over 2,000 characters, as the default agent takes them into its window; counted are the characters that
stay, the marker among them, the values that later calls and answers of the same conversation used, and whether each can
be read back in bounded parts. X2: conversations
are taken through the real steps with small windows; every summary that is proposed is spoilt in every way of
tests/compaction/faults.py, and rewritten in harmless ways; counted is what the proof says. Without the folder of public
conversations the project's own are measured alone: orders of our own for X1, the tests' conversations for X2.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ninefold.policies.apply import over
from ninefold.policies.compaction import Extracted
from ninefold.policies.compaction.extraction import arriving
from ninefold.policies.proof import refuted
from ninefold.policies.references import parts, reference_marker
from ninefold.state import Language, Missing, Proposal, Summary
from tests.compaction.faults import harmless, spoilt
from tests.compaction.session import TOKENS, Session, settings
from tests.compaction.talks import CHINESE, ENGLISH

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "dev"
LONG = 2000
"""Characters from which a result is cut."""
SHORT = 1000
"""Characters below which a result stays whole."""
PART = 2000
"""Characters of one part of an expanded reference."""
HARMLESS_DROPS = ("dropped", "value_dropped")
"""Faults that are none where what is gone carries neither a value nor a negation that must stay."""


class Row(NamedTuple):
    """One line of the table."""

    name: str
    cases: int
    figures: Mapping[str, float]
    goal: str
    met: bool


def main() -> int:
    """Print the table and write it as JSON; the exit status tells whether every goal is met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--turns", type=int, default=40, help="turns taken of each conversation")
    chosen = parser.parse_args()
    found = list(rows(chosen.data, chosen.turns))
    print(f"machine {platform.machine()}, Python {platform.python_version()}, counter {TOKENS.name}")
    for row in found:
        figures = ", ".join(f"{name} {value:.3f}" for name, value in row.figures.items())
        print(f"{row.name}: {figures} ({row.cases} cases; goal {row.goal}) {'met' if row.met else 'MISSED'}")
    if chosen.json:
        chosen.json.write_text(json.dumps([row._asdict() for row in found], ensure_ascii=False, indent=1), "utf-8")
    return 0 if all(row.met for row in found) else 1


def rows(data: Path, turns: int) -> Iterator[Row]:
    """Give the rows of X1 and X2."""
    yield from _x1(data)
    yield from _x2(data, turns)


def _x1(data: Path) -> Iterator[Row]:
    file = data / "tools" / "tool_results.jsonl"
    results = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else list(_own())
    results = [result for result in results if result["format"] == "json"]
    long = [result for result in results if len(result["content"]) > LONG]
    cut = [(result, _cut(result)) for result in long]
    needed = [(result, found, need["value"]) for result, found in cut for need in result["needed"]]
    kept = sum(len(found.text) for _, found in cut) / sum(len(result["content"]) for result in long)
    shown = sum(_holds(found.text, value) for _, found, value in needed) / len(needed)
    reachable = sum(any(_holds(p, v) for p in parts(r["content"], PART)) for r, _, v in needed) / len(needed)
    figures = {"kept": kept, "needed values": shown, "reachable": reachable}
    yield Row("X1", len(long), figures, "≤ .30 : ≥ .95 : 1.00", kept <= 0.30 and shown >= 0.95 and reachable == 1.0)
    short = [result for result in results if len(result["content"]) < SHORT]
    whole = sum(TOKENS.text(r["content"]) <= settings().context_policy.tool_result_tokens for r in short) / len(short)
    yield Row("X1 short results whole", len(short), {"whole": whole}, "1.00", whole == 1.0)


def _own() -> Iterator[dict[str, Any]]:
    """Give results of our own where the public ones are missing: lists of orders, and what was asked of each."""
    for number in range(20):
        for rows_of, long in ((40, True), (2, False)):
            orders = [
                {
                    "id": f"A{number:02}-{row:04}",
                    "customer": f"customer {row}",
                    "status": ("sent", "open", "returned")[row % 3],
                    "total": 100 + row * 7 + number,
                    "address": f"{row} Harbour Street, hall {number}, shelf {row % 9}",
                    "note": "left at the gate, signed by the driver, checked twice",
                }
                for row in range(rows_of)
            ]
            wanted = orders[(number * 7) % rows_of]
            yield {
                "format": "json",
                "content": json.dumps({"count": rows_of, "orders": orders}, indent=1),
                "last_user": f"What is the total of order {wanted['id']}?",
                "args": json.dumps({"id": wanted["id"]}),
                "needed": [{"value": str(wanted["id"])}, {"value": str(wanted["total"])}] if long else [],
            }


def _cut(result: Mapping[str, Any]) -> Extracted:
    """Give a result as it enters the window, its marker with it."""
    text, focus = result["content"], f"{result['last_user'] or ''}\n{result['args'] or ''}"
    marker = reference_marker("r0123456789ab", len(text), Language.ENGLISH)
    room = settings().context_policy.tool_result_tokens - TOKENS.text(marker) - 8
    found = arriving(text, room=room, beside=len(marker) + 1, tokens=TOKENS, focus=focus)
    return found._replace(text=f"{found.text}\n{marker}")


def _holds(text: str, value: str) -> bool:
    whole_number = re.fullmatch(r"\d+\.0", value) is not None and value[:-2] in text
    return value in text or value in text.replace("\\/", "/") or whole_number


def _x2(data: Path, turns: int) -> Iterator[Row]:
    caught: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    honest = refused = alarms = rewritten = 0
    for talk in _talks(data, turns):
        with tempfile.TemporaryDirectory() as folder:
            session = Session(Path(folder), settings(summary_threshold_tokens=900))
            for words, reply in talk:
                session.say(words, reply)
            for state, place in _proposals(session):
                before, proposal = over(state, state.proposals[:place]), state.proposals[place]
                summary = proposal.summary or Summary()
                honest += 1
                refused += _refuted(session, before, proposal, summary)
                for bad in spoilt(summary) if not summary.empty else ():
                    found = _refuted(session, before, proposal, bad.summary)
                    if found or bad.fault not in HARMLESS_DROPS:
                        tried[bad.fault] += 1
                        caught[bad.fault] += found
                for good in harmless(summary):
                    missing = _missing(session, before, proposal, good.summary)
                    # Blanks that take a summary over its size are no harmless ones: those are left out.
                    if any(each.kind != "size" for each in missing) or not missing:
                        rewritten += 1
                        alarms += bool(missing)
    share = sum(caught.values()) / max(1, sum(tried.values()))
    missed = {name: caught[name] / tried[name] for name in sorted(tried) if caught[name] < tried[name]}
    yield Row("X2 caught", sum(tried.values()), {"all": share, **missed}, "1.00", share == 1.0)
    false = (refused + alarms) / max(1, honest + rewritten)
    figures = {"all": false, "honest": refused / max(1, honest), "rewritten": alarms / max(1, rewritten)}
    yield Row("X2 false alarms", honest + rewritten, figures, "≤ .05", false <= 0.05)


def _missing(session: Session, before: Any, proposal: Proposal, summary: Summary) -> tuple[Missing, ...]:
    changed = proposal.model_copy(update={"summary": summary})
    return refuted(before, changed, tokens=TOKENS, archive=session.archive, settings=session.settings).missing


def _refuted(session: Session, before: Any, proposal: Proposal, summary: Summary) -> bool:
    return bool(_missing(session, before, proposal, summary))


def _proposals(session: Session) -> Iterator[tuple[Any, int]]:
    for step, state in session.states:
        if step == "fidelity_check":
            for place, proposal in enumerate(state.proposals):
                if proposal.summary is not None:
                    yield state, place


def _talks(data: Path, turns: int) -> Iterator[list[tuple[str, str]]]:
    for own in (CHINESE, ENGLISH):
        yield [(said.words, said.reply) for said in own]
    for file in sorted((data / "long").glob("*.jsonl")) if (data / "long").exists() else ():
        talk = json.loads(file.read_text("utf-8").splitlines()[0])
        said = [(turn["role"], turn.get("content") or turn.get("text") or "") for turn in talk["turns"]]
        pairs: list[tuple[str, str]] = []
        for role, text in said:
            if role == "user":
                pairs.append((text, ""))
            elif role == "assistant" and pairs and text:
                pairs[-1] = (pairs[-1][0], text)
        yield [(words, reply or "好的。") for words, reply in pairs if words][:turns]


if __name__ == "__main__":
    sys.exit(main())
