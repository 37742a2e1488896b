"""The same turn id again is the same turn again; a resume needs something to resume."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from ninefold.adapters.archive import ThreadArchive
from ninefold.graph.guard import Guard, TurnGraph
from ninefold.state import ConflictAnswer, Entry, IdentityError, NothingPending, Turn
from ninefold.state.turn_state import TurnState
from tests.guard.toy import echo, on, say, sqlite_toy, toy, window


class Counted:
    """A model that fails when told to, and counts its calls."""

    def __init__(self, *, failures: int = 0) -> None:
        self.calls = 0
        self.failures = failures

    def __call__(self, state: TurnState) -> str:
        self.calls += 1
        if self.calls <= self.failures:
            raise RuntimeError("down")
        return echo(state)


def archived(graph: TurnGraph, store: InMemoryStore) -> None:
    """Put the head's last turn into the archive, as memory_write does."""
    values = graph.get_state(on()).values
    turn: Turn = values["turn"]
    own = [(Entry(message=m.id, turn=turn.id, sequence=i, tokens=1), m) for i, m in enumerate(values["messages"][-2:])]
    ThreadArchive(store, "t").record(turn, own)


def test_a_finished_turn_again_gives_its_answer_without_running() -> None:
    model = Counted()
    graph = toy(answer=model)
    first = graph.invoke(say("hi"), on(turn_id="a"))
    assert graph.invoke(say("hi"), on(turn_id="a")) == first
    assert model.calls == 1


def test_an_unfinished_turn_again_goes_on_where_it_stopped(tmp_path: Path) -> None:
    model = Counted(failures=1)
    with pytest.raises(RuntimeError):
        sqlite_toy(tmp_path, answer=model).invoke(say("hi"), on(turn_id="a"))
    graph = sqlite_toy(tmp_path, answer=model)
    graph.invoke(say("hi"), on(turn_id="a"))
    assert window(graph, on()) == ["human: hi", "ai: re:hi"]
    assert graph.get_state(on()).values["turn"].number == 1


@pytest.mark.parametrize("mode", ["values", ["updates", "values"], ["values"]])
def test_an_older_turn_again_is_answered_from_the_archive(mode: Any) -> None:
    model, store = Counted(), InMemoryStore()
    graph = toy(answer=model, store=store)
    graph.invoke(say("one"), on(turn_id="a"))
    archived(graph, store)
    graph.invoke(say("two"), on(turn_id="b"))
    before = graph.get_state(on())
    parts = list(graph.stream(say("one"), on(turn_id="a"), stream_mode=mode))
    values = parts[-1] if mode == "values" else parts[-1][1]
    assert [m.text for m in values["messages"]] == ["one", "re:one"]
    assert graph.invoke(say("one"), on(turn_id="a"))["messages"][-1].text == "re:one"
    assert graph.invoke(say("one"), on(turn_id="a"), version="v2").value["messages"][-1].text == "re:one"
    assert graph.get_state(on()) == before
    assert model.calls == 2


async def test_an_older_turn_again_is_answered_from_the_archive_to_an_async_caller() -> None:
    store = InMemoryStore()
    graph = toy(store=store)
    await graph.ainvoke(say("one"), on(turn_id="a"))
    archived(graph, store)
    await graph.ainvoke(say("two"), on(turn_id="b"))
    assert (await graph.ainvoke(say("one"), on(turn_id="a")))["messages"][-1].text == "re:one"


def test_an_older_turn_whose_words_are_gone_is_refused() -> None:
    store = InMemoryStore()
    graph = toy(store=store)
    graph.invoke(say("one"), on(turn_id="a"))
    archived(graph, store)
    graph.invoke(say("two"), on(turn_id="b"))
    for sequence in ("0", "1"):
        store.put(("messages", "t", "a"), sequence, {"schema": 1, "forgotten": True})
    with pytest.raises(IdentityError, match="no answer"):
        graph.invoke(say("one"), on(turn_id="a"))


def test_a_new_turn_id_takes_a_new_turn() -> None:
    graph = toy(store=InMemoryStore())
    graph.invoke(say("hi"), on(turn_id="a"))
    graph.invoke(say("hi"), on(turn_id="b"))
    assert graph.get_state(on()).values["turn"].id == "b"
    assert len(window(graph, on())) == 4


def test_an_older_turn_that_died_is_not_taken_a_second_time() -> None:
    model = Counted(failures=2)
    graph = toy(answer=model)
    for turn in ("a", "b"):
        with pytest.raises(RuntimeError):
            graph.invoke(say(turn), on(turn_id=turn))
    with pytest.raises(IdentityError, match="begun before"):
        graph.invoke(say("a"), on(turn_id="a"))
    graph.invoke(say("b"), on(turn_id="b"))
    assert window(graph, on()) == ["human: a", "human: b", "ai: re:b"]


@pytest.mark.parametrize("given", [Command(resume="keep"), None])
def test_an_empty_thread_has_nothing_to_resume(given: Any) -> None:
    with pytest.raises(NothingPending, match="'t'"):
        toy().invoke(given, on())


def test_a_thread_that_asked_nothing_takes_no_answer() -> None:
    graph = toy()
    graph.invoke(say("hi"), on())
    with pytest.raises(NothingPending, match="answer"):
        graph.invoke(Command(resume="keep"), on())


def test_an_answer_is_taken_once_also_in_another_process_s_graph(tmp_path: Path) -> None:
    asked = sqlite_toy(tmp_path).invoke(say("but"), on())
    assert asked["__interrupt__"][0].value == {"ask": "which?"}
    graph = sqlite_toy(tmp_path)
    graph.invoke(Command(resume="replace"), on())
    assert graph.get_state(on()).values["next_cut"] == ("replace",)
    assert window(graph, on()) == ["human: but", "ai: re:but"]
    with pytest.raises(NothingPending):
        graph.invoke(Command(resume="keep"), on())


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("替换", ConflictAnswer.REPLACE),
        ("保留。", ConflictAnswer.KEEP),
        ("仅这次", ConflictAnswer.THIS_TURN),
        ("Replace", ConflictAnswer.REPLACE),
        (" keep ", ConflictAnswer.KEEP),
        ("This turn!", ConflictAnswer.THIS_TURN),
    ],
)
def test_a_message_that_reads_as_an_answer_is_the_answer(words: str, answer: ConflictAnswer) -> None:
    graph = toy()
    graph.invoke(say("but"), on())
    graph.invoke(say(words), on())
    assert graph.get_state(on()).values["next_cut"] == (answer.value,)
    assert window(graph, on()) == ["human: but", "ai: re:but"]


@pytest.mark.parametrize("words", ["and now this", "replace the door", "不要保留旧的颜色"])
def test_another_message_keeps_the_older_wish_and_nothing_said_vanishes(words: str) -> None:
    model = Counted()
    graph = toy(answer=model)
    graph.invoke(say("but"), on())
    graph.invoke(say(words), on())
    values = graph.get_state(on()).values
    assert values["next_cut"] == (ConflictAnswer.KEEP.value,)
    assert window(graph, on()) == ["human: but", f"human: {words}", f"ai: re:{words}"]
    assert model.calls == 1
    with pytest.raises(NothingPending):
        graph.invoke(Command(resume="replace"), on())


async def test_another_message_keeps_the_older_wish_for_an_async_caller() -> None:
    graph = toy()
    await graph.ainvoke(say("but"), on())
    await graph.ainvoke(say("and now this"), on())
    assert window(graph, on()) == ["human: but", "human: and now this", "ai: re:and now this"]


def test_a_new_message_after_a_turn_that_died_finds_the_old_one_in_the_window(tmp_path: Path) -> None:
    model = Counted(failures=1)
    with pytest.raises(RuntimeError):
        sqlite_toy(tmp_path, answer=model).invoke(say("first"), on())
    graph = sqlite_toy(tmp_path, answer=model)
    ran = [name for part in graph.stream(say("second"), on(), stream_mode="updates") for name in part]
    assert ran == ["turn_start", "conflict_confirmation", "model_call"]
    assert window(graph, on()) == ["human: first", "human: second", "ai: re:second"]


def test_a_message_whose_turn_died_before_its_first_step_is_carried_over() -> None:
    graph = toy()
    graph.invoke(say("zero"), on())
    # This leaves the thread as a kill between the input's row and the first step's does.
    graph.update_state(on(), {"messages": [("user", "first")]}, as_node="__input__")
    graph.invoke(say("second"), on())
    assert window(graph, on())[-3:] == ["human: first", "human: second", "ai: re:second"]


def test_the_stamp_stands_in_every_checkpoint_of_its_turn() -> None:
    graph = toy(settings=Guard(history_turns=50))
    graph.invoke(say("hi"), on(turn_id="a", user_id="ann"))
    for snapshot in graph.get_state_history(on(user_id="ann")):
        assert snapshot.metadata is not None
        stamped: dict[str, Any] = {**snapshot.metadata}
        assert (stamped["ninefold_turn"], stamped["ninefold_user"]) == ("a", "ann")
        assert stamped["ninefold_at"][19:].count(":") >= 1


def of_run(run: str) -> Any:
    """Give the config of a server's run."""
    return {**on(), "metadata": {"run_id": run}}


def test_a_run_that_a_server_takes_up_again_is_the_same_turn() -> None:
    model = Counted(failures=1)
    graph = toy(answer=model)
    with pytest.raises(RuntimeError):
        graph.invoke(say("hi"), of_run("r1"))
    graph.invoke(say("hi"), of_run("r1"))
    graph.invoke(say("hi"), of_run("r1"))
    assert window(graph, on()) == ["human: hi", "ai: re:hi"]
    assert graph.get_state(on()).values["turn"].number == 1


def test_another_message_under_the_same_run_id_is_not_swallowed() -> None:
    graph = toy()
    for text in ("one", "two"):
        graph.invoke(say(text), of_run("r1"))
    assert window(graph, on()) == ["human: one", "ai: re:one", "human: two", "ai: re:two"]


def test_a_run_that_settles_a_conflict_first_takes_its_own_message_too() -> None:
    graph = toy()
    graph.invoke(say("but"), of_run("r1"))
    graph.invoke(say("and now this"), of_run("r2"))
    assert window(graph, on()) == ["human: but", "human: and now this", "ai: re:and now this"]
