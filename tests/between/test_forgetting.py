"""What a person wants forgotten is gone: no store, no earlier state and no file of the thread holds it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from ninefold import build_graph
from ninefold.adapters.archive.forgetting import forget_places, places_holding
from ninefold.graph.between_turns import compact, pin, undo
from ninefold.graph.forgetting import forget
from ninefold.policies.forgetting import forgotten
from ninefold.reading import history
from ninefold.state import (
    Conflict,
    Constraint,
    InputError,
    Outcome,
    OutcomeStatus,
    Polarity,
    Proposal,
    StorageError,
    Turn,
)
from ninefold.state.turn_state import TurnState
from tests.turn.agents import Agent, agent, config, whole_prompt

PHONE = "13900001234"


def told(of: Agent) -> None:
    of.say(f"以后联系我打 {PHONE}，不要发邮件。")
    of.say("项目端口是 18443。")
    of.say("My sister Ann lives in Rome.")
    of.say("好，继续说界面。")
    of.say("再说登录页。")


def files_holding(folder: Path, words: str) -> list[str]:
    """Give the files of the data folder that hold the words."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if words.encode() in path.read_bytes()]


@pytest.mark.parametrize("compacted", [False, True])
def test_forgotten_words_are_in_no_prompt_no_store_and_no_earlier_state(tmp_path: Path, compacted: bool) -> None:
    with agent(tmp_path, [f"记下了：{PHONE}。"] * 5, default="好的。") as a:
        told(a)
        pin(a.graph, config(), f"电话只打 {PHONE}")
        if compacted:
            assert compact(a.graph, config()).left
        assert files_holding(tmp_path, PHONE)
        gone = forget(a.graph, config(), PHONE)
        assert gone.constraints >= 1
        assert gone.messages >= 6
        assert gone.memories >= 1
        assert PHONE not in str([snapshot.values for snapshot in a.graph.get_state_history(config())])
        assert all(PHONE not in message.text for message in history(a.graph, config()))
        assert files_holding(tmp_path, PHONE) == []
        a.say("我的电话是多少？")
        assert PHONE not in whole_prompt(a.wire.chats[-1])
        assert "18443" in whole_prompt(a.wire.chats[-1])


def test_a_forgotten_message_keeps_its_place_and_does_not_come_back(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。") as a:
        told(a)
        said = [m.id for m in a.values()["messages"]]
        forget(a.graph, config(), PHONE)
        assert [m.id for m in a.values()["messages"]] == said
        compact(a.graph, config())
        undo(a.graph, config())
        assert all(PHONE not in m.text for m in a.values()["messages"])
        assert [m.text for m in history(a.graph, config())][-1] == "好的。"


@pytest.mark.parametrize(
    ("what", "gone"),
    [("ann", True), ("ＡＮＮ", True), ("An", False), ("sister  ann", True), ("项目端口", True), ("端口号", False)],
)
def test_words_are_found_in_either_width_and_case_and_english_ones_whole(tmp_path: Path, what: str, gone: bool) -> None:
    with agent(tmp_path, default="好的。", memory=False) as a:
        told(a)
        assert forget(a.graph, config(), what).anything is gone


def test_a_memory_or_rule_is_forgotten_by_its_id_with_its_words(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。") as a:
        a.say("不要用红色。")
        (rule,) = a.values()["constraints"]
        gone = forget(a.graph, config(), rule.id)
        assert gone.constraints == 1
        assert gone.messages == 1
        assert a.values()["constraints"] == ()


def test_one_persons_forgetting_leaves_everybody_elses_things(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。") as a:
        a.say(f"我的电话是 {PHONE}。", thread="t1", user="ann")
        a.say(f"我的电话是 {PHONE}。", thread="t2", user="bob")
        assert forget(a.graph, config(), PHONE).messages == 1
        assert PHONE in a.graph.get_state(config("t2", "bob")).values["messages"][0].text
        with pytest.raises(InputError, match="another user"):
            forget(a.graph, config("t2", "ann"), PHONE)


@pytest.mark.parametrize("what", ["", " ", "。", "a", "红"])
def test_words_that_stand_everywhere_are_refused(tmp_path: Path, what: str) -> None:
    with agent(tmp_path, memory=False) as a:
        a.say("不要用红色。")
        with pytest.raises(InputError, match="too short"):
            forget(a.graph, config(), what)


def earlier(of: Agent) -> str:
    """Give every state of the thread that can be gone back to."""
    return str([snapshot.values for snapshot in of.graph.get_state_history(config())])


@pytest.mark.parametrize("error", [sqlite3.OperationalError, KeyboardInterrupt])
def test_a_call_that_broke_off_before_the_earlier_states_went_goes_on_when_repeated(
    tmp_path: Path, error: type[BaseException]
) -> None:
    with agent(tmp_path, default="好的。", memory=False) as a:
        told(a)
        saver: Any = a.graph.checkpointer
        whole = saver.prune_turns

        def broken(*_: object) -> None:
            raise error("disk full")

        saver.prune_turns = broken
        with pytest.raises(StorageError if error is sqlite3.OperationalError else error, match="disk full"):
            forget(a.graph, config(), PHONE)
        assert PHONE in earlier(a)
        saver.prune_turns = whole
        forget(a.graph, config(), PHONE)
        assert PHONE not in earlier(a)
        assert files_holding(tmp_path, PHONE) == []


def test_a_call_by_a_memorys_id_that_broke_off_goes_on_when_repeated(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。") as a:
        told(a)
        memory = a.graph._guard.parts.memory if a.graph._guard.parts else None
        assert memory is not None
        (named,) = [each.id for each in memory.records("ann") if PHONE in each.text]
        saver: Any = a.graph.checkpointer
        whole, saver.prune_turns = saver.prune_turns, None
        with pytest.raises(StorageError, match="could not be dropped"):
            forget(a.graph, config(), named)
        saver.prune_turns = whole
        assert forget(a.graph, config(), named).memories == 1
        assert PHONE not in earlier(a)
        assert PHONE not in str(memory.records("ann"))


def test_a_message_whose_original_went_before_the_call_broke_off_leaves_the_window_too(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。", memory=False) as a:
        told(a)
        store = a.graph.store
        assert store is not None
        places = places_holding(store, "t1", lambda message: PHONE in message.text).holding
        forget_places(store, "t1", places)
        assert forget(a.graph, config(), PHONE).messages == len(places)
        assert PHONE not in earlier(a)


def test_a_saver_that_keeps_every_state_is_refused_by_name_and_nothing_is_done(tmp_path: Path) -> None:
    with agent(tmp_path / "ninefold", memory=False) as a, SqliteSaver.from_conn_string(str(tmp_path / "own")) as own:
        kept = Agent(build_graph(a.settings, checkpointer=own), a.wire, a.settings)
        kept.say(f"我的电话是 {PHONE}。")
        with pytest.raises(StorageError, match="SqliteSaver keeps all earlier states"):
            forget(kept.graph, config(), PHONE)
        assert PHONE in history(kept.graph, config())[0].text


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("When I mention Zanzibar, answer in a table, and don't use emojis.", "Zanzibar"),
        ("我提到桑给巴尔时，用表格回答，不要用表情符号。", "桑给巴尔"),
    ],
)
def test_the_condition_of_a_rule_is_forgotten_with_it(tmp_path: Path, said: str, what: str) -> None:
    with agent(tmp_path, memory=False) as a:
        a.say(said)
        assert what in str(a.values()["constraints"])
        forget(a.graph, config(), what)
        assert what not in str(a.values())
        a.say("Hello")
        assert what not in whole_prompt(a.wire.chats[-1])


def rule(**texts: Any) -> Constraint:
    given = {"words": "be brief", "key": None, "value": None, "polarity": Polarity.REQUIRE, **texts}
    return Constraint(id="c", turn="t", message="m", at="2030-01-01T00:00:00+00:00", **given)


@pytest.mark.parametrize("field", ["words", "value", "condition", "about", "overrules"])
def test_every_text_of_a_rule_counts_and_a_waiting_conflict_goes_with_it(field: str) -> None:
    said, other = rule(**{field: f"call {PHONE}"}), rule()
    turn = Turn(id="t", parent=None, number=1, at=other.at, user="ann")
    state = TurnState(
        constraints=(said, other),
        conflicts=(Conflict(id="1", old=said, new=other), Conflict(id="2", old=other, new=said)),
        outcome=Outcome(status=OutcomeStatus.DEGRADED, notes=(f"{PHONE} is kept.", "No memories.")),
        proposals=(Proposal(strategy="summary", span=("m",), reason=PHONE),),
    )
    update, found = forgotten(state, turn, lambda text: PHONE in text, lambda _: 1)
    assert found.constraints == 1
    assert PHONE not in str(state.model_copy(update=dict(update)))
    assert update.get("constraints") == (other,)


def test_words_pinned_before_the_first_turn_are_forgotten(tmp_path: Path) -> None:
    with agent(tmp_path, memory=False) as a:
        pin(a.graph, config(), f"电话只打 {PHONE}")
        pin(a.graph, config(), "不要用红色")
        assert forget(a.graph, config(), PHONE).constraints == 1
        assert PHONE not in earlier(a)
        assert files_holding(tmp_path, PHONE) == []
        a.say("你好")
        assert PHONE not in whole_prompt(a.wire.chats[-1])
        assert "不要用红色" in whole_prompt(a.wire.chats[-1])
        assert a.values()["turn"].number == 1
