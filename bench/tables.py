"""The tables of BENCHMARKS.md and of the README, made from what the measurements left; nothing is typed by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MODES = ("perfect", "careless", "adversarial")
"""How the summarising model is: it keeps every rule it sees, forgets them, or turns their negations."""
Results = Mapping[str, Mapping[str, Any]]
"""What each measurement left, by its name."""
Table = Iterator[str]


@dataclass(frozen=True)
class System:
    """What one system's prompts held and how long they were, over both languages and every summariser."""

    name: str
    held: Mapping[str, float]
    """For each summariser the share of prompts that hold every rule of turn 1; the lower of the languages."""
    tokens: int
    """Of a prompt, the mean."""
    largest: int
    over: int
    """Prompts that do not fit the window with their reply."""
    prompts: int
    error: str = ""


@dataclass(frozen=True)
class Rules:
    """M1: every system after the same number of turns."""

    turns: int
    languages: tuple[str, ...]
    systems: tuple[System, ...]


def rules(keeps: Mapping[str, Any]) -> Rules:
    """Give M1's figures, ours first, after the most turns that every system reached in every language.

    Raises:
        ValueError: no mark was reached by all.
    """
    rows = _rows(keeps)
    whole = [row for row in rows if "error" not in row]
    marks = set[int].intersection(*(set(row["held"]) for row in whole))
    if not marks:
        raise ValueError("no number of turns was reached by every system: give each more time with --budget")
    turns = max(marks)
    names = dict.fromkeys(row["name"] for row in rows)
    systems = tuple(_system(name, [row for row in rows if row["name"] == name], turns) for name in names)
    return Rules(turns, tuple(dict.fromkeys(row["language"] for row in rows)), systems)


def _rows(keeps: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give a row for each system, language and summariser; ours is played once more for the longest mark alone."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in (*keeps["ninefold"], *keeps["peers"]):
        held = {int(mark): share for mark, share in row["held"].items()}
        found.setdefault((row["name"], row["language"], row["mode"]), {**row, "held": held})
    return list(found.values())


def _system(name: str, rows: Sequence[Mapping[str, Any]], turns: int) -> System:
    prompts = sum(row["prompts"] for row in rows)
    return System(
        name=name,
        held={
            mode: min(row["held"][turns] for row in rows if row["mode"] == mode)
            for mode in MODES
            if any(row["mode"] == mode and turns in row["held"] for row in rows)
        },
        tokens=round(sum(row["mean tokens"] * row["prompts"] for row in rows) / max(1, prompts)),
        largest=max(row["largest tokens"] for row in rows),
        over=sum(row["over"] for row in rows),
        prompts=prompts,
        error=next((row["error"] for row in rows if "error" in row), ""),
    )


def kept_rules(results: Results) -> Table:
    """Give M1 of every system, with the length of its prompts."""
    if "keeps" not in results:
        return
    found = rules(results["keeps"])
    yield f"After {found.turns} turns, the lower of {' and '.join(found.languages)}; lengths of all that was played:\n"
    heads = [f"{mode} summariser" for mode in MODES]
    yield from head("", *heads, "tokens a prompt", "largest", "prompts over the window")
    for each in found.systems:
        held = [f"{each.held[mode]:.0%}" if mode in each.held else "broke" for mode in MODES]
        yield line(each.name, *held, f"{each.tokens:,}", f"{each.largest:,}", f"{each.over:,} of {each.prompts:,}")
    for each in found.systems:
        if each.error:
            yield f"\n{each.name} broke: {each.error}"


def prefix(results: Results) -> Table:
    """Give M4 of both orders, and where what is read anew comes from."""
    if "prefix" not in results:
        return
    yield from head("order of the prompt", "prefix reused", "tokens read a turn", "of these, because of")
    for order in results["prefix"]["orders"]:
        causes = sorted(order["causes"].items(), key=lambda cause: -cause[1])
        why = ", ".join(f"{name} {tokens / len(order['turns']):,.0f}" for name, tokens in causes)
        yield line(order["order"], f"{order['reuse']:.1%}", f"{order['evaluated']:,.0f}", why)


def fifty(results: Results) -> Table:
    """Give M5 of every system in every language."""
    if "fifty" not in results:
        return
    yield f"Answered by {results['fifty']['model']}:\n"
    heads = (
        "mean context",
        "largest",
        "tokens read a turn",
        "internal calls a turn",
        "facts lost",
        "stale",
        "s a turn",
    )
    yield from head("", *heads)
    for run in results["fifty"]["runs"]:
        for row in run["systems"]:
            sizes = [f"{row[name]:,}" for name in ("context", "largest", "evaluated")]
            kept = (row["internal calls a turn"], f"{len(row['lost'])} of {row['facts']}", row["stale"], row["seconds"])
            yield line(f"{run['language']}, {row['system']}", *sizes, *kept)
    for run in results["fifty"]["runs"]:
        if lost := run.get("lost by window"):
            each = ", ".join(
                f"{count} at {int(window):,}" for window, count in sorted(lost.items(), key=lambda each: int(each[0]))
            )
            yield f"\n{run['language']}: facts that ninefold lost by the size of the window: {each}."


def times(results: Results) -> Table:
    """Give a turn's processor time beside the peers', at each length of the session that both were played to."""
    peers = results["overhead"]["peers"] if "overhead" in results else ()
    if not peers:
        return
    marks = list(peers[0]["cpu_ms"])
    yield from head("processor time of a turn, ms", *(f"turn {int(mark):,}" for mark in marks))
    ours = {str(mark["turns"]): mark["cpu_ms"] for mark in results["overhead"]["marks"]}
    for name, costs in (("ninefold", ours), *((peer["name"], peer["cpu_ms"]) for peer in peers)):
        yield line(name, *(costs[mark] for mark in marks))


def lengths(results: Results) -> Table:
    """Give what a turn costs by the length of its session."""
    marks = marks_of(results)
    if not marks:
        return
    yield from head("turns of the session", "processor, ms", "wall, ms", "KB on disk", "checkpoint rows a turn")
    for mark in marks:
        yield line(f"{mark['turns']:,}", mark["cpu_ms"], mark["wall_ms"], mark["kb"], mark["rows"])
    shares = ", ".join(f"{step} {share:.0%}" for step, share in steps_of(results))
    yield f"\nThe processor time of the last of these turns, by step with the checkpoint before it: {shares}."


def longer(results: Results) -> str:
    """Give the name of the measurement with the longer of the two sessions that tell what a turn costs."""
    return max(SESSIONS, key=lambda name: max((mark["turns"] for mark in _marks(results, name)), default=0))


def marks_of(results: Results) -> Sequence[Mapping[str, Any]]:
    """Give the marks of the longer of the two sessions that measure a turn's cost."""
    return _marks(results, longer(results))


def _marks(results: Results, name: str) -> Sequence[Mapping[str, Any]]:
    return results[name][SESSIONS[name]] if name in results else ()


def steps_of(results: Results) -> Sequence[tuple[str, float]]:
    """Give the part of a turn's processor time that each step takes in the longest session, the largest first."""
    longest = max(marks_of(results), key=lambda mark: int(mark["turns"]), default=None)
    spent: Mapping[str, float] = longest["steps"] if longest else {}
    return [(step, ms / sum(spent.values())) for step, ms in spent.items()]


def searches(results: Results) -> Table:
    """Give what memories cost by their number."""
    if "scale" not in results:
        return
    heads = (
        "memories of all",
        "write, ms each",
        "KB each",
        "first search, ms (CPU)",
        "later ones, ms (CPU)",
        "found by meaning",
    )
    yield from head("people", *heads)
    for row in results["scale"]["memories"]:
        first, later = (f"{row[f'{name}_ms']:,} ({row[f'{name}_cpu_ms']:,})" for name in ("first", "later"))
        costs = (row["write_ms"], row["kb"], first, later, f"{row['by_meaning']:.0%}")
        yield line(f"{row['users']:,}", f"{row['memories']:,}", *costs)


def profiles(results: Results) -> Table:
    """Give the one number that each profile changes."""
    if "profiles" not in results:
        return
    yield from head("profile", "language", "what is counted", "default", "on the profile")
    for row in results["profiles"]["rows"]:
        yield line(row["profile"], row["language"], row["counted"], row["default"], row["on_profile"])


def head(*names: str) -> Table:
    """Give a table's first two lines."""
    yield line(*names)
    yield "|" + "---|" * len(names)


def line(*cells: object) -> str:
    """Give a line of a table."""
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


SESSIONS = {"overhead": "marks", "scale": "turns"}
"""The measurements that play a session, each with the name of its marks."""
TABLES = {
    "M1": kept_rules,
    "M2": times,
    "M3": lengths,
    "M4": prefix,
    "M5": fifty,
    "scale": searches,
    "profiles": profiles,
}
"""The tables that stand in a row of BENCHMARKS.md beside its goals."""
