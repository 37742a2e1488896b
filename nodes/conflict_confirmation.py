"""conflict_confirmation: the person decides between two wishes that cannot both hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, assert_never

from ninefold.policies.constraints import answers_of, decided, question, taken_back
from ninefold.policies.notices import notice
from ninefold.state import (
    Conflict,
    ConflictAnswer,
    ConflictAnswered,
    ConflictRule,
    ConstraintsUpdated,
    Degraded,
    Event,
    Step,
)
from ninefold.state.turn_state import TurnState, Update

from .ports import Ask


def conflict_confirmation(state: TurnState, *, ask: Ask, conflict: ConflictRule) -> Update:
    """Ask once for all conflicts, and give the constraints after the answers.

    The turn waits in `ask`, also across processes; nothing is extracted again when it goes on. An answer that cannot be
    read keeps what held, and the event says so.
    """
    if not state.conflicts:
        return Update(trace=(ConstraintsUpdated(reason="no conflict waits"),))
    answers = _answers(state.conflicts, ask, conflict)
    merged = decided(state.constraints, state.conflicts, answers)
    by: Literal["person", "setting"] = "person" if conflict is ConflictRule.ASK else "setting"
    events: list[Event] = []
    for each in state.conflicts:
        answer = answers.get(each.id)
        events.append(ConflictAnswered(conflict=each.id, answer=answer or ConflictAnswer.KEEP, by=by))
        if answer is None:
            events.append(
                Degraded(
                    step=Step.CONFLICT_CONFIRMATION,
                    what=notice("answer_unread", state.language, words=each.old.words),
                    cause="the answer was none of replace, keep, this_turn",
                )
            )
    if merged.changes:
        events.append(ConstraintsUpdated(changes=merged.changes[:24]))
    gone = taken_back(state.taken_back, merged.changes)
    return Update(constraints=merged.constraints, conflicts=(), taken_back=gone, trace=tuple(events))


def _answers(conflicts: tuple[Conflict, ...], ask: Ask, rule: ConflictRule) -> Mapping[str, ConflictAnswer | None]:
    match rule:
        case ConflictRule.ASK:
            return answers_of(ask(question(conflicts)), conflicts)
        case ConflictRule.NEWEST:
            return {each.id: ConflictAnswer.REPLACE for each in conflicts}
        case ConflictRule.KEEP:
            return {each.id: ConflictAnswer.KEEP for each in conflicts}
        case never:
            assert_never(never)
