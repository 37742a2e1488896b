"""What was said earlier in a thread, found by its words in the archive.

The index grows with the archive: a search first takes the turns that came since the last one. It follows the turns'
parents, so that a fork never sees the other branch, and it holds no text: what is shown is read from the archive then,
and what was forgotten there is gone here too.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Collection, Sequence
from threading import RLock
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore

from ninefold.state import Said
from ninefold.state.memory import instant
from ninefold.state.turn_state import INPUT_ROLE

from ..archive import keys
from ..archive.message_json import from_json
from ..archive.thread_archive import read, storing, turn_row
from ..archive.whole_thread import AT_ONCE, all_turns, stored_messages
from ..lexical import LexicalIndex

THREADS = 32
"""Threads of a store whose words are held at a time."""
PAUSE = 18 * 3600
"""Seconds without a turn after which a new episode of the conversation begins.

Who writes in the morning and in the evening is in one; who writes at the same hour every day begins a new one.
"""
NOT_THE_PERSON = 2 / 3
"""What words that are not the person's own weigh.

What people ask for later is mostly what they said themselves: three quarters of the evidence in the sets of
`bench/recall.py` that have an assistant, whose replies are the longer part of the text. A question for what the
assistant said takes its replies whole.
"""

Row = tuple[str, dict[str, Any]]
Speaker = Literal["user", "assistant", "data"]
_SPEAKERS: tuple[Speaker, ...] = ("user", "assistant", "data")


class _Place(NamedTuple):
    turn: str
    sequence: int
    at: str
    role: Speaker


class Pasts:
    """Opens the past of threads; one per agent, because the indexes it holds grow with its threads."""

    def __init__(self) -> None:
        self._stores: WeakKeyDictionary[BaseStore, OrderedDict[str, _Branch]] = WeakKeyDictionary()
        self._lock = RLock()

    def of(self, store: BaseStore, thread: str, ends: Sequence[str | None]) -> ThreadPast:
        """Give a thread's past.

        Args:
            store: of the archive.
            thread: whose turns are searched.
            ends: turns of the branch, newest first; the first that the archive knows is where it ends.
        """
        with self._lock:
            threads = self._stores.setdefault(store, OrderedDict())
            branch = threads.setdefault(thread, _Branch())
            threads.move_to_end(thread)
            while len(threads) > THREADS:
                threads.popitem(last=False)
        return ThreadPast(store, thread, tuple(ends), branch)


class ThreadPast:
    """One thread's past; it implements `ninefold.nodes.ports.Past`."""

    def __init__(self, store: BaseStore, thread: str, ends: Sequence[str | None], branch: _Branch) -> None:
        self._store = store
        self._thread = thread
        self._ends = ends
        self._branch = branch

    def matching(
        self,
        query: str,
        *,
        limit: int,
        without: Collection[str] = (),
        between: tuple[float, float] | None = None,
        replies: bool = False,
    ) -> tuple[Said, ...]:
        """Give the messages of earlier turns that hold the query's words, or stand beside such, best first.

        With a time given, only what was said then, whatever its words. With replies wanted, the assistant's words weigh
        as much as the person's.

        Raises:
            StorageError: the archive failed.
        """
        with self._branch.lock:
            self._branch.follow(self._store, self._thread, self._ends)
            found = self._branch.best(query, limit, frozenset(without), between, replies)
        with storing():
            values = read(
                self._store, [(keys.messages(self._thread, place.turn), str(place.sequence)) for place, _ in found]
            )
        return tuple(
            Said(
                turn=place.turn,
                sequence=place.sequence,
                at=place.at,
                role=place.role,
                text=str(from_json(value["message"]).text),
                score=round(score, 4),
            )
            for (place, score), value in zip(found, values, strict=True)
            if value and "message" in value
        )


class _Branch:
    """The words of one branch of a thread, from its root to its newest archived turn."""

    def __init__(self) -> None:
        self.lock = RLock()
        self._rows: list[Row] = []
        self._empty()

    def _empty(self) -> None:
        self._index = LexicalIndex()
        self._places: list[_Place] = []
        self._speakers: array[int] = array("b")
        self._episode = 0
        self._latest = 0.0
        self._indexed: dict[str, int] = {}

    def follow(self, store: BaseStore, thread: str, ends: Sequence[str | None]) -> None:
        """Take the turns between what is known and the branch's end; another branch is read from its root."""
        known = dict(all_turns(store, thread)) if not self._rows else {}
        new: list[Row] = []
        turn = _end(store, thread, ends, known)
        while turn is not None and turn not in self._indexed:
            row = known.get(turn) or turn_row(store, thread, turn)
            if row is None:
                break
            new.append((turn, row))
            turn = row["parent"]
        new.reverse()
        if turn in self._indexed and self._indexed[turn] == len(self._rows) - 1:
            self._take(store, thread, new)
        elif new or turn in self._indexed:
            kept = self._rows[: self._indexed[turn] + 1] if turn in self._indexed else []
            self._rows = []
            self._empty()
            self._take(store, thread, [*kept, *new])

    def _take(self, store: BaseStore, thread: str, rows: Sequence[Row]) -> None:
        """Take turns behind those that are known, a batch at a time: a failing archive leaves the rest for later."""
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            spoken: dict[str, list[tuple[_Place, str]]] = {turn: [] for turn, _ in some}
            at = {turn: row["at"] for turn, row in some}
            for turn, sequence, value in stored_messages(store, thread, some):
                spoke = _spoken(value["message"]) if "message" in value else None
                if spoke is not None:
                    spoken[turn].append((_Place(turn, sequence, at[turn], spoke[0]), spoke[1]))
            for turn, row in some:
                self._add(turn, row, spoken[turn])

    def _add(self, turn: str, row: dict[str, Any], spoken: Sequence[tuple[_Place, str]]) -> None:
        moment = instant(row["at"])
        self._episode += bool(self._rows) and moment - self._latest > PAUSE
        self._latest = max(moment, self._latest)
        self._indexed[turn] = len(self._rows)
        self._rows.append((turn, {"at": row["at"], "count": row["count"], "parent": row["parent"]}))
        for place, text in spoken:
            self._index.add(text, episode=self._episode)
            self._speakers.append(_SPEAKERS.index(place.role))
            self._places.append(place)

    def best(
        self, query: str, limit: int, without: frozenset[str], between: tuple[float, float] | None, replies: bool
    ) -> list[tuple[_Place, float]]:
        import numpy as np

        weights = np.array([1.0, 1.0 if replies else NOT_THE_PERSON, NOT_THE_PERSON])
        scores = self._index.in_context(query) * weights[np.asarray(self._speakers)]
        found: list[tuple[_Place, float]] = []
        for number in np.argsort(-scores, kind="stable"):
            place = self._places[number]
            if len(found) == limit or (scores[number] <= 0 and between is None):
                break
            then = between is None or between[0] <= instant(place.at) < between[1]
            if then and place.turn not in without:
                found.append((place, float(scores[number])))
        return found


def _end(store: BaseStore, thread: str, ends: Sequence[str | None], known: dict[str, Any]) -> str | None:
    for turn in ends:
        if turn is not None and (turn in known or turn_row(store, thread, turn) is not None):
            return turn
    return None


def _spoken(stored: dict[str, Any]) -> tuple[Speaker, str] | None:
    """Who speaks in a stored message, and what; tools' results are reached by their references, not by search.

    Plain text is read as it is stored: making the message takes longer than all the rest.
    """
    if stored["type"] not in ("human", "ai"):
        return None
    content = stored["data"]["content"]
    text = content if isinstance(content, str) else str(from_json(stored).text)
    if stored["type"] == "human":
        return ("data" if INPUT_ROLE in (stored["data"].get("additional_kwargs") or {}) else "user"), text
    return ("assistant", text) if text.strip() else None
