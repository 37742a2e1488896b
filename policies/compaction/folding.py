"""Dialogue folding: rounds in which a proposal was asked about and confirmed become their one conclusion."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, HumanMessage

from ninefold.state import AgentSettings, Item, Proposal, StrategyName, reference_id
from ninefold.state.turn_state import TurnState

from ..apply import over
from ..keeping.cues import heard
from ..keeping.needs import needs
from ..text import plain_text, sentences
from ..window import Group, movable
from .chronicle import Statement
from .strategy import Completion, Counter, Originals
from .summary import fold_into_summary

SHORT_ANSWER = 40
"""Characters that a mere confirmation has at most."""


class Folding:
    """Moves confirmed rounds out of the window; what was confirmed becomes a decision, word for word."""

    name = StrategyName.FOLDING.value

    def propose(
        self,
        state: TurnState,
        *,
        tokens: Counter,
        archive: Originals,
        assistant: Completion | None,  # noqa: ARG002
        settings: AgentSettings,
    ) -> Proposal | None:
        """Give the conclusions of the confirmed rounds, or None when there are none."""
        now = over(state, state.proposals)
        rounds = confirmed_rounds(movable(now, settings))
        if not rounds or not settings.summary:
            return None
        leaving = [group for pair in rounds for group in pair]
        conclusions = [statement for pair in rounds for statement in _conclusion(*pair)]
        return fold_into_summary(
            self.name,
            state,
            leaving,
            tokens=tokens,
            archive=archive,
            assistant=None,
            settings=settings,
            conclusions=conclusions,
        )


def confirmed_rounds(may: Sequence[Group]) -> tuple[tuple[Group, Group], ...]:
    """Give the neighbouring pairs of groups in which a reply asks and the person's short answer confirms."""
    rounds: list[tuple[Group, Group]] = []
    index = 0
    while index + 1 < len(may):
        asked, answer = may[index], may[index + 1]
        if _asks(asked) and _confirms(answer):
            rounds.append((asked, answer))
            index += 2
        else:
            index += 1
    return tuple(rounds)


def _asks(group: Group) -> bool:
    reply = _reply(group)
    parts = sentences(plain_text(reply)) if reply else ()
    return bool(parts) and heard("asking", parts[-1].text)


def _confirms(group: Group) -> bool:
    words = [plain_text(message) for message in group.messages if isinstance(message, HumanMessage)]
    return (
        len(words) == 1
        and len(words[0]) <= SHORT_ANSWER
        and heard("confirm", words[0])
        and not heard("asking", words[0])
    )


def _reply(group: Group) -> AIMessage | None:
    return next((m for m in reversed(group.messages) if isinstance(m, AIMessage) and not m.tool_calls), None)


def _conclusion(asked: Group, answer: Group) -> list[Statement]:
    """Give what was proposed, in the reply's own words, and what the answer to the confirmation reports."""
    found = []
    reply = _reply(asked)
    if reply is not None:
        parts = sentences(plain_text(reply))
        # The proposal stands before a bare "Shall I?", else in the question itself.
        question = parts[-1]
        proposal = parts[-2] if len(question.text) <= SHORT_ANSWER // 2 and len(parts) > 1 else question
        found.append(_statement(asked, reply, proposal.text))
    report = _reply(answer)
    if report is not None:
        done = next((span.text for span in sentences(plain_text(report)) if heard("done", span.text)), None)
        if done is not None:
            found.append(_statement(answer, report, done))
    return found


def _statement(group: Group, message: AIMessage, text: str) -> Statement:
    entry = next(entry for entry in group.entries if entry.message == message.id)
    item = Item(text=text[:1000], sources=(entry.message,), reference=reference_id(entry.turn, entry.sequence))
    spoken = HumanMessage(item.text, id=message.id)
    return Statement("decisions", item, needs(spoken, spoken), 70)
