"""What leaves a checkpoint is typed, what enters it is plain, whoever copies the graph."""

from __future__ import annotations

import logging
import sqlite3
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Interrupt

from ninefold.adapters.checkpoints import PlainSerde, plain
from ninefold.graph.guard import LOST_BY_COPY, Guard, TurnGraph
from ninefold.graph.migrations import Schema
from ninefold.state import InvalidUpdate, Outcome, SchemaError, Summary, Turn
from ninefold.state.turn_state import TurnState
from tests.guard.toy import on, saver_of, say, sqlite_toy, toy, window


def stored(file: Path) -> bytes:
    """Give everything that a saver's file holds, unpacked."""
    with sqlite3.connect(file) as connection:
        rows = connection.execute("SELECT type, checkpoint FROM checkpoints UNION ALL SELECT type, value FROM writes")
        return b"".join(zlib.decompress(data) if tag.endswith("zlib") else data for tag, data in rows)


def test_no_name_of_a_module_of_ours_is_in_the_file(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)
    graph.invoke(say("hi"), on())
    assert b"langchain_core.messages" in stored(tmp_path / "checkpoints.sqlite")
    assert b"ninefold." not in stored(tmp_path / "checkpoints.sqlite")


@pytest.mark.parametrize(
    "remade",
    [
        lambda graph: graph,
        lambda graph: graph.with_config(tags=["x"]),
        lambda graph: graph.copy(),
        lambda graph: graph.copy({"checkpointer": InMemorySaver()}),
        lambda graph: graph.copy({"checkpointer": SqliteSaver(sqlite3.connect(":memory:", check_same_thread=False))}),
        lambda graph: graph.with_config(tags=["x"]).copy({"store": None}).with_config(run_name="y"),
    ],
)
def test_every_copy_reads_typed_values_and_warns_of_nothing(
    remade: Callable[[TurnGraph], TurnGraph], caplog: pytest.LogCaptureFixture
) -> None:
    with warnings.catch_warnings(), caplog.at_level(logging.WARNING):
        warnings.simplefilter("error")
        graph = remade(toy())
        result = graph.invoke(say("hi"), on())
        values = graph.get_state(on()).values
    assert isinstance(graph, TurnGraph)
    assert isinstance(result["outcome"], Outcome)
    assert TurnState.model_validate(values).turn == values["turn"]
    assert isinstance(values["turn"], Turn)
    assert isinstance(values["summary"], Summary)
    assert isinstance(values["trace"], tuple)
    assert caplog.records == []


async def test_a_saver_that_only_serves_async_callers_reads_typed_values_too(tmp_path: Path) -> None:
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "async.sqlite")) as saver:
        # As LangGraph's server calls it.
        graph = toy().copy({"checkpointer": saver}).with_config(recursion_limit=25)
        config = on(user_id="", langgraph_auth_user_id="ann")
        for text in ("one", "but"):
            await graph.ainvoke(say(text), config, durability="async")
        await graph.ainvoke(Command(resume="keep"), config, durability="async")
        values = (await graph.aget_state(config)).values
    state = TurnState.model_validate(values)
    assert isinstance(values["turn"], Turn)
    assert (state.owner, state.next_cut) == ("ann", ("keep",))
    assert [m.text for m in state.messages] == ["one", "re:one", "but", "re:but"]
    assert b"ninefold." not in stored(tmp_path / "async.sqlite")


def test_a_copy_has_every_attribute_of_its_original() -> None:
    graph = toy(settings=Guard(lock_timeout=3))
    made = graph.copy()
    assert set(made.__dict__) == set(graph.__dict__) - {"__orig_class__"}
    for name in LOST_BY_COPY:
        assert getattr(made, name) is getattr(graph, name)


def test_version_two_gives_the_typed_output() -> None:
    graph = toy().with_config(tags=["x"])
    out = graph.invoke(say("hi"), on(), version="v2")
    assert out.value["messages"][-1].text == "re:hi"
    assert isinstance(out.value["outcome"], Outcome)
    parts = list(graph.stream(say("ho"), on(), version="v2", stream_mode=["values", "updates"]))
    assert {part["type"] for part in parts} == {"values", "updates"}


def test_the_state_holds_every_field_from_the_first_turn_on() -> None:
    graph = toy()
    graph.invoke(say("hi"), on())
    assert set(graph.get_state(on()).values) == set(TurnState.model_fields)


class ParentState(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    other: str


def parent_of(child: TurnGraph, checkpointer: Any) -> Any:
    builder = StateGraph(ParentState)
    builder.add_node("agent", child)
    builder.add_edge(START, "agent")
    return builder.compile(checkpointer=checkpointer)


def test_a_subgraph_stores_plain_and_takes_a_turn(tmp_path: Path) -> None:
    child = toy()
    child.checkpointer = None
    connection = sqlite3.connect(tmp_path / "parent.sqlite", check_same_thread=False)
    parent = parent_of(child, SqliteSaver(connection))
    parent.invoke({"messages": [("user", "one")], "other": "x"}, on())
    result = parent.invoke({"messages": [("user", "two")]}, on())
    assert [m.text for m in result["messages"]] == ["one", "re:one", "two", "re:two"]
    assert b"ninefold." not in stored(tmp_path / "parent.sqlite")


def test_a_subgraph_with_a_memory_of_its_own_keeps_it() -> None:
    child = toy()
    child.checkpointer = True
    parent = parent_of(child, InMemorySaver())
    for text in ("one", "two", "three"):
        result = parent.invoke({"messages": [("user", text)]}, on())
    assert [m.text for m in result["messages"]] == ["one", "re:one", "two", "re:two", "three", "re:three"]
    inner = parent.get_state({"configurable": {"thread_id": "t", "checkpoint_ns": "agent"}}).values
    assert [m.text for m in inner["messages"]] == ["one", "re:one", "two", "re:two", "three", "re:three"]
    assert isinstance(inner["turn"], Turn)
    assert inner["turn"].number == 3


def test_an_update_that_the_state_does_not_take_is_refused_with_the_field_named() -> None:
    graph = toy()
    graph.invoke(say("hi"), on())
    before = graph.get_state(on())
    with pytest.raises(InvalidUpdate, match="'constraints'"):
        graph.update_state(on(), {"constraints": "none"})
    with pytest.raises(InvalidUpdate, match="'constrains'"):
        graph.update_state(on(), {"constrains": ()})
    with pytest.raises(InvalidUpdate, match="'schema_version'"):
        graph.update_state(on(), {"schema_version": 2})
    assert graph.get_state(on()) == before


def test_values_keep_their_shape_through_the_serialiser() -> None:
    serde = PlainSerde()
    turn = Turn(id="a", parent=None, number=1, at="2026-01-01T00:00:00+00:00", user="u")
    messages = [HumanMessage("hi", id="1"), AIMessage("ho", id="2"), ToolMessage("x", tool_call_id="c", id="3")]
    value = {"one": turn, "many": (turn, turn), "list": [turn], "messages": messages, "n": None, "f": 1.5}
    back = serde.loads_typed(serde.dumps_typed(value))
    bare = turn.model_dump(mode="json")
    assert back == {**value, "one": bare, "many": [bare, bare], "list": [bare]}
    assert plain(value)["many"] == (bare, bare)
    asked = serde.loads_typed(serde.dumps_typed((Interrupt(value={"turn": turn}, id="i"),)))
    assert asked[0].value == {"turn": turn.model_dump(mode="json")}


def test_what_was_written_before_is_written_again_as_it_is_and_nothing_else_in_its_place() -> None:
    serde = PlainSerde()
    for number in range(2000):
        turn = Turn(id=f"t{number}", parent=None, number=number, at="2026-01-01T00:00:00+00:00", user="u")
        written = [serde.loads_typed(serde.dumps_typed((turn, turn)))[0] for _ in range(2)]
        assert written == [turn.model_dump(mode="json")] * 2


# Migrations: a version that renamed a field and gave another a new shape.


def renamed(shape: dict[str, Any]) -> dict[str, Any]:
    return {**{k: v for k, v in shape.items() if k != "next_cut"}, "candidates": len(shape["next_cut"])}


def test_an_older_schema_is_read_through_its_migrations_and_nothing_is_lost(tmp_path: Path) -> None:
    old = sqlite_toy(tmp_path)
    old.invoke(say("hi"), on())
    old.update_state(on(), {"next_cut": ("a", "b")})
    new = sqlite_toy(tmp_path, settings=Guard(schema=Schema(version=2, migrations={1: renamed})))
    values = new.get_state(on()).values
    assert (values["candidates"], values["schema_version"]) == (2, 2)
    new.invoke(say("ho"), on())
    assert new.get_state(on()).values["schema_version"] == 2
    assert window(new, on()) == ["human: hi", "ai: re:hi", "human: ho", "ai: re:ho"]
    assert all(TurnState.model_validate(s.values) for s in new.get_state_history(on()))


def test_a_newer_schema_is_refused_by_name_and_left_as_it_is(tmp_path: Path) -> None:
    new = sqlite_toy(tmp_path, settings=Guard(schema=Schema(version=3)))
    new.invoke(say("hi"), on())
    before = stored(tmp_path / "checkpoints.sqlite")
    old = sqlite_toy(tmp_path)
    with pytest.raises(SchemaError, match="schema 3; this release reads up to schema 1"):
        old.invoke(say("ho"), on())
    with pytest.raises(SchemaError, match="newer"):
        old.get_state(on())
    assert stored(tmp_path / "checkpoints.sqlite") == before


def test_a_missing_step_is_named(tmp_path: Path) -> None:
    sqlite_toy(tmp_path).invoke(say("hi"), on())
    new = sqlite_toy(tmp_path, settings=Guard(schema=Schema(version=3, migrations={2: renamed})))
    with pytest.raises(SchemaError, match="from schema 1 is not known"):
        new.get_state(on())


def test_a_value_that_does_not_fit_is_refused_with_its_field(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)
    graph.invoke(say("hi"), on())
    broken = Guard(schema=Schema(version=2, migrations={1: lambda shape: {**shape, "turn": {"id": ""}}}))
    with pytest.raises(SchemaError, match="'turn'"):
        sqlite_toy(tmp_path, settings=broken).get_state(on())


def stopped_after_the_model(folder: Path, calls: list[str]) -> None:
    """Take a turn whose process dies when the model has answered and its step's checkpoint is not yet written."""
    graph = sqlite_toy(folder, answer=lambda _: calls.append("") or "once")  # type: ignore[func-returns-value]
    saver = saver_of(graph)
    stock_put = saver.put
    puts = iter(range(100))

    def put(*args: Any) -> Any:
        if next(puts) == 4:
            raise KeyboardInterrupt
        return stock_put(*args)

    vars(saver)["put"] = put
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(say("hi"), on())


def test_what_a_step_wrote_before_its_process_died_is_taken_typed(tmp_path: Path) -> None:
    calls: list[str] = []
    stopped_after_the_model(tmp_path, calls)
    graph = sqlite_toy(tmp_path)
    result = graph.invoke(None, on())
    assert [m.text for m in result["messages"]] == ["hi", "once"]
    assert isinstance(result["outcome"], Outcome)
    assert len(calls) == 1


def test_what_a_step_of_an_older_schema_wrote_before_its_process_died_is_made_again(tmp_path: Path) -> None:
    calls: list[str] = []
    stopped_after_the_model(tmp_path, calls)
    new = sqlite_toy(tmp_path, settings=Guard(schema=Schema(version=2, migrations={1: renamed})))
    result = new.invoke(None, on())
    assert [m.text for m in result["messages"]] == ["hi", "re:hi"]
