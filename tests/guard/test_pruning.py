"""One row per turn stays, whatever ended the turn, and the file stops growing with a bounded history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command

from ninefold.graph.guard import Guard, TurnGraph
from ninefold.state.turn_state import TurnState
from tests.guard.toy import echo, on, saver_of, say, sqlite_toy, window


def rows(graph: TurnGraph) -> list[tuple[str, str | None]]:
    found = saver_of(graph).conn.execute("SELECT checkpoint_id, parent_checkpoint_id FROM checkpoints ORDER BY 1")
    return [(row[0], row[1]) for row in found]


def writes(graph: TurnGraph) -> int:
    return int(saver_of(graph).conn.execute("SELECT count(*) FROM writes").fetchone()[0])


def test_each_finished_turn_keeps_one_row_and_no_writes(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)
    for turn in range(5):
        graph.invoke(say(str(turn)), on())
        graph.invoke(say(str(turn)), on("other"))
    assert len(rows(graph)) == 10
    assert writes(graph) == 0
    assert len(list(graph.get_state_history(on()))) == 5


async def test_an_async_turn_keeps_one_row(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)
    for turn in range(3):
        await graph.ainvoke(say(str(turn)), on())
    assert len(rows(graph)) == 3


def test_the_line_of_parents_has_no_gap(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)
    for turn in range(4):
        graph.invoke(say(str(turn)), on())
    kept = rows(graph)
    assert [parent for _, parent in kept] == [None, *[row for row, _ in kept[:-1]]]


def test_a_waiting_turn_keeps_what_its_resume_needs(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)
    graph.invoke(say("but"), on())
    assert len(rows(graph)) == 1
    sqlite_toy(tmp_path).invoke(Command(resume="keep"), on())
    assert len(rows(graph)) == 1
    assert window(graph, on()) == ["human: but", "ai: re:but"]


def test_a_turn_that_failed_is_pruned_by_itself_and_one_that_died_by_the_next(tmp_path: Path) -> None:
    def answer(state: TurnState) -> str:
        if state.messages[-1].text == "fail":
            raise RuntimeError("down")
        return echo(state)

    graph = sqlite_toy(tmp_path, answer=answer)
    graph.invoke(say("one"), on())
    with pytest.raises(RuntimeError):
        graph.invoke(say("fail"), on())
    assert len(rows(graph)) == 2
    unpruned = graph.copy()
    saver: Any = sqlite_toy(tmp_path).checkpointer
    saver.prune_turns = lambda *_: None
    unpruned.checkpointer = saver
    unpruned.invoke(say("died"), on())
    assert len(rows(graph)) > 4
    graph.invoke(say("two"), on())
    assert len(rows(graph)) == 4
    assert window(graph, on())[-2:] == ["human: two", "ai: re:two"]


def test_only_so_many_turns_can_be_gone_back_to(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path, settings=Guard(history_turns=3))
    for turn in range(6):
        graph.invoke(say(str(turn)), on())
    assert len(rows(graph)) == 3
    assert len(window(graph, on())) == 12


def test_an_edit_between_two_turns_stays(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)
    graph.invoke(say("one"), on())
    graph.update_state(on(), {"next_cut": ("a",)})
    graph.invoke(say("two"), on())
    graph.invoke(say("three"), on())
    assert [s.values["next_cut"] for s in graph.get_state_history(on())] == [("a",), ("a",), ("a",), ()]


def test_both_branches_of_a_fork_complete_and_stay(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path)
    for text in ("one", "two"):
        graph.invoke(say(text), on())
    first = list(graph.get_state_history(on()))[-1]
    graph.invoke(say("other"), first.config)
    assert window(graph, on()) == ["human: one", "ai: re:one", "human: other", "ai: re:other"]
    trunk = [s for s in graph.get_state_history(on()) if s.values["messages"][-1].text == "re:two"]
    assert len(trunk) == 1
    graph.invoke(say("three"), trunk[0].config)
    assert window(graph, on())[2:] == ["human: two", "ai: re:two", "human: three", "ai: re:three"]
    turns = {s.values["turn"].id: s.values["turn"].parent for s in graph.get_state_history(on())}
    assert len(turns) == 4


def test_the_rows_do_not_grow_with_the_turns(tmp_path: Path) -> None:
    graph = sqlite_toy(tmp_path, settings=Guard(history_turns=5))
    for turn in range(12):
        graph.invoke(say(str(turn)), on())
        assert len(rows(graph)) <= 5
