"""Scale without a model: long sessions, many memories of one person, many people in one collection.

Usage: python -m bench.scale [--turns 100,1000,10000] [--memories 1000,10000,100000] [--users 1000] [--seed N]

The sessions are those of `bench.overhead`. Memories lie in Chroma on disk, embedded by made-up vectors of 384 numbers,
so that every figure is the store's and ours and none the embedder's. `first` is the first search of a process, by
words and by meaning; `later` the median of the twenty behind it; beside each, processor time. `meaning` is the share of
these searches in which the vectors alone found what was asked for. 10,000 turns and 100,000 memories take about three
quarters of an hour on two cores.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from langchain_core.embeddings import DeterministicFakeEmbedding

from bench.figures import keep, machine
from bench.overhead import play
from ninefold.adapters.memory.chroma import ChromaMemory
from ninefold.policies.memory_ids import memory_id
from ninefold.state import MemoryKind, MemoryRecord

NUMBERS = 384
"""Of a vector, as many as MiniLM's and e5-small's have."""
AT_ONCE = 1_000
"""Memories of one write; a turn of the agent writes a dozen at most."""
LATER = 20
SOUNDS = ("bo", "ka", "ri", "su", "te", "mi", "lo", "na", "vu", "ze")
WORDS = [f"{one}{two}{three}" for one in SOUNDS for two in SOUNDS for three in range(40)]


@dataclass(frozen=True)
class Kept:
    """What so many memories cost."""

    users: int
    memories: int
    """Of all users together."""
    write_ms: float
    """For each memory of the last batch."""
    kb: float
    """On disk, for each memory."""
    first_ms: float
    first_cpu_ms: float
    later_ms: float
    later_cpu_ms: float
    by_meaning: float
    """Share of the searches in which meaning alone found what was asked for."""


def text(number: int, seed: int) -> str:
    """Give a statement of a dozen words, another one for each number and seed."""
    return " ".join(Random(f"{seed} {number}").choices(WORDS, k=12))


def records(user: str, numbers: Sequence[int], seed: int) -> list[MemoryRecord]:
    """Give a person's memories of these numbers."""
    return [
        MemoryRecord(
            id=memory_id(user, f"u{number}", text(number, seed)),
            user=user,
            kind=MemoryKind.FACT,
            text=text(number, seed),
            created=f"2026-02-{number // 1440 % 28 + 1:02}T{number // 60 % 24:02}:{number % 60:02}:00+00:00",
            thread="t",
            turn=f"u{number}",
        )
        for number in numbers
    ]


def of_one_person(marks: Sequence[int], seed: int) -> Iterator[Kept]:
    """Give what a search costs as one person's memories grow to each mark."""
    with tempfile.TemporaryDirectory() as folder:
        done = 0
        for mark in sorted(marks):
            took = 0.0
            memory = opened(folder)
            for start in range(done, mark, AT_ONCE):
                batch = records("ann", range(start, min(start + AT_ONCE, mark)), seed)
                began = time.perf_counter()
                memory.write(batch)
                took = (time.perf_counter() - began) / len(batch)
            memory.close()
            done = mark
            yield Kept(1, mark, round(took * 1000, 2), kb(folder, mark), *searched(folder, "ann", range(mark), seed))


def of_many_people(users: int, each: int, seed: int) -> Kept:
    """Give what one person's search costs among the memories of so many."""
    with tempfile.TemporaryDirectory() as folder:
        memory, took = opened(folder), 0.0
        at_once = max(1, AT_ONCE // each)
        for start in range(0, users, at_once):
            batch = [
                record
                for user in range(start, min(start + at_once, users))
                for record in records(f"user{user}", range(user * each, (user + 1) * each), seed)
            ]
            began = time.perf_counter()
            memory.write(batch)
            took = (time.perf_counter() - began) / len(batch)
        memory.close()
        total = users * each
        costs = searched(folder, f"user{users // 2}", range(users // 2 * each, (users // 2 + 1) * each), seed)
        return Kept(users, total, round(took * 1000, 2), kb(folder, total), *costs)


def opened(folder: str) -> ChromaMemory:
    """Give the memory in a folder, as a process opens it."""
    return ChromaMemory(Path(folder) / "memory", DeterministicFakeEmbedding(size=NUMBERS), "fake:384", min_score=-1.0)


def searched(folder: str, user: str, numbers: Sequence[int], seed: int) -> tuple[float, float, float, float, float]:
    """Give what a process's first search and the later ones take (wall, processor), and the share that meaning found.

    Words must find what was asked for every time. Chroma's index of vectors is approximate, and made-up vectors, which
    have no neighbourhoods, are the hardest for it.
    """
    memory = opened(folder)
    try:
        costs: list[float] = []
        worked: list[float] = []
        hits = 0
        for turn in range(LATER + 1):
            wanted = text(numbers[turn * 37 % len(numbers)], seed)
            began, at_work = time.perf_counter(), time.process_time()
            by_words, by_meaning = memory.matching(user, wanted, limit=40), memory.search(user, wanted, limit=40)
            costs.append(1000 * (time.perf_counter() - began))
            worked.append(1000 * (time.process_time() - at_work))
            hits += wanted in {record.text for record, _ in by_meaning}
            if wanted not in {record.text for record, _ in by_words}:
                raise AssertionError(f"{user}'s {wanted!r} was not found by its words")
            if {record.user for found in (by_words, by_meaning) for record, _ in found} != {user}:
                raise AssertionError("another person's memory was found")
        first, later = (round(costs[0]), round(worked[0])), (_median(costs[1:]), _median(worked[1:]))
        return *first, *later, round(hits / (LATER + 1), 2)
    finally:
        memory.close()


def _median(values: Sequence[float]) -> float:
    return round(statistics.median(values), 1)


def kb(folder: str, count: int) -> float:
    """Give the kilobytes on disk for each of so many memories."""
    return round(sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()) / count / 1024, 2)


def main() -> None:
    """Print the tables, and write them as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", default="10,100,1000,10000", help="lengths of the session; empty for none")
    parser.add_argument("--memories", default="1000,10000,100000", help="of one person; empty for none")
    parser.add_argument("--users", type=int, default=1000, help="people in one collection; 0 for none")
    parser.add_argument("--each", type=int, default=100, help="memories of each of these people")
    parser.add_argument("--seed", type=int, default=0, help="of the memories' words")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    about = machine()
    print(f"python {about['python']}, {about['machine']}, {about['packages']}", flush=True)
    kept: list[Kept] = []
    heads = f"{'write ms':>9} {'KB each':>8} {'first ms':>9} {'CPU':>7} {'later ms':>9} {'CPU':>7} {'meaning':>8}"
    print(f"{'people':>6} {'memories':>9} {heads}", flush=True)
    for row in _kept(chosen):
        kept.append(row)
        costs = f"{row.write_ms:>9.2f} {row.kb:>8.2f} {row.first_ms:>9.0f} {row.first_cpu_ms:>7.0f}"
        costs += f" {row.later_ms:>9.1f} {row.later_cpu_ms:>7.1f} {row.by_meaning:>8.0%}"
        print(f"{row.users:>6} {row.memories:>9} {costs}", flush=True)
    print(f"{'turns':>6} {'cpu ms':>9} {'wall ms':>9} {'KB/turn':>8} {'rows':>6} {'compactions':>12}", flush=True)
    turns = _numbers(chosen.turns)
    marks = play(turns, memory=False, seed=chosen.seed) if turns else []
    tables = {"memories": [asdict(row) for row in kept], "turns": [asdict(mark) for mark in marks]}
    keep("scale", [], tables, seed=chosen.seed, file=chosen.json)


def _numbers(given: str) -> list[int]:
    return [int(number) for number in given.split(",") if number]


def _kept(chosen: argparse.Namespace) -> Iterator[Kept]:
    yield from of_one_person(_numbers(chosen.memories), chosen.seed)
    if chosen.users:
        yield of_many_people(chosen.users, chosen.each, chosen.seed)


if __name__ == "__main__":
    main()
