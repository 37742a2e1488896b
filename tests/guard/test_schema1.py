"""What schema 1 wrote is read by every later release."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from ninefold.adapters.archive import ThreadArchive, history_messages, open_store
from ninefold.state import Entry, reference_id
from ninefold.state.turn_state import TurnState
from tests.fixtures.schema1.example import example
from tests.fixtures.schema1.write import HERE, MESSAGES, THREAD
from tests.guard.toy import on, say, sqlite_toy, toy


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("checkpoints.sqlite", "archive.sqlite"):
        shutil.copy(HERE / name, tmp_path / name)
    return tmp_path


def holds(actual: Any, expected: Any) -> bool:
    """Whether everything expected is there; a later release may know more."""
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(k in actual and holds(actual[k], v) for k, v in expected.items())
    if isinstance(expected, list):
        return len(actual) == len(expected) and all(map(holds, actual, expected))
    return bool(actual == expected)


def test_every_field_of_the_checkpoint_is_read_typed(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        values = sqlite_toy(folder).get_state(on(THREAD)).values
    expected = json.loads((HERE / "values.json").read_text(encoding="utf-8"))
    assert holds(TurnState.model_validate(values, strict=False).model_dump(mode="json"), expected)
    assert {name for name, value in expected.items() if value in (None, [], {})} == set()
    assert caplog.records == []


def test_a_turn_goes_on_from_it(folder: Path) -> None:
    graph = sqlite_toy(folder)
    before = TurnState.model_validate(graph.get_state(on(THREAD)).values)
    graph.invoke(say("端口是多少？"), on(THREAD))
    after = TurnState.model_validate(graph.get_state(on(THREAD)).values)
    assert [m.text for m in after.messages[-2:]] == ["端口是多少？", "re:端口是多少？"]
    assert (after.constraints, after.summary, after.entries) == (before.constraints, before.summary, before.entries)


def test_the_archive_is_read_whole(folder: Path) -> None:
    store = open_store(folder / "archive.sqlite")
    archive = ThreadArchive(store, THREAD)
    read: list[BaseMessage] = list(history_messages(store, THREAD, "turn-1"))
    assert read == MESSAGES
    assert archive.original(Entry(message="x", turn="turn-1", sequence=2, tokens=1)) == MESSAGES[2]
    assert archive.expand(reference_id("turn-1", 2)) == "18443 is free"
    assert archive.cached("prepared-key") == "prepared text"


def test_every_type_of_the_state_comes_back_equal_under_strict_msgpack(caplog: pytest.LogCaptureFixture) -> None:
    filled: TurnState = example(TurnState)
    graph = toy()
    graph.invoke(say("hi"), on())
    values = {
        name: getattr(filled, name) for name in TurnState.model_fields if name not in ("messages", "schema_version")
    }
    with caplog.at_level(logging.WARNING):
        graph.update_state(on(), values)
        read = graph.get_state(on(user_id=str(filled.owner))).values
    assert {name: read[name] for name in values if name != "trace"} == {n: v for n, v in values.items() if n != "trace"}
    assert set(map(type, filled.trace)) >= set(map(type, read["trace"]))
    assert caplog.records == []
