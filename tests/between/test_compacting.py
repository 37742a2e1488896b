"""Compacting on request, and taking a compaction back: nothing is lost, and the model sees what the person wants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from langchain_core.messages import BaseMessage

from ninefold.graph.between_turns import compact, undo
from ninefold.reading import history
from ninefold.state import InputError
from tests.turn.agents import Agent, agent, config, system_text, whole_prompt

SAID = [
    "我叫林若，项目的端口是 18443，不要用红色。",
    "部署日期定在 2031-04-07，服务器叫 kiwi-7，预算 52,300 元。",
    "我们讨论一下界面：首页放三张卡片，每张卡片下面是一段说明。",
    "说明文字写得简单一点，图标用线条的。",
    "好，继续。",
    "再说说登录页。",
]

LATER = [f"第 {number} 段说明：" + "这里写得更细一些，" * 12 for number in range(7, 12)]


def talked(of: Agent, said: Sequence[str] = SAID) -> None:
    for words in said:
        of.say(words)


def users(of: Agent) -> list[str]:
    """Give what the last prompt holds of the person, message by message."""
    return [message["content"] for message in of.wire.chats[-1]["messages"] if message["role"] == "user"]


def as_data(messages: Sequence[BaseMessage]) -> list[dict[str, object]]:
    return [message.model_dump() for message in messages]


def test_a_window_is_compacted_on_request_and_its_values_stay_in_the_next_prompt(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。") as a:
        talked(a)
        before = a.values()
        done = compact(a.graph, config())
        after = a.values()
        assert done.strategies == ("summary",)
        assert done.left == len(before["messages"]) - len(after["messages"]) > 0
        assert done.freed == sum(e.tokens for e in before["entries"]) - sum(e.tokens for e in after["entries"]) > 0
        assert after["counters"].compactions == 1
        assert [m.id for m in after["messages"]] == [m.id for m in before["messages"]][done.left :]
        a.say("部署日期是哪天？")
        prompt = a.wire.chats[-1]
        for value in ("2031-04-07", "18443", "kiwi-7", "52,300", "不要用红色"):
            assert value in whole_prompt(prompt)
        assert "2031-04-07" in system_text(prompt)
        assert len(history(a.graph, config())) == 14


def test_what_a_compaction_took_away_comes_back_byte_for_byte_and_stays(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。") as a:
        talked(a)
        before = a.values()
        done = compact(a.graph, config())
        back = undo(a.graph, config())
        now = a.values()
        assert back.messages == done.left
        assert as_data(now["messages"]) == as_data(before["messages"])
        assert now["summary"] == before["summary"]
        assert now["counters"] == before["counters"]
        a.say("端口是多少？")
        assert all(words in sent for words, sent in zip(SAID, users(a), strict=False))


def test_a_turns_own_compaction_is_taken_back_and_not_made_again_below_the_hard_threshold(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。", recent_keep=8) as a:
        talked(a)
        assert a.values()["counters"].compactions == 1
        assert SAID[0] not in [m.text for m in a.values()["messages"]]
        undo(a.graph, config())
        a.say("端口是多少？")
        assert all(words in sent for words, sent in zip(SAID, users(a), strict=False))
        with pytest.raises(InputError, match="no compaction to take back"):
            undo(a.graph, config())


def test_above_the_hard_threshold_what_came_back_leaves_again(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。", num_ctx=4096, fixed_tokens=900, summary_threshold_tokens=900) as a:
        talked(a)
        compact(a.graph, config())
        undo(a.graph, config())
        for number in range(8):
            a.say(f"第 {number} 段：" + "说明文字，" * 150)
        assert a.values()["counters"].compactions > 0
        assert SAID[0] not in [m.text for m in a.values()["messages"]]
        assert "18443" in whole_prompt(a.wire.chats[-1])


def test_two_compactions_are_taken_back_one_after_the_other(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。") as a:
        talked(a)
        compact(a.graph, config())
        talked(a, LATER)
        compact(a.graph, config())
        assert a.values()["counters"].compactions == 2
        undo(a.graph, config())
        undo(a.graph, config())
        said = [m.text for m in a.values()["messages"] if m.type == "human"]
        assert said == [*SAID, *LATER]


def test_a_focus_decides_what_a_long_result_keeps(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。", light_model="same") as a:
        talked(a)
        compact(a.graph, config(), focus="服务器的名字")
        asked = [whole_prompt(body) for body in a.wire.chats if "服务器的名字" in whole_prompt(body)]
        assert asked, "the model that makes the summary is told the focus"
        assert "服务器的名字" not in [m.text for m in a.values()["messages"]]
        assert all(m.text != "服务器的名字" for m in history(a.graph, config()))


def test_nothing_to_compact_leaves_the_thread_as_it_is(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。") as a:
        with pytest.raises(InputError, match="Nothing was said"):
            compact(a.graph, config())
        a.say(SAID[0])
        before = a.graph.get_state(config())
        done = compact(a.graph, config())
        assert (done.strategies, done.left, done.freed) == ((), 0, 0)
        assert done.reason
        assert a.graph.get_state(config()) == before
        with pytest.raises(InputError, match="no compaction to take back"):
            undo(a.graph, config())
