"""What a stranger sees of the measurements follows from their figures: goals missed, others better, runs that agree."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.agree import pairs
from bench.documents import BLOCK, DOCUMENTS, rewritten
from bench.figures import Goal, Kind, at_least, at_most
from bench.report import HERE, pictures, report
from bench.tables import TABLES, rules

ROWS = yaml.safe_load((HERE / "rows.yaml").read_text(encoding="utf-8"))
MACHINE = {"date": "2026-01-02", "python": "3.11", "machine": "two cores", "load": 0.1, "packages": {"ninefold": "1"}}

MEMORIES = [
    {"users": 1, "memories": n, "write_ms": 1, "kb": 2, "first_ms": n, "first_cpu_ms": 9}
    | {"later_ms": 1.0, "later_cpu_ms": 0.5, "by_meaning": 1.0}
    for n in (10, 100)
]
MARKS = [
    {
        "turns": n,
        "cpu_ms": 20.0,
        "wall_ms": 30.0,
        "kb": 9.0,
        "rows": 1.0,
        "steps": {"assembly": 3.0, "end of the turn": 1.0},
    }
    for n in (10, 100)
]


def result(name: str, *goals: Goal, seed: int | None = 0, **tables: Any) -> dict[str, Any]:
    found = {"measurement": name, **MACHINE, "seed": seed, "goals": [asdict(goal) for goal in goals], **tables}
    return dict(json.loads(json.dumps(found)))


def folder(place: Path, *results: dict[str, Any]) -> Path:
    place.mkdir()
    for each in results:
        (place / f"{each['measurement']}.json").write_text(json.dumps(each), encoding="utf-8")
    return place


def played(name: str, language: str, mode: str, held: float, **more: Any) -> dict[str, Any]:
    sizes = {"mean tokens": 2000, "largest tokens": 3000, "over": 0, "prompts": 60, "reached": 40}
    return {"name": name, "language": language, "mode": mode, "held": {20: held, 40: held / 2}, **sizes, **more}


def keeps() -> dict[str, Any]:
    languages, modes = ("zh", "en"), ("perfect", "careless", "adversarial")
    ours = [{**played("ninefold", n, m, 1), "held": {20: 1, 40: 1, 99: 1}} for n in languages for m in modes]
    peers = [played("peer (1.0)", n, m, 0.5 if n == "zh" else 0.7, over=9) for n in languages for m in modes]
    return result("keeps", seed=None, ninefold=ours, peers=peers)


def lines(text: str, heading: str) -> list[str]:
    return text.split(f"## {heading}\n", 1)[1].split("\n## ")[0].splitlines()


def test_a_missed_goal_is_told_with_its_distance_and_its_cause() -> None:
    goals = (
        at_most("M2", "CPU of turn 1000 by turn 10", 1.4, 1.15, kind=Kind.TIMES),
        at_least("R1", "locomo_en R@5", 0.6, 0.66),
    )
    told = lines(report({"x": result("x", *goals)}, ROWS), "Where it falls short")
    cpu = next(line for line in told if "CPU of turn 1000" in line)
    assert "1.4, goal ≤ 1.15, over it by 0.25. The window and the rules" in cpu
    assert any("locomo_en R@5: 0.6, goal ≥ 0.66, short of it by 0.06. The cause is not known." in line for line in told)
    assert any("Not measured in this run" in line and "Z1" in line for line in told)


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        (at_least("R1", "found", 0.8, 0.7, 0.9), True),
        (at_least("R1", "found", 0.9, 0.7, 0.8), False),
        (at_most("M5", "lost", 2, 3, 1), True),
        (at_most("M5", "lost", 1, 3, 2), False),
    ],
)
def test_a_figure_that_another_betters_is_told_even_where_the_goal_is_met(goal: Goal, *, told: bool) -> None:
    text = report({"x": result("x", goal)}, ROWS)
    said = f"the best other has {goal.best}" in text
    assert (goal.met, said) == (True, told)
    assert ("Every goal of this run is met" in text) is not told


def test_every_row_is_told_of_with_its_command_seed_and_spread() -> None:
    text = report({"keeps": keeps(), "x": result("x", at_least("R2", "a", 1, 1), seed=7)}, ROWS)
    assert set(TABLES) <= set(ROWS)
    for name, about in ROWS.items():
        assert f"\n## {name} {about['about']}\n" in text
        assert f"`{about['command']}`" in text
    assert "| keeps | 2026-01-02 | draws nothing | two cores, Python 3.11 |" in text
    assert "| x | 2026-01-02 | 7 |" in text
    assert "| ratio of times | ± 35% |" in text
    assert "| peer (1.0) | 25% | 25% | 25% | 2,000 | 3,000 | 54 of 360 |" in text


def test_the_same_figures_give_the_same_plots_without_a_date() -> None:
    turns = [{"context": n} for n in range(5)]
    systems = [
        {"system": "ninefold", "num_ctx": 8192, "turns": turns},
        {"system": "all", "num_ctx": 8192, "turns": turns},
    ]
    found = {
        "keeps": keeps(),
        "scale": result("scale", memories=MEMORIES, turns=MARKS),
        "fifty": result("fifty", runs=[{"language": "zh", "systems": systems}]),
    }
    once, again = pictures(found), pictures(found)
    assert once == again
    assert set(once) == {f"bench-{name}.svg" for name in ("rules", "turns", "fifty", "search")}
    for picture in once.values():
        assert "prefers-color-scheme: dark" in picture
        assert "dc:date" not in picture


def test_the_documents_tables_are_made_from_the_figures_in_both_languages() -> None:
    assert [each.held["perfect"] for each in rules(keeps()).systems] == [1.0, 0.25]
    found = {"keeps": keeps(), "scale": result("scale", memories=MEMORIES, turns=MARKS)}
    for file, language in DOCUMENTS.items():
        text = rewritten(file.read_text(encoding="utf-8"), language, found)
        assert rewritten(text, language, found) == text
        made = [block.group(0) for block in BLOCK.finditer(text)]
        if file.name.startswith("README"):
            (made_rules,) = made
            assert "`make bench-keeps`" in made_rules
            assert "| peer (1.0) | 25% | 25% | 25% | 54 / 360 | 2,000 |" in made_rules
            assert made_rules.count("\n|") == 4
        else:
            costs, steps, memories = made
            assert "| 100 | 20.0 | 30.0 | 9.0 | 1.0 |" in costs
            assert "| assembly | 75% |" in steps
            assert "| 1 | 100 | 1 | 2 | 100 (9) | 1.0 (0.5) |" in memories
        assert rewritten(text, language, {}) == text


def test_runs_agree_within_the_spread_of_each_figure_s_kind(tmp_path: Path) -> None:
    def run(name: str, counted: float, tokens: int, times: float, milliseconds: int) -> Path:
        goals = (
            at_least("R1", "found", counted, 0.5, best=0.4),
            at_most("M4", "read", tokens, 500, kind=Kind.TOKENS),
            at_most("M2", "late by early", times, 1.15, kind=Kind.TIMES),
            at_most("M2", "ms of a search", milliseconds, 15, kind=Kind.TIME),
        )
        return folder(tmp_path / name, result("x", *goals))

    one, near, far = run("one", 0.7, 400, 1.0, 10), run("near", 0.705, 415, 1.2, 90), run("far", 0.72, 430, 1.6, 10)
    assert [pair.agrees for pair in pairs(one, near)] == [True, True, True, True, None]
    assert [pair.name for pair in pairs(one, far) if pair.agrees is False] == [
        "x R1 found",
        "x M4 read",
        "x M2 late by early",
    ]
    call = [sys.executable, "-m", "bench.agree", str(one)]
    runs = [subprocess.run([*call, str(other)], capture_output=True, text=True, check=False) for other in (near, far)]
    assert [done.returncode for done in runs] == [0, 1], runs
    assert "4 of 4 figures agree" in runs[0].stdout
    assert "DIFFERS    x M4 read: 400 and 430 (tokens)" in runs[1].stdout


def test_a_figure_that_one_run_lacks_is_no_agreement(tmp_path: Path) -> None:
    whole = folder(tmp_path / "whole", result("x", Goal("X1", "kept", {"kept": 0.2, "shown": 0.9}, "", met=True)))
    part = folder(tmp_path / "part", result("x", Goal("X1", "kept", {"kept": 0.2}, "", met=True)))
    assert [(pair.name, pair.agrees) for pair in pairs(part, whole)] == [
        ("x X1 kept, kept", True),
        ("x X1 kept, shown", False),
    ]
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="no results"):
        list(pairs(whole, tmp_path / "empty"))


@pytest.mark.parametrize("row", ROWS)
def test_a_goal_of_any_row_can_be_missed(row: str) -> None:
    missed = at_most(row, "false, and beside the one that is wanted", 9.0, 1.0)
    assert "false, and beside" in report({"some": result("some", missed)}, ROWS)
