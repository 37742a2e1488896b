"""What recall is measured on: conversations, questions and the turns that answer them; vectors are kept in a file."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data" / "dev"
OWN = HERE / "conversations"
BROKEN = "[ERRORQ]"
"""How a source marks a question that it could not make."""
NOISE = {"memdaily_zh": "noise_zh.jsonl"}
PEOPLE_ONLY = ("locomo",)
"""Sets in which both speakers are people: no turn is a reply of an assistant, and each names its speaker."""
TIMES = ("%Y-%m-%d", "%B-%d-%Y", "%I:%M %p on %d %B, %Y", "%Y年%m月%d日 %H:%M")
"""How the sets write when something was said."""


@dataclass(frozen=True)
class Unit:
    """One message of a conversation."""

    id: str
    session: int
    role: str
    text: str
    time: str | None = None
    """When it was said, as the set writes it."""


@dataclass(frozen=True)
class Question:
    """A question, and the messages that hold its answer."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    """What one person said, and what is asked about it."""

    units: tuple[Unit, ...]
    questions: tuple[Question, ...]


def conversations(name: str, data: Path, *, most: int | None = None) -> Iterator[Conversation]:
    """Give the conversations of a set, the first `most` of them."""
    folder = data / "recall" if (data / "recall").exists() else data
    stores = lines(folder / f"{name}.stores.jsonl")
    asked: dict[str, list[Question]] = {}
    for line in lines(folder / f"{name}.questions.jsonl"):
        if line["question"] == BROKEN:
            continue
        asked.setdefault(line["store_id"], []).append(Question(line["question"], frozenset(line["evidence"])))
    noise = list(lines(folder / NOISE[name])) if name in NOISE else []
    for store in list(stores)[:most]:
        told = [unit(turn, name) for turn in store["turns"]]
        beside = [Unit(n["id"], -1 - int(n["id"][1:].split(".")[0]), "user", n["text"]) for n in noise]
        yield Conversation((*told, *beside), tuple(asked.get(store["store_id"], ())))


def unit(turn: dict[str, Any], name: str) -> Unit:
    """Give a turn of a set."""
    if name.startswith(PEOPLE_ONLY):
        return Unit(turn["id"], turn["session"], "user", f"{turn['speaker']}: {turn['text']}", turn.get("time"))
    return Unit(turn["id"], turn["session"], turn["role"], turn["text"], turn.get("time"))


def moments(units: Sequence[Unit]) -> list[datetime]:
    """Give when each message was said: never before the one before it, in its session within minutes.

    Where a set tells no time, a session begins a day after the one before it.
    """
    found: list[datetime] = []
    now, session = datetime(2000, 1, 1, 8, tzinfo=UTC), None
    for unit in units:
        pause = timedelta(minutes=1) if unit.session == session else timedelta(days=1)
        now = max(now + timedelta(minutes=1), _told(unit.time)) if unit.time else now + pause
        session = unit.session
        found.append(now)
    return found


def _told(time: str) -> datetime:
    heard = re.sub(r" 周.(?= )", "", time)
    for form in TIMES:
        try:
            return datetime.strptime(heard, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(f"{time!r} is written in none of the forms {TIMES}")


def lines(file: Path) -> Iterator[dict[str, Any]]:
    """Give the lines of a file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


class Kept(Embeddings):
    """An embedder whose vectors are kept in a file: they are made once, however often something is measured.

    Args:
        inner: the embedder.
        file: where the vectors are kept.
    """

    def __init__(self, inner: Embeddings, file: Path) -> None:
        self._inner = inner
        self.min_score = float(getattr(inner, "min_score", 0.45))
        self._stamp = str(getattr(inner, "stamp", type(inner).__name__))
        self._file = sqlite3.connect(file)
        self._file.execute("CREATE TABLE IF NOT EXISTS e (k TEXT PRIMARY KEY, v BLOB)")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Give the vectors of passages."""
        return [self._vector("d", text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Give the vector of a question."""
        return self._vector("q", text)

    def _vector(self, kind: str, text: str) -> list[float]:
        key = kind + hashlib.sha1(f"{self._stamp}\n{text}".encode(), usedforsecurity=False).hexdigest()
        found = self._file.execute("SELECT v FROM e WHERE k = ?", (key,)).fetchone()
        if found:
            return [float(number) for number in np.frombuffer(found[0], np.float32)]
        made = self._inner.embed_query(text) if kind == "q" else self._inner.embed_documents([text])[0]
        with self._file:
            blob = np.asarray(made, np.float32).tobytes()
            self._file.execute("INSERT OR REPLACE INTO e VALUES (?, ?)", (key, blob))
        return made
