"""What a person wants forgotten is gone: no store, no earlier state and no file of the thread holds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninefold.graph.between_turns import compact, forget, pin, undo
from ninefold.reading import history
from ninefold.state import InputError
from tests.turn.agents import Agent, agent, config, whole_prompt

PHONE = "13900001234"


def told(of: Agent) -> None:
    of.say(f"以后联系我打 {PHONE}，不要发邮件。")
    of.say("项目端口是 18443。")
    of.say("My sister Ann lives in Rome.")
    of.say("好，继续说界面。")
    of.say("再说登录页。")


def files_holding(folder: Path, words: str) -> list[str]:
    """Give the files beside the memories' own that hold the words."""
    files = [path for path in folder.rglob("*") if path.is_file() and "memory" not in path.parts]
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
