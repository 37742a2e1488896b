"""intent_check: does this turn need the memories, and for what."""

from __future__ import annotations

from langchain_core.messages import HumanMessage

from ninefold.policies.intent import IntentPolicy
from ninefold.policies.text import plain_text
from ninefold.state import IntentChecked
from ninefold.state.turn_state import TurnState, Update


def intent_check(state: TurnState, *, policy: IntentPolicy) -> Update:
    """Give this turn's intent, from the person's words alone; a follow-up is read together with the words before it."""
    assert state.turn is not None
    mine = {entry.message for entry in state.entries if entry.turn == state.turn.id}
    spoken = [
        (message.id in mine, plain_text(message)) for message in state.messages if isinstance(message, HumanMessage)
    ]
    intent = policy.judge(
        "\n".join(text for now, text in spoken if now), before=[text for now, text in spoken if not now]
    )
    return Update(intent=intent, trace=(IntentChecked(search=intent.search, reason=intent.reason),))
