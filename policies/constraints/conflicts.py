"""A conflict is put to the person as one question, and the answer read in every form it may come in."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, assert_never, cast

import yaml

from ninefold.state import ChangeKind, Conflict, ConflictAnswer, Constraint, ConstraintChange, Scope

from .halves import half_allowed
from .merging import Merged, change, overruling, replace

_DATA = Path(__file__).parent.parent / "data" / "conflict_answers.yaml"


def question(conflicts: Sequence[Conflict]) -> Mapping[str, Any]:
    """Give the question that carries all conflicts of a turn: ids, old and new words, and the answers there are."""
    return {
        "kind": "constraint_conflict",
        "conflicts": [{"id": each.id, "old": each.old.words, "new": each.new.words} for each in conflicts],
        "answers": [answer.value for answer in ConflictAnswer],
    }


def answer_of(text: str) -> ConflictAnswer | None:
    """Give the answer that a person's whole message is, or None when it is something else."""
    return _answers().get(_plain(text))


def answers_of(reply: object, conflicts: Sequence[Conflict]) -> dict[str, ConflictAnswer | None]:
    """Give each conflict's answer, None where the reply has none that can be read.

    A reply is one answer for all, a mapping from conflict id to answer, or a list in the order of the conflicts.
    """
    if isinstance(reply, str):
        one = answer_of(reply)
        if one is None and reply.strip()[:1] in ("{", "[", '"'):
            try:
                return answers_of(json.loads(reply), conflicts)
            except ValueError:
                return _all(conflicts, None)
        return _all(conflicts, one)
    if isinstance(reply, Mapping):
        return _from_mapping(reply, conflicts)
    if isinstance(reply, Sequence) and not isinstance(reply, bytes):
        return _from_list(reply, conflicts)
    return _all(conflicts, None)


def decided(
    held: Sequence[Constraint], conflicts: Sequence[Conflict], answers: Mapping[str, ConflictAnswer | None]
) -> Merged:
    """Give the constraints after the answers; an answer that could not be read keeps what held."""
    kept = list(held)
    changes: list[ConstraintChange] = []
    for conflict in conflicts:
        match answers.get(conflict.id) or ConflictAnswer.KEEP:
            case ConflictAnswer.REPLACE:
                _replace(kept, conflict, changes)
            case ConflictAnswer.THIS_TURN:
                once = overruling(conflict.new, kept).model_copy(update={"scope": Scope.TURN, "lasting": False})
                if all(each.id != once.id for each in kept):
                    kept.append(once)
                    changes.append(change(ChangeKind.ADDED, once))
            case ConflictAnswer.KEEP:
                pass
            case never:
                assert_never(never)
    return Merged(tuple(kept), tuple(changes), ())


def _replace(kept: list[Constraint], conflict: Conflict, changes: list[ConstraintChange]) -> None:
    old = [each for each in kept if each.id == conflict.old.id]
    there = [each for each in kept if each.id == conflict.new.id]
    new = there[0] if there else overruling(conflict.new, kept)
    for each in there:
        kept.remove(each)
    half = half_allowed(kept, old[0], new.words) if old else None
    if half is None:
        replace(kept, new, old, changes)
        return
    kept[kept.index(old[0])] = half.rule
    kept.append(new if new.overrules is not None else new.model_copy(update={"overrules": half.part}))
    changes.append(change(ChangeKind.ADDED, new))


def _from_mapping(reply: Mapping[Any, Any], conflicts: Sequence[Conflict]) -> dict[str, ConflictAnswer | None]:
    for name in ("answers", "conflicts"):
        if isinstance(reply.get(name), Mapping | list):
            return answers_of(reply[name], conflicts)
    if "id" in reply and "answer" in reply:
        return _from_mapping({reply["id"]: reply["answer"]}, conflicts)
    for name in ("answer", "value"):
        if name in reply:
            return answers_of(reply[name], conflicts)
    return {each.id: _one(reply.get(each.id)) for each in conflicts}


def _from_list(reply: Sequence[Any], conflicts: Sequence[Conflict]) -> dict[str, ConflictAnswer | None]:
    if reply and all(isinstance(each, Mapping) for each in reply):
        joined = {each["id"]: each.get("answer") for each in reply if "id" in each}
        return _from_mapping(joined, conflicts)
    if len(reply) == 1:
        return _all(conflicts, _one(reply[0]))
    padded = [*reply, *[None] * len(conflicts)]
    return {each.id: _one(padded[index]) for index, each in enumerate(conflicts)}


def _one(answer: object) -> ConflictAnswer | None:
    if isinstance(answer, Mapping):
        return _one(answer.get("answer"))
    return answer_of(str(answer)) if isinstance(answer, str | int) and not isinstance(answer, bool) else None


def _all(conflicts: Sequence[Conflict], answer: ConflictAnswer | None) -> dict[str, ConflictAnswer | None]:
    return {each.id: answer for each in conflicts}


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\s,.!?;:'\"，。！？；：、]+", " ", folded.replace("this_turn", "this turn")).strip()


@cache
def _answers() -> dict[str, ConflictAnswer]:
    loaded = cast(dict[str, list[str]], yaml.safe_load(_DATA.read_text(encoding="utf-8")))
    return {_plain(str(said)): ConflictAnswer(answer) for answer, ways in loaded.items() for said in ways}
