"""A conversation over the real steps, archive and counter; only the words of the model are scripted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.graph.message import add_messages

from ninefold.adapters.archive.sqlite_store import open_store
from ninefold.adapters.archive.thread_archive import ThreadArchive
from ninefold.adapters.tokens import QwenCounter
from ninefold.graph.routes import fidelity_route, threshold_route
from ninefold.nodes.assembly import assembly
from ninefold.nodes.compaction import compaction
from ninefold.nodes.constraint_update import constraint_update
from ninefold.nodes.fidelity_check import fidelity_check
from ninefold.nodes.memory_write import memory_write
from ninefold.nodes.ports import Assistant
from ninefold.nodes.threshold_check import threshold_check
from ninefold.nodes.turn_start import turn_start
from ninefold.nodes.window_roll import window_roll
from ninefold.policies.compaction import STRATEGIES, Strategy
from ninefold.policies.descent import strategy_left
from ninefold.policies.render import render
from ninefold.policies.write_judge import RuleJudge
from ninefold.state import (
    AgentSettings,
    ConflictRule,
    ContextPolicy,
    Entry,
    FidelitySettings,
    Language,
    ModelSettings,
    Stamp,
    append_events,
)
from ninefold.state.turn_state import REMOVE_ALL, TurnState, Update

TOKENS = QwenCounter()
FIXED = "你是一个可靠的助手。"
MAX_STEPS = 40


def settings(
    *, num_ctx: int = 8192, num_predict: int = 1024, summary: bool = True, veto: bool = False, **policy: Any
) -> AgentSettings:
    """Give an agent's settings."""
    return AgentSettings(
        model=ModelSettings(num_ctx=num_ctx, num_predict=num_predict),
        context_policy=ContextPolicy(**policy),
        fidelity=FidelitySettings(model=veto),
        memory="off",
        summary=summary,
    )


class Session:
    """One thread."""

    def __init__(
        self,
        folder: Path,
        chosen: AgentSettings | None = None,
        *,
        assistant: Assistant | None = None,
        strategies: Sequence[Strategy] = STRATEGIES,
    ) -> None:
        self.settings = chosen or settings()
        self.archive = ThreadArchive(open_store(folder / "archive.sqlite"), "t")
        self.assistant = assistant
        self.strategies = strategies
        self.state = TurnState()
        self.prompts: list[list[BaseMessage]] = []
        self.states: list[tuple[str, TurnState]] = []
        """The state before every step, with the step's name."""

    def say(
        self,
        text: str,
        reply: str = "好的，已完成。",
        *,
        results: Sequence[tuple[str, Mapping[str, Any], str]] = (),
    ) -> None:
        """Take a turn: the person's words, the results of the calls that the model makes, the reply."""
        number = len({entry.turn for entry in self.state.entries}) + 1
        turn = f"turn{len(self.prompts)}-{number}"
        self._take({"messages": [HumanMessage(text, id=f"{turn}-u")]})
        stamp = Stamp(turn_id=turn, at="2026-01-01T00:00:00+00:00", user="ann", thread="t")
        self._step(turn_start, stamp=stamp, tokens=TOKENS)
        self._step(
            constraint_update,
            assistant=None,
            tokens=TOKENS,
            conflict=ConflictRule.NEWEST,
            settings=self.settings,
            fixed=FIXED,
            tools=(),
        )
        if not self._prove():
            return
        for index, (name, arguments, result) in enumerate(results):
            call = AIMessage(
                "",
                id=f"{turn}-c{index}",
                tool_calls=[{"name": name, "args": dict(arguments), "id": f"{turn}-call{index}"}],
            )
            self._add(turn, call)
            self._add(turn, ToolMessage(result, id=f"{turn}-r{index}", tool_call_id=f"{turn}-call{index}", name=name))
            if not self._prove():
                return
        self._add(turn, AIMessage(reply, id=f"{turn}-a"))
        self.roll()

    def roll(self) -> None:
        """Do what follows an answer."""
        self._step(
            memory_write, memory=None, archive=self.archive, judge=RuleJudge(), settings=self.settings, thread="t"
        )
        self._step(window_roll, settings=self.settings)

    def prompt_text(self, place: int = -1) -> str:
        """Give every text of a prompt that was sent."""
        return "\n".join(message.text for message in self.prompts[place])

    def _prove(self) -> bool:
        """Assemble, check, compact and prove until the view is proven; False when it cannot be."""
        left: Callable[[TurnState], bool] = partial(strategy_left, settings=self.settings, strategies=self.strategies)
        step = "assembly"
        for _ in range(MAX_STEPS):
            match step:
                case "assembly":
                    self._step(assembly, tokens=TOKENS, settings=self.settings, fixed=FIXED, tools=())
                    self._step(threshold_check, settings=self.settings)
                    step = threshold_route(left)(self.state)
                case "compaction":
                    self._step(
                        compaction,
                        tokens=TOKENS,
                        archive=self.archive,
                        assistant=self.assistant,
                        settings=self.settings,
                        strategies=self.strategies,
                        fixed=FIXED,
                    )
                    step = "assembly"
                case "fidelity_check":
                    self._step(
                        fidelity_check,
                        tokens=TOKENS,
                        archive=self.archive,
                        assistant=self.assistant if self.settings.fidelity.model else None,
                        settings=self.settings,
                        fixed=FIXED,
                        tools=(),
                    )
                    step = fidelity_route(left)(self.state)
                case "model_call":
                    self.prompts.append(self._rendered())
                    return True
                case _:
                    return False
        raise AssertionError(f"no end after {MAX_STEPS} steps: {self.state.trace}")

    def _rendered(self) -> list[BaseMessage]:
        assert self.state.view is not None
        language = self.state.language or Language.ENGLISH
        return render(self.state.view, self.state.messages, self.state.entries, fixed=FIXED, language=language)

    def _add(self, turn: str, message: BaseMessage) -> None:
        sequence = 1 + max(entry.sequence for entry in self.state.entries if entry.turn == turn)
        entry = Entry(message=message.id or "", turn=turn, sequence=sequence, tokens=TOKENS.message(message))
        self._take({"messages": [message], "entries": (*self.state.entries, entry)})

    def _step(self, step: Callable[..., Update], **ports: Any) -> None:
        self.states.append((step.__name__, self.state))
        self._take(step(self.state, **ports))

    def _take(self, update: Mapping[str, Any]) -> None:
        self.state = applied_update(self.state, update)


def applied_update(state: TurnState, update: Mapping[str, Any]) -> TurnState:
    """Give the state as LangGraph's reducers make it."""
    changed = dict(update)
    if "messages" in changed:
        new = list(changed["messages"])
        whole = bool(new) and new[0].id == REMOVE_ALL
        window: list[Any] = [*state.messages]
        changed["messages"] = new[1:] if whole else add_messages(window, new)
    if "trace" in changed:
        changed["trace"] = append_events(state.trace, changed["trace"])
    return TurnState.model_validate({**dict(state), **changed})
