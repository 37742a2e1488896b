"""A constraint that the person ends by hand, between two turns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig

from ninefold.nodes.ports import MemoryStore
from ninefold.policies.constraints import SUBJECT
from ninefold.policies.constraints.merging import change as changed
from ninefold.policies.memory_ids import folded, record_id
from ninefold.policies.secrets import masked
from ninefold.policies.text import HAN
from ninefold.state import ChangeKind, Constraint, ConstraintsUpdated, InputError, MemoryKind, MemoryStatus, Scope
from ninefold.state.turn_state import Update

from .changes import Standing, change
from .guard import TurnGraph
from .in_force import rules_in_force

_NAMED = 80
"""Characters that an error repeats of what it did not find."""
_WORD = re.compile(rf"[{HAN}]|[^\W{HAN}]+")


def end(graph: TurnGraph, config: RunnableConfig, what: str) -> Constraint:
    """Let a constraint hold no longer, and give what held.

    One that was said for all time comes back in no later thread either, as after "no longer" in a message.

    Args:
        graph: what `build_graph` gave.
        config: names the thread and its user.
        what: the constraint's id, its words, or words that no other constraint has.

    Raises:
        InputError: no such constraint holds, more than one has the words, or the last turn is not finished.
        MemoryStoreError: the memories failed; the constraint holds on then.
    """

    def make(standing: Standing) -> tuple[Constraint, Update]:
        memory = standing.parts.memory
        held = standing.state.constraints
        gone = _named(held, what)
        if gone is None or gone.lasting:
            # Another thread may have replaced it since, or what it replaced.
            held = rules_in_force(standing.state, standing.turn, standing.parts)
            gone = _named(held, what)
        if gone is None:
            named = what.strip()[:_NAMED]
            raise InputError(f"No constraint that holds has the words {named!r}.", "In a chat /constraints lists them.")
        rest = tuple(each for each in held if each.id != gone.id)
        if memory and gone.lasting:
            _take_back(memory, standing.stamp.user, gone)
        event = ConstraintsUpdated(changes=(changed(ChangeKind.REMOVED, gone),), reason="ended by hand")
        return gone, Update(constraints=rest, trace=(event,))

    return change(graph, config, make)


def _named(held: Sequence[Constraint], what: str) -> Constraint | None:
    """Give the constraint of an id, of these very words, or the only one that has them as whole words."""
    meant = _words(what)
    same = [each for each in held if each.id == what.strip() or (meant.strip() and _words(each.words) == meant)]
    found = same or [each for each in held if meant.strip() and meant in _words(each.words)]
    # What is noted for one turn repeats a rule's words, and ends by itself.
    found = [each for each in found if each.scope is not Scope.TURN] or found
    if len(found) > 1:
        raise InputError("More than one constraint has these words.", "Say more of its words.")
    return found[0] if found else None


def _words(text: str) -> str:
    """Give a text's words and Chinese letters between blanks, in one width and case: "red" stands in no "required"."""
    return f" {' '.join(_WORD.findall(unicodedata.normalize('NFKC', text).casefold()))} "


def _take_back(memory: MemoryStore, user: str, gone: Constraint) -> None:
    """Supersede the preference that keeps the constraint, and whichever holds its words."""
    words, kept = folded(masked(gone.words)), record_id(gone, user)
    rows = [
        record.model_copy(update={"status": MemoryStatus.SUPERSEDED})
        for record in memory.by_kind(user, (MemoryKind.PREFERENCE,))
        if (record.subject or "").startswith(SUBJECT)
        and (record.id == kept or (words and folded(record.text) == words))
    ]
    if rows:
        memory.write(rows)
