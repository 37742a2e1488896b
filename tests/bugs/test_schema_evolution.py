"""State of another shape than today's is read whole or refused by name; never half, never as a dict (BUG-50)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from pydantic import BaseModel

from ninefold.adapters.checkpoints.lineage import at
from ninefold.state import NinefoldError, SchemaError
from ninefold.state.turn_state import SCHEMA_VERSION, TurnState
from tests.fixtures.schema1.write import HERE, THREAD
from tests.guard.toy import on, saver_of, say, sqlite_toy

Shape = dict[str, Any]
PARTS = sorted(TurnState.model_fields.keys() - {"messages", "schema_version", "trace"})
"""Fields that a checkpoint keeps whole; what is appended is kept with its writes."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(HERE / "checkpoints.sqlite", tmp_path / "checkpoints.sqlite")
    return tmp_path


def rewrite(folder: Path, change: Callable[[Shape], object]) -> bytes:
    """Change the stored fields of the newest checkpoint, as another release would have written them; give the row."""
    saver = saver_of(sqlite_toy(folder))
    found = saver.get_tuple(at(THREAD))
    assert found is not None
    change(found.checkpoint["channel_values"])
    saver.put(found.parent_config or at(THREAD), found.checkpoint, found.metadata, {})
    return row(folder)


def row(folder: Path) -> bytes:
    connection = saver_of(sqlite_toy(folder)).conn
    return bytes(connection.execute("SELECT checkpoint FROM checkpoints ORDER BY checkpoint_id DESC").fetchone()[0])


def first_record(shape: Shape) -> Shape:
    """Give a record deep in the state: the first constraint."""
    constraints: Any = shape["constraints"]
    return dict(constraints[0])


@pytest.mark.parametrize("name", PARTS)
def test_a_field_that_an_older_release_did_not_know_has_its_default_and_turns_go_on(folder: Path, name: str) -> None:
    rewrite(folder, lambda shape: shape.pop(name, None))
    graph = sqlite_toy(folder)
    values = graph.get_state(on(THREAD)).values
    default = TurnState.model_fields[name].get_default(call_default_factory=True)
    assert values.get(name, default) == default
    graph.invoke(say("端口是多少？"), on(THREAD))
    state = TurnState.model_validate(graph.get_state(on(THREAD)).values)
    assert state.messages[-1].text == "re:端口是多少？"


def test_a_field_that_this_release_does_not_know_is_no_field_of_its_state(folder: Path) -> None:
    rewrite(folder, lambda shape: shape.update(mood="good"))
    graph = sqlite_toy(folder)
    graph.invoke(say("hi"), on(THREAD))
    state = TurnState.model_validate(
        {name: value for name, value in graph.get_state(on(THREAD)).values.items() if name in TurnState.model_fields}
    )
    assert state.messages[-1].text == "re:hi"


@pytest.mark.parametrize(
    "change",
    [
        lambda shape: shape.update(constraints=[{**first_record(shape), "mood": "good"}]),
        lambda shape: shape.update(constraints=[{"key": first_record(shape)["key"]}]),
        lambda shape: shape.update(turn={"number": "many"}),
        lambda shape: shape.update(summary="a text"),
        lambda shape: shape.update(counters=[1, 2]),
        lambda shape: shape.update(schema_version=SCHEMA_VERSION + 1),
        lambda shape: shape.update(schema_version="new"),
        lambda shape: shape.update(schema_version=None),
    ],
    ids=["one too many", "one too few", "number", "text", "list", "newer", "no version", "None for one"],
)
def test_a_value_of_another_shape_is_refused_by_name_and_left_as_it_is(
    folder: Path, change: Callable[[Shape], object]
) -> None:
    written = rewrite(folder, change)
    graph = sqlite_toy(folder)
    with pytest.raises(SchemaError) as refused:
        graph.get_state(on(THREAD))
    assert refused.value.next_step
    with pytest.raises(SchemaError):
        graph.invoke(say("hi"), on(THREAD))
    assert row(folder) == written


def test_a_class_that_was_renamed_is_refused_and_never_read_as_a_dict(folder: Path) -> None:
    """LangGraph's own serialiser writes a Pydantic value under its module and name; ours never does."""
    moved = ormsgpack.packb(("ninefold.state.moved", "Turn", {"id": "t", "number": 1}, "model_validate_json"))
    saver = saver_of(sqlite_toy(folder))
    found = saver.get_tuple(at(THREAD))
    assert found is not None
    shape = {
        **found.checkpoint,
        "channel_values": {**found.checkpoint["channel_values"], "turn": ormsgpack.Ext(5, moved)},
    }
    raw = ormsgpack.packb(shape, option=ormsgpack.OPT_NON_STR_KEYS, default=_plain)
    saver.conn.execute(
        "UPDATE checkpoints SET checkpoint = ?, type = 'msgpack' WHERE checkpoint_id = ?", (raw, found.checkpoint["id"])
    )
    saver.conn.commit()
    with pytest.raises(NinefoldError):
        sqlite_toy(folder).get_state(on(THREAD))
    assert row(folder) == raw


def _plain(value: Any) -> Any:
    assert isinstance(value, BaseModel)
    return value.model_dump(mode="json")
