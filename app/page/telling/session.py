"""A whole session: what was said, the turns that can be gone back to, what holds now, what waits for an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from ninefold.policies.explaining import Spoken
from ninefold.policies.text import plain_text
from ninefold.state import Constraint, ConstraintsUpdated, FidelityChecked
from ninefold.state.turn_state import INPUT_ROLE, TurnState

from ...console.reports import about, unchecked
from ...kept_turns import moments, number, said
from ...wording import Wording
from ..requests import Asked
from ..runs import Run, conflict_of

SHOWN = 8_000
"""Characters of a message that the page shows; the archive has the rest."""


def session(asked: Asked) -> dict[str, Any]:
    """Give a session as it stands; of a new one only what will hold in it from earlier ones.

    Raises:
        IdentityError: it is another person's.
        StorageError: a database failed.
    """
    thread, served, wording = asked.thread, asked.served, asked.wording
    run = served.runs.of(thread)
    held, unread = asked.conversation.constraints()
    empty: dict[str, Any] = {"thread": thread, "turns": [], "messages": [], "ended": []}
    empty["constraints"] = [_constraint(each, held, {}, wording) for each in held]
    empty["unchecked"] = unchecked(unread, wording) if unread else ""
    empty["run"] = _run(run)
    if not asked.place.exists(thread):
        return {**empty, "pending": [], "unfinished": False}
    kept = moments(asked.place, thread, served.user)
    snapshot = served.graph.get_state(asked.conversation.config)
    waiting = asked.conversation.pending()
    now = kept[-1] if kept else TurnState()
    spoken = [*said(asked.place, thread, now)] if now.turn else []
    turns = {each.turn: each.number for each in spoken} | {m.turn.id: m.turn.number for m in kept if m.turn}
    return {
        **empty,
        "turns": [_turn(moment) for moment in kept if moment.turn],
        "messages": [message(each) for each in spoken],
        "constraints": [_constraint(each, held, turns, wording) for each in held],
        "ended": [*_ended(kept, wording)],
        "pending": [conflict_of(each) for each in waiting.conflicts] if waiting else [],
        "unfinished": bool(snapshot.next) and waiting is None,
    }


def message(spoken: Spoken) -> dict[str, Any]:
    """Give one message with its turn."""
    text = plain_text(spoken.message)
    calls = spoken.message.tool_calls if isinstance(spoken.message, AIMessage) else []
    return {
        "id": spoken.message.id,
        "turn": spoken.number,
        "role": role(spoken.message),
        "name": spoken.message.name or "",
        "text": text[:SHOWN],
        "more": max(0, len(text) - SHOWN),
        "calls": [{"name": call["name"], "args": call["args"]} for call in calls],
    }


def role(message: BaseMessage) -> str:
    """Give who speaks: user, assistant, tool, or data for what nobody said."""
    match message:
        case HumanMessage():
            return "data" if INPUT_ROLE in message.additional_kwargs else "user"
        case AIMessage():
            return "assistant"
        case ToolMessage():
            return "tool"
        case _:
            return "data"


def _run(run: Run | None) -> dict[str, Any] | None:
    return None if run is None else {"said": run.said[:SHOWN], "over": run.over, "turn": run.turn}


def _turn(moment: TurnState) -> dict[str, Any]:
    proofs = [event for event in moment.trace if isinstance(event, FidelityChecked)]
    return {
        "number": number(moment),
        "at": moment.turn.at if moment.turn else "",
        "tokens": moment.view.tokens if moment.view else 0,
        "compacted": [*dict.fromkeys(name for proof in proofs for name in proof.committed)],
        "status": moment.outcome.status.value if moment.outcome else None,
    }


def _constraint(
    constraint: Constraint, held: Sequence[Constraint], turns: Mapping[str, int], wording: Wording
) -> dict[str, Any]:
    return {
        "id": constraint.id,
        "words": constraint.words,
        "polarity": constraint.polarity.value,
        "about": about(constraint, held, wording),
        "turn": turns.get(constraint.turn),
        "lasting": constraint.lasting,
    }


def _ended(kept: Sequence[TurnState], wording: Wording) -> list[dict[str, Any]]:
    """Give the rules that hold no longer, the last to end first, as far back as turns are kept."""
    found: list[dict[str, Any]] = []
    for moment in kept:
        for event in moment.trace:
            for change in event.changes if isinstance(event, ConstraintsUpdated) else ():
                words = change.replaces if change.change.value == "changed" else change.words
                if change.change.value in ("changed", "removed", "expired") and words:
                    how = wording.say(f"explain.change.{change.change.value}")
                    by = change.words if change.change.value == "changed" else ""
                    found.append({"words": words, "how": how, "by": by, "turn": number(moment)})
    return found[::-1]
