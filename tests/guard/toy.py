"""A small graph over the real state: a turn's first step, a step that may ask, a step that answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.types import interrupt

from ninefold.adapters.checkpoints import ThreadedSqliteSaver, open_saver
from ninefold.graph.guard import Guard, TurnGraph, guard
from ninefold.graph.identity import stamp_from
from ninefold.state import Outcome, OutcomeStatus, Turn, TurnStarted
from ninefold.state.turn_state import TurnInput, TurnOutput, TurnState

Answer = Callable[[TurnState], str]


def echo(state: TurnState) -> str:
    """Answer with the last message's words."""
    return f"re:{state.messages[-1].text}"


def toy(
    saver: BaseCheckpointSaver[Any] | None = None,
    *,
    answer: Answer = echo,
    settings: Guard | None = None,
    store: BaseStore | None = None,
) -> TurnGraph:
    """Give a guarded toy graph; a message that holds "but" makes it ask."""

    def turn_start(state: TurnState, config: RunnableConfig) -> dict[str, Any]:
        stamp = stamp_from(config)
        before = state.turn
        number = before.number + 1 if before else 1
        turn = Turn(id=stamp.turn_id, parent=before.id if before else None, number=number, at=stamp.at, user=stamp.user)
        return {
            "turn": turn,
            "owner": state.owner or stamp.user,
            "outcome": None,
            "trace": (TurnStarted(turn=turn.id, number=number, at=turn.at),),
        }

    def conflict_confirmation(state: TurnState) -> dict[str, Any]:
        if "but" not in state.messages[-1].text:
            return {}
        return {"next_cut": (str(interrupt({"ask": "which?"})),)}

    def model_call(state: TurnState) -> dict[str, Any]:
        reply = AIMessage(answer(state), id=f"{state.turn.id if state.turn else ''}-reply")
        return {"messages": [reply], "outcome": Outcome(status=OutcomeStatus.ANSWERED)}

    builder = StateGraph(TurnState, input_schema=TurnInput, output_schema=TurnOutput)
    builder.add_node("turn_start", turn_start)
    builder.add_node("conflict_confirmation", conflict_confirmation)
    builder.add_node("model_call", model_call)
    for one, following in (
        (START, "turn_start"),
        ("turn_start", "conflict_confirmation"),
        ("conflict_confirmation", "model_call"),
        ("model_call", END),
    ):
        builder.add_edge(one, following)
    return guard(builder.compile(checkpointer=saver or InMemorySaver(), store=store), settings)


def sqlite_toy(folder: Path, **options: Any) -> TurnGraph:
    """Give a toy graph over a database file."""
    return toy(open_saver(folder / "checkpoints.sqlite"), **options)


def on(thread: str = "t", **configurable: str) -> RunnableConfig:
    """Give the config of a thread."""
    return {"configurable": {"thread_id": thread, **configurable}}


def say(*texts: str) -> dict[str, Any]:
    """Give an input of user messages."""
    return {"messages": [("user", text) for text in texts]}


def texts(messages: list[BaseMessage]) -> list[str]:
    """Give each message's role and words."""
    return [f"{message.type}: {message.text}" for message in messages]


def window(graph: TurnGraph, config: RunnableConfig) -> list[str]:
    """Give the words of a thread's window."""
    return texts(graph.get_state(config).values["messages"])


def saver_of(graph: TurnGraph) -> ThreadedSqliteSaver:
    """Give the database behind a toy graph."""
    assert isinstance(graph.checkpointer, ThreadedSqliteSaver)
    return graph.checkpointer


def rows(graph: TurnGraph) -> int:
    """Count the stored checkpoints of every thread."""
    return int(saver_of(graph).conn.execute("SELECT count(*) FROM checkpoints").fetchone()[0])
