"""R2 to R4 and the time: preferences among others, noise, stale values, and what a search costs."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.store.memory import InMemoryStore

from ninefold.adapters.archive import ThreadArchive
from ninefold.adapters.memory.in_memory import InMemoryMemory
from ninefold.adapters.memory.past import Pasts, ThreadPast
from ninefold.adapters.tokens import for_model
from ninefold.nodes.intent_check import intent_check
from ninefold.nodes.memory_retrieval import memory_retrieval
from ninefold.nodes.ports import MemoryStore
from ninefold.policies.intent import RuleIntent
from ninefold.policies.memory_ids import memory_id
from ninefold.policies.memory_merge import merged
from ninefold.policies.recall import DefaultRanking
from ninefold.policies.write_judge import RuleJudge
from ninefold.state import (
    AgentSettings,
    ContextPolicy,
    Entry,
    Fate,
    MemoryKind,
    MemoryRecord,
    MemoryStatus,
    Recalled,
    Turn,
    reference_id,
)
from ninefold.state.turn_state import TurnState

from .figures import Goal, Kind, at_least, at_most
from .recall_data import conversations, lines

TOGETHER = 20
MANY = 10_000
NOW = "2026-03-01T00:00:00+00:00"


def record(text: str, kind: MemoryKind, number: int, *, subject: str | None = None) -> MemoryRecord:
    """Give a memory of ann's."""
    at = f"2026-02-{number // 1440 % 28 + 1:02}T{number // 60 % 24:02}:{number % 60:02}:00+00:00"
    key = memory_id("ann", f"u{number}", text)
    return MemoryRecord(
        id=key, user="ann", kind=kind, text=text, subject=subject, created=at, thread="t", turn=f"u{number}"
    )


def asked(
    question: str, memory: MemoryStore | None, past: ThreadPast | None = None, *, policy: ContextPolicy | None = None
) -> Sequence[Recalled]:
    """Give the candidates of a question through the intent check and the retrieval node."""
    turn = Turn(id="now", parent=None, number=10**6, at=NOW, user="ann")
    entry = Entry(message="q", turn="now", sequence=0, tokens=1)
    state = TurnState(messages=[HumanMessage(question, id="q")], entries=(entry,), turn=turn)
    state = state.model_copy(update={"intent": intent_check(state, policy=RuleIntent()).get("intent")})
    settings = AgentSettings(context_policy=policy or ContextPolicy())
    found = memory_retrieval(
        state,
        memory=memory,
        past=past,
        settings=settings,
        ranking=DefaultRanking(),
        tokens=for_model("ollama", "qwen2.5:14b"),
    )
    return found.get("recalled", ())


def preferences(data: Path, embeddings: Embeddings | None) -> dict[str, Any]:
    """R2: a preference among twenty of one person: its place for the question that it bears on."""
    file = data / "constraints" / "prefeval_en.jsonl"
    if not file.exists() or embeddings is None:
        return {}
    told = list(lines(file))
    places: list[int] = []
    shown: list[bool] = []
    for start in range(0, len(told) - TOGETHER + 1, TOGETHER):
        group = told[start : start + TOGETHER]
        memory = InMemoryMemory(embeddings, "bench")
        texts = [line["constraints"][0]["text"] for line in group]
        memory.write([record(text, MemoryKind.PREFERENCE, number) for number, text in enumerate(texts)])
        for line in group:
            mine = line["constraints"][0]["text"]
            found = asked(line["question"], memory)
            (place,) = [i for i, each in enumerate(found, 1) if mine.startswith(each.text[:40])][:1] or [TOGETHER]
            places.append(place)
            shown.append(found[place - 1].fate is Fate.RECALLED if place <= len(found) else False)
    table = {
        "questions": len(places),
        "top 5": round(statistics.fmean(place <= 5 for place in places), 3),
        "in the prompt": round(statistics.fmean(shown), 3),
    }
    print(f"\nR2 a preference among {TOGETHER}: {table}", flush=True)
    return table


def noise(data: Path, embeddings: Embeddings | None) -> dict[str, Any]:
    """R4: memories in the prompt that do not bear on the question, where one does; lost to the thresholds (R3)."""
    if not (data / "recall").exists() or embeddings is None:
        return {}
    tables: dict[str, Any] = {}
    for top_k, least in ((5, None), (5, 0.45), (10, 0.3)):
        policy = ContextPolicy(memory_search_top_k=top_k, memory_search_min_score=least)
        beside: list[int] = []
        kept: list[bool] = []
        lost: list[bool] = []
        for name in ("bfcl_memory_en", "memorybank_zh"):
            for talk in conversations(name, data):
                memory = InMemoryMemory(embeddings, "bench")
                own = [unit for unit in talk.units if unit.role == "user"]
                turns = {f"u{i}": unit.id for i, unit in enumerate(own)}
                memory.write([record(unit.text, MemoryKind.FACT, i) for i, unit in enumerate(own)])
                by_record = {each.id: turns[each.turn] for each in memory.records("ann")}
                for question in talk.questions:
                    if len(question.evidence) != 1 or not question.evidence <= set(by_record.values()):
                        continue
                    found = asked(question.text, memory, policy=policy)
                    fates = {by_record[each.id]: each.fate for each in found}
                    (wanted,) = question.evidence
                    beside.append(sum(fate is Fate.RECALLED for key, fate in fates.items() if key != wanted))
                    kept.append(fates.get(wanted) is Fate.RECALLED)
                    lost.append(fates.get(wanted) is Fate.BELOW_THRESHOLD)
        tables[f"top_k {top_k}, min_score {least or 'of the embedder'}"] = {
            "questions": len(kept),
            "beside it": round(statistics.fmean(beside), 2),
            "in the prompt": round(statistics.fmean(kept), 3),
            "lost to the threshold": round(statistics.fmean(lost), 3),
        }
    print("\nR4 one memory is wanted:")
    for name, table in tables.items():
        print(f"  {name:<36}{table}", flush=True)
    return tables


def stale(data: Path) -> dict[str, Any]:
    """R3: of a value that was told anew, the older telling in the prompt, through memories and archive."""
    file = data / "constraints" / "beam_en.jsonl"
    if not file.exists():
        return {}
    old_alone = old_beside = new = count = 0
    for talk in lines(file):
        memory, past, ids = remembered(talk["turns"])
        for update in talk["updates"]:
            found = asked(update["question"], memory, past)
            shown = {ids[each.id] for each in found if each.fate is Fate.RECALLED and each.id in ids}
            count += 1
            newer, older = bool(shown & set(update["new_at"])), bool(shown & set(update["old_at"]))
            new += newer
            old_alone += older and not newer
            old_beside += older and newer
    table = {"updates": count, "new told": new, "old told, not the new": old_alone, "both told, dated": old_beside}
    print(f"\nR3 {table}", flush=True)
    return table


def memory_goals(tables: Mapping[str, Any]) -> Iterator[Goal]:
    """Give the goals of R2 to R4 and of the time, as far as they were measured."""
    if found := tables["R2"]:
        yield at_least("R2", f"among {TOGETHER}, top 5", found["top 5"], 0.97)
    if found := tables["R3"]:
        old = found["old told, not the new"]
        yield at_most("R3", f"stale value alone, of {found['updates']}", old, 0)
    for name, row in tables["R4"].items():
        if "of the embedder" in name:
            beside, lost = row["beside it"], row["lost to the threshold"]
            yield at_most("R4", "memories beside the one that is wanted, of 5", beside, 1.5)
            yield at_most("R3", "right memory lost to the threshold", lost, 0.02)
    later = tables["time"]["later searches, ms"]
    yield at_most("M2", f"ms of a search in {MANY:,} memories and {MANY:,} turns", later, 15, kind=Kind.TIME)


def remembered(turns: Sequence[dict[str, Any]]) -> tuple[MemoryStore, ThreadPast, dict[str, str]]:
    """Give a conversation as it is kept: the person's statements in the memories, every turn in the archive."""
    memory = InMemoryMemory(DeterministicFakeEmbedding(size=16), "fake", min_score=2)
    store = InMemoryStore()
    archive = ThreadArchive(store, "t")
    ids: dict[str, str] = {}
    parent: str | None = None
    for number, told in enumerate(turns):
        first = record("x", MemoryKind.FACT, number)
        turn = Turn(id=first.turn, parent=parent, number=number, at=first.created, user="ann")
        message: BaseMessage = HumanMessage(told["text"]) if told["role"] == "user" else AIMessage(told["text"])
        archive.record(turn, [(Entry(message=turn.id, turn=turn.id, sequence=0, tokens=1), message)])
        ids[reference_id(turn.id, 0)] = told["id"]
        parent = turn.id
        if told["role"] == "user":
            new = [record(s.text, s.kind, number, subject=s.subject) for s in RuleJudge().statements(told["text"])]
            merge = merged(new, memory.records("ann", status=MemoryStatus.ACTIVE), {}, same=0.97)
            memory.write(tuple(merge.rows.values()))
            ids |= {each.id: told["id"] for each in new}
    return memory, Pasts().of(store, "t", [parent]), ids


def timing(seed: int) -> dict[str, Any]:
    """Give what a search costs in CPU time without store and embedder, over many memories and many archived turns."""
    words = [f"{one}{two}" for one in ("bo", "ka", "ri", "su", "te", "mi", "lo") for two in range(400)]

    def text(number: int, length: int) -> str:
        return " ".join(Random(f"{seed} {number}").choices(words, k=length))

    memory = InMemoryMemory(DeterministicFakeEmbedding(size=8), "fake")
    memory.write([record(text(i, 12), MemoryKind.FACT, i) for i in range(MANY)])
    store = InMemoryStore()
    archive = ThreadArchive(store, "t")
    for i in range(MANY):
        turn = Turn(id=f"u{i}", parent=f"u{i - 1}" if i else None, number=i, at=NOW, user="ann")
        spoken = (HumanMessage(text(i + MANY, 30)), AIMessage(text(i + 2 * MANY, 60)))
        archive.record(
            turn, [(Entry(message=f"u{i}{s}", turn=turn.id, sequence=s, tokens=1), m) for s, m in enumerate(spoken)]
        )
    past = Pasts().of(store, "t", [f"u{MANY - 1}"])
    question = text(3, 10)
    began = time.process_time()
    memory.matching("ann", question, limit=40)
    past.matching(question, limit=12)
    first = time.process_time() - began
    costs = []
    for _ in range(20):
        began = time.process_time()
        memory.matching("ann", question, limit=40)
        past.matching(question, limit=12)
        costs.append(time.process_time() - began)
    table = {
        "memories": MANY,
        "archived turns": MANY,
        "first search of a process, ms": round(first * 1000),
        "later searches, ms": round(statistics.median(costs) * 1000, 1),
    }
    print(f"\ntime without store and embedder: {json.dumps(table)}", flush=True)
    return table
