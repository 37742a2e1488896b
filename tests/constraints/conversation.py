"""A conversation with the constraint layer: each `say` takes a turn through the two steps that keep it."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from ninefold.adapters.tokens import QwenCounter
from ninefold.nodes.conflict_confirmation import conflict_confirmation
from ninefold.nodes.constraint_update import constraint_update
from ninefold.nodes.ports import Assistant, Schema
from ninefold.nodes.turn_start import turn_start
from ninefold.state import (
    AgentSettings,
    ConflictAnswered,
    ConflictRule,
    Constraint,
    ConstraintsUpdated,
    Degraded,
    Entry,
    ModelDown,
    Recalled,
    Stamp,
    append_events,
)
from ninefold.state.turn_state import TurnState, Update

TOKENS = QwenCounter()


class Words:
    """A model that says what it is told to, or fails; it notes what it was asked."""

    shares_prefix = False
    num_ctx = 4096

    def __init__(self, *replies: str | Exception) -> None:
        self.replies = list(replies)
        self.asked: list[Sequence[BaseMessage]] = []

    def complete(
        self, prompt: Sequence[BaseMessage], *, purpose: str, num_predict: int, schema: Schema | None = None
    ) -> str:
        self.asked.append(prompt)
        reply = self.replies.pop(0) if self.replies else ModelDown("Nothing answers.", "Start the server.")
        if isinstance(reply, Exception):
            raise reply
        return reply


class Conversation:
    """One thread; `answer` is what the person says when asked about a conflict."""

    def __init__(
        self,
        rule: ConflictRule = ConflictRule.ASK,
        *,
        answer: object = "keep",
        assistant: Assistant | None = None,
        recalled: Sequence[Recalled] = (),
        thread: str = "t",
        settings: AgentSettings | None = None,
        fixed: str = "",
    ) -> None:
        self.settings = settings or AgentSettings()
        self.fixed = fixed
        self.state = TurnState()
        self.rule = rule
        self.answer = answer
        self.assistant = assistant
        self.recalled = tuple(recalled)
        self.thread = thread
        self.questions: list[Mapping[str, Any]] = []

    def say(self, *texts: str) -> "Conversation":
        """Take a turn with one message of the person for each text."""
        number = (self.state.turn.number if self.state.turn else 0) + 1
        self._apply(Update(messages=[HumanMessage(t, id=f"m{number}.{i}") for i, t in enumerate(texts)]))
        stamp = Stamp(turn_id=f"{self.thread}{number}", at="2026-03-01T10:00:00+08:00", user="ann", thread=self.thread)
        self._apply(turn_start(self.state, stamp=stamp, tokens=TOKENS))
        self._apply(Update(recalled=self.recalled, counters=self.state.counters.model_copy(update={"turns": number})))
        self.update()
        if self.state.conflicts:
            self._apply(conflict_confirmation(self.state, ask=self._ask, conflict=self.rule))
        reply = AIMessage("ok", id=f"a{number}")
        entry = Entry(
            message=f"a{number}", turn=f"{self.thread}{number}", sequence=len(texts), tokens=TOKENS.message(reply)
        )
        self._apply(Update(messages=[reply], entries=(*self.state.entries, entry)))
        return self

    def update(self) -> "Conversation":
        """Run constraint_update on the state as it is."""
        self._apply(
            constraint_update(
                self.state,
                assistant=self.assistant,
                tokens=TOKENS,
                conflict=self.rule,
                settings=self.settings,
                fixed=self.fixed,
                tools=(),
            )
        )
        return self

    @property
    def words(self) -> list[str]:
        """What holds now, in the person's words."""
        return [each.words for each in self.state.constraints]

    def one(self, words: str) -> Constraint:
        """Give the constraint with these words."""
        return next(each for each in self.state.constraints if each.words == words)

    @property
    def changes(self) -> list[tuple[str, str]]:
        """What the last turn changed, as kind and words."""
        events = [event for event in self.state.trace if isinstance(event, ConstraintsUpdated)]
        return [(str(each.change), each.words) for event in events for each in event.changes]

    @property
    def degraded(self) -> list[str]:
        """What was done less well than asked in the last turn."""
        return [event.cause for event in self.state.trace if isinstance(event, Degraded)]

    @property
    def answered(self) -> list[tuple[str, str]]:
        """How the conflicts of the last turn were decided, and by whom."""
        return [(str(e.answer), e.by) for e in self.state.trace if isinstance(e, ConflictAnswered)]

    def _ask(self, question: Mapping[str, Any]) -> object:
        self.questions.append(question)
        answer = self.answer
        return answer(question) if callable(answer) else answer

    def _apply(self, update: Update) -> None:
        merged = {name: getattr(self.state, name) for name in type(self.state).model_fields}
        merged |= update
        if "messages" in update:
            new = [message for message in update["messages"] if message.type != "remove"]
            known = {message.id for message in new}
            merged["messages"] = [m for m in self.state.messages if m.id not in known] + new
        if "trace" in update:
            merged["trace"] = append_events(self.state.trace, update["trace"])
        self.state = TurnState.model_validate(merged)
