"""M5, M7, Q1: fifty turns, in Chinese and in English, through ninefold and through what manages nothing.

Usage: python -m bench.fifty [--language zh|en] [--embedded [NAME_OR_PATH]] [--model NAME] [--turns 50]
                             [--seed N] [--by-turn [NUM_CTX]] [--json FILE]

A conversation with 24 planted facts and tool results of up to 30,000 tokens is played against one server on loopback:
by ninefold as it comes, by full replay that the server cuts to its window as Ollama does, by the last 20 messages, and
by full replay into a window without end. Everything is read off the requests' bytes. `context` is the prompt that a
reply was written from, `evaluated` what a server with one slot reads anew, internal calls included; a fact is `lost`
when its words do not stand in a prompt that needs them, `stale` is what no longer holds and stands there as if it did.

A script answers, unless `--embedded` takes the embedded model or OLLAMA_HOST names a server (`--model` its model): then
time is measured too, and `right` says how many replies are what code can check (Q1), in both orders of the prompt.

`--by-turn` plays ninefold alone, and tells of each turn what its layers held, what of each request was read anew and
from where, and which step compacted or called the model.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from bench.figures import Goal, Kind, at_least, at_most, keep, machine, told
from ninefold.adapters.weights.pull import model_file
from ninefold.home import data_folder
from ninefold.state import NinefoldError, Order
from ninefold.state.settings import EMBEDDED_CHAT

from .conversation import LANGUAGES, Conversation, Language, conversation
from .measures import Measured, measured
from .models import Model, embedded, ollama, scripted
from .systems import LAST, Played, managed, unmanaged
from .turns import turn_lines

NUM_CTX, SMALL = 8192, 4096
WINDOWS = (2048, 3072, 4096, 6144)
"""Smaller windows that are tried for the smallest without a loss."""
CONTEXT, SHARE, CALLS, CALLS_SHARE = (3000, 4000), 0.40, 0.25, 0.10
"""The goals: context, evaluated against full replay, internal calls a turn and their share of the main prompts."""


@dataclass(frozen=True)
class Run:
    """What is played: one conversation with one model."""

    conversation: Conversation
    language: Language
    model: Model
    real: bool
    """Whether a real model answers; then both orders are played, and no other windows."""

    def measured(self, play: Callable[..., Played], **options: Any) -> Measured:
        """Play the conversation through a system and read its figures."""
        return measured(self.conversation, play(self.conversation, self.language, self.model, **options))

    def systems(self) -> Iterator[Measured]:
        """Give every system's figures, ours first and full replay second."""
        yield self.measured(managed, num_ctx=NUM_CTX)
        yield self.measured(unmanaged, num_ctx=NUM_CTX)
        yield self.measured(unmanaged, num_ctx=NUM_CTX, last=LAST)
        if self.real:
            yield self.measured(managed, num_ctx=NUM_CTX, order=Order.RECALL_FIRST)
        else:
            yield self.measured(unmanaged, num_ctx=None)

    def windows(self) -> Iterator[tuple[int, Measured | str]]:
        """Give ours in smaller windows, or why it cannot be."""
        for num_ctx in WINDOWS:
            try:
                yield num_ctx, self.measured(managed, num_ctx=num_ctx)
            except (NinefoldError, ValueError) as error:
                yield num_ctx, str(error).splitlines()[-1][:120]


def line(figures: Measured, *, real: bool) -> str:
    """Give a system's figures as a line of the table; what a script replies is no figure."""
    row = figures.row
    costs = f"{row['context']:>8,} {row['largest']:>8,} {row['evaluated']:>9,} {row['internal calls a turn']:>8.2f}"
    kept = f"{row['internal share']:>6.0%} {len(row['lost']):>3} of {row['facts']} {row['stale']:>5}"
    right = f"{row['replies right']:>3} of {row['replies looked at']}" if real else "    -"
    return f"{figures.played.system:<32} {costs} {kept} {row['seconds']:>7.2f} {right}"


def tables(run: Run) -> dict[str, Any]:
    """Print one conversation's tables, and give them as plain data."""
    names = "context  largest evaluated internal  share     lost stale seconds right"
    print(f"\n{run.language}, {len(run.conversation.turns)} turns\n{'':<32}  {names}")
    rows: list[Measured] = []
    for figures in run.systems():
        rows.append(figures)
        print(line(figures, real=run.real), flush=True)
        for name, turns in figures.lost.items() if figures.played.system.startswith("ninefold") else ():
            print(f"    lost: {name} at {', '.join(map(str, turns))}")
    goals = list(_goals(run, [each.row for each in rows]))
    found: dict[str, Any] = {"language": run.language, "systems": [each.row for each in rows]}
    if not run.real:
        windows = {NUM_CTX: len(rows[0].lost)}
        for num_ctx, tried in run.windows():
            if isinstance(tried, str):
                print(f"num_ctx {num_ctx:>6,}: {tried}")
                continue
            windows[num_ctx] = len(tried.lost)
            print(f"num_ctx {num_ctx:>6,}: {len(tried.lost)} lost {tried.lost or ''}", flush=True)
        whole = [num_ctx for num_ctx, lost in windows.items() if not lost]
        print(f"the smallest window of these that loses none: {min(whole, default=None)}")
        smaller = windows.get(SMALL, len(run.conversation.facts))
        goals.append(at_most("M5", f"{run.language}: facts lost at {SMALL:,}", smaller, 0))
        found |= {"lost by window": windows}
    return found | {"goals": goals}


def by_turn(run: Run, num_ctx: int) -> None:
    """Print ours turn by turn, and its line of the table."""
    figures = run.measured(managed, num_ctx=num_ctx)
    print(f"\n{run.language}, num_ctx {num_ctx:,}")
    print("\n".join(turn_lines(figures)))
    print(line(figures, real=run.real))
    stale = {number: turn.stale for number, turn in enumerate(figures.turns, 1) if turn.stale}
    print(f"lost: {figures.lost}; stale: {stale}", flush=True)


def _goals(run: Run, rows: Sequence[dict[str, Any]]) -> Iterator[Goal]:
    """Give the goals of a conversation; the best other loses the fewest facts, or is right the most often."""
    ours, replay, *_ = rows
    others = [row for row in rows[1:] if not row["system"].startswith("ninefold")]
    language, least, most = run.language, *CONTEXT
    met = least <= ours["context"] <= most
    context = Goal("M5", f"{language}: mean context", ours["context"], f"{least} to {most}", met, replay["context"])
    yield replace(context, least=least, most=most, kind=Kind.TOKENS)
    share = ours["evaluated"] / replay["evaluated"]
    yield at_most("M5", f"{language}: tokens evaluated, of full replay's", share, SHARE, kind=Kind.TOKENS)
    fewest = min(len(row["lost"]) for row in others if row["num_ctx"])
    yield at_most("M5", f"{language}: facts lost of {ours['facts']} at {NUM_CTX:,}", len(ours["lost"]), 0, fewest)
    yield at_most("M5", f"{language}: facts shown that no longer hold", ours["stale"], 0)
    calls, share, fifty = ours["internal calls a turn"], ours["internal share"], f"{language}, fifty turns"
    yield at_most("M7", f"{fifty}: internal calls a turn", calls, CALLS, kind=Kind.TOKENS)
    yield at_most("M7", f"{fifty}: internal by main prompt tokens", share, CALLS_SHARE, kind=Kind.TOKENS)
    if run.real:
        right = max(row["replies right"] for row in others)
        name = f"{language}: replies right of {ours['replies looked at']}"
        yield at_least("Q1", name, ours["replies right"], 2 * right, right, kind=Kind.REPLIES)


def _model(given: argparse.Namespace, language: Language) -> tuple[Model, str]:
    """Give who answers, and its name."""
    if given.embedded:
        weights = model_file(given.embedded, data_folder())
        return embedded(weights, NUM_CTX, given.threads, given.written), f"{given.embedded}, {given.threads} threads"
    if host := os.environ.get("OLLAMA_HOST"):
        return ollama(host, given.model), f"{given.model} on Ollama"
    return scripted(language), "a script"


def main() -> None:
    """Print the tables, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=LANGUAGES, action="append")
    parser.add_argument("--embedded", nargs="?", const=EMBEDDED_CHAT, help="the embedded model, or a GGUF file")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the embedded model")
    parser.add_argument("--written", type=int, default=128, help="tokens of its replies at most")
    parser.add_argument("--model", default="qwen2.5:14b", help="model on the Ollama server")
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0, help="of the tools' results")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--by-turn", type=int, nargs="?", const=NUM_CTX, metavar="NUM_CTX", help="ours, turn by turn")
    given = parser.parse_args()
    languages: list[Language] = given.language or list(LANGUAGES)
    found: list[dict[str, Any]] = []
    who = ""
    for language in languages:
        model, who = _model(given, language)
        real = bool(given.embedded or os.environ.get("OLLAMA_HOST"))
        if not found:
            about = machine()
            print(f"Python {about['python']}, {about['machine']}, {about['packages']}; {who} answers")
        run = Run(conversation(language, given.seed).shortened(given.turns), language, model, real)
        if given.by_turn:
            by_turn(run, given.by_turn)
        else:
            found.append(tables(run))
    if given.by_turn:
        return
    goals = [goal for each in found for goal in each.pop("goals")]
    print()
    status = told(goals)
    file = keep("fifty", goals, {"model": who, "runs": found}, seed=given.seed, file=given.json)
    print(f"\nwritten to {file}")
    sys.exit(status)


if __name__ == "__main__":
    main()
