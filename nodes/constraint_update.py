"""constraint_update: what the person requires, forbids and prefers, kept in the person's own words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import BaseMessage, HumanMessage

from ninefold.policies.bounded import within
from ninefold.policies.constraints import (
    Candidate,
    Extraction,
    Source,
    ended_with,
    expired,
    extract,
    from_preferences,
    identify,
    is_other,
    jointed,
    may_hold,
    take,
    taken_back,
    wants_model,
)
from ninefold.policies.forget_request import beside
from ninefold.policies.forget_texts import any_of
from ninefold.policies.notices import notice
from ninefold.policies.text import plain_text
from ninefold.state import (
    AgentSettings,
    ChangeKind,
    Conflict,
    ConflictAnswer,
    ConflictAnswered,
    ConflictRule,
    Constraint,
    ConstraintChange,
    ConstraintsUpdated,
    Degraded,
    Event,
    Fate,
    Recalled,
    Step,
    Task,
    Turn,
)
from ninefold.state.turn_state import TurnState, Update

from .internal_calls import Noted, counted
from .ports import Assistant, Schema, TokenCounter
from .wishes_asked import Asked, with_wishes_asked

_NAMED, _NAME = 6, 60
"""Of the wishes without room, how many are named and by how many characters; all are counted."""
_SHOWN = 24
_SHOWN_BYTES = 4096
"""Changes that one event shows, in number and as JSON; the rest are counted in its reason."""


class _Held(NamedTuple):
    """The layer while the messages are taken one after the other."""

    constraints: tuple[Constraint, ...]
    task: Task | None
    changes: tuple[ConstraintChange, ...]
    conflicts: tuple[Conflict, ...]


def constraint_update(
    state: TurnState,
    *,
    assistant: Assistant | None,
    tokens: TokenCounter,
    conflict: ConflictRule,
    settings: AgentSettings,
    fixed: str,
    tools: Sequence[Schema],
) -> Update:
    """Take in every message of the person that was not taken yet, and give the constraints that hold now.

    Rules come first; the assistant is asked at most once a turn, and only where a clause sounds like a wish that no
    rule took. What it proposes must be a span of the message. Whatever fails, the rules' findings stand and the event
    says so. An assistant on the chat's own server is asked behind the prompt that the chat is about to be sent, which
    takes the agent's settings, fixed text and tools.
    """
    assert state.turn is not None
    turn = state.turn
    held, events = _opened(state, turn)
    noted = Noted(assistant, Step.CONSTRAINT_UPDATE, tokens, tools) if assistant is not None else None
    asked: Asked | None = None
    waiting = [message for message in state.messages if message.id in state.unprocessed.constraints]
    for message in waiting:
        if not isinstance(message, HumanMessage):
            continue
        # What is to be forgotten is no wish; what is said beside it may be one.
        holds = any_of(state.forgetting)
        text = beside(plain_text(message), holds)
        found = extract(text)
        if noted is not None and asked is None and wants_model(text, found):
            asked = with_wishes_asked(
                state, text, found, noted, tokens=tokens, settings=settings, fixed=fixed, tools=tools
            )
            found = asked.found
            events += asked.events
        if state.forgetting:
            # A withdrawal in it has nothing left to withdraw.
            found = found._replace(wishes=tuple(wish for wish in found.wishes if not holds(wish.words)))
        found = found._replace(wishes=jointed(text, found.wishes))
        held, full = _taken(held, found, _source(state, turn, message), conflict)
        events += [*_untaken(state, "rules_beyond", found.beyond), *_untaken(state, "rules_full", full)]
    events.append(_event(held, waiting, asked.alone if asked else ""))
    counters = counted(state.counters, noted)
    return Update(
        constraints=held.constraints,
        task=held.task,
        conflicts=held.conflicts,
        taken_back=taken_back(state.taken_back, held.changes),
        recalled=_beside_the_layer(state, turn),
        unprocessed=state.unprocessed.model_copy(update={"constraints": ()}),
        counters=counters.model_copy(update={"wishes_not_found": asked.in_vain}) if asked else counters,
        trace=tuple(events),
    )


def _opened(state: TurnState, turn: Turn) -> tuple[_Held, list[Event]]:
    """Give the layer as a turn finds it: without what held for an earlier turn, with the rules of earlier threads."""
    events: list[Event] = [
        ConflictAnswered(conflict=each.id, answer=ConflictAnswer.KEEP, by="new_message") for each in state.conflicts
    ]
    kept = expired(state.constraints, turn.id)
    standing = from_preferences(state.recalled, turn.id) if turn.number == 1 else ()
    new = tuple(each for each in standing if all(each.id != old.id for old in kept.constraints))
    added = tuple(ConstraintChange(change=ChangeKind.ADDED, constraint=each.id, words=each.words[:400]) for each in new)
    return _Held((*new, *kept.constraints), state.task, (*kept.changes, *added), ()), events


def _beside_the_layer(state: TurnState, turn: Turn) -> tuple[Recalled, ...]:
    """Give the recall without what came into the layer as a rule: nothing stands in a prompt twice."""
    adopted = {each.message for each in from_preferences(state.recalled, turn.id)} if turn.number == 1 else frozenset()
    return tuple(
        each.model_copy(update={"fate": Fate.IN_VIEW}) if each.id in adopted else each for each in state.recalled
    )


def _source(state: TurnState, turn: Turn, message: BaseMessage) -> Source:
    entry = next((each for each in state.entries if each.message == message.id), None)
    return Source(turn=turn.id, message=message.id or (entry.message if entry else turn.id), at=turn.at, task=None)


def _taken(held: _Held, found: Extraction, source: Source, rule: ConflictRule) -> tuple[_Held, tuple[Candidate, ...]]:
    """Give the layer after one message, and the wishes that it has no room for."""
    constraints, changes = held.constraints, held.changes
    task = held.task
    begins = found.task is not None and (task is None or is_other(found.task.text, task))
    if task is not None and (found.finished or begins):
        gone = ended_with(constraints, task.id)
        constraints, changes, task = gone.constraints, (*changes, *gone.changes), None
    if begins and found.task is not None:
        words = found.task.text[:2000]
        task = Task(
            id=identify("task", source.turn, source.message, words),
            words=words,
            turn=source.turn,
            message=source.message,
        )
    merged, refused = take(constraints, found.wishes, source._replace(task=task), rule)
    after = _Held(merged.constraints, task, (*changes, *merged.changes), (*held.conflicts, *merged.conflicts))
    return after, refused


def _untaken(state: TurnState, why: str, wishes: Sequence[Candidate]) -> list[Event]:
    """Give what the person is told of wishes that found no room: all are counted, the first named."""
    if not wishes:
        return []
    what = notice(why, state.language, count=len(wishes))
    named = "; ".join(each.words[:_NAME] for each in wishes[:_NAMED])
    more = f"; … + {len(wishes) - _NAMED}" if len(wishes) > _NAMED else ""
    return [Degraded(step=Step.CONSTRAINT_UPDATE, what=what, cause=named + more)]


def _event(held: _Held, waiting: Sequence[BaseMessage], alone: str) -> ConstraintsUpdated:
    reason = ""
    shown = within(held.changes[:_SHOWN], _SHOWN_BYTES)
    if not waiting:
        reason = "no new message"
    elif not held.changes:
        reason = (
            "no message could hold a wish" if not any(may_hold(plain_text(m)) for m in waiting) else "no wish found"
        )
    elif len(held.changes) > len(shown):
        reason = f"{len(held.changes) - len(shown)} more changes"
    return ConstraintsUpdated(changes=shown, reason="; ".join(part for part in (reason, alone) if part))
