"""A turn as a whole: what is said today is in tomorrow's prompt, and every prompt fits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import convert_to_messages
from langchain_core.tools import tool

from ninefold import build_graph, history
from ninefold.policies.render import render
from ninefold.state import Language, Step
from ninefold.state.turn_state import TurnState
from tests.turn.agents import agent, config, from_wire, server_count, system_text, whole_prompt
from tests.wire.replies import Call, Say
from tests.wire.server import WireServer

ONE_TURN = """
import sys
from pathlib import Path
from tests.turn.agents import settings
from ninefold import build_graph
graph = build_graph(settings(sys.argv[1], Path(sys.argv[2])))
config = {"configurable": {"thread_id": "t1", "user_id": "ann"}}
result = graph.invoke({"messages": [{"role": "user", "content": sys.argv[3]}]}, config)
print(result["messages"][-1].text)
"""


def in_new_process(url: str, folder: Path, text: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ONE_TURN, url, str(folder), text],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("said", "asked", "kept"),
    [
        ("我叫林若，项目端口是 18443，不要用红色。", "端口是多少？", ("18443", "不要用红色")),
        ("I'm Lin, the project's port is 18443. Don't use red.", "What is the port?", ("18443", "Don't use red")),
    ],
)
def test_what_one_process_was_told_is_in_the_next_process_s_prompt(
    tmp_path: Path, said: str, asked: str, kept: tuple[str, str]
) -> None:
    with WireServer(["好的。", "18443。"], count=server_count) as wire:
        assert in_new_process(wire.url, tmp_path, said) == "好的。"
        assert in_new_process(wire.url, tmp_path, asked) == "18443。"
        second = wire.chats[1]
    assert kept[0] in whole_prompt(second)
    assert kept[1] in system_text(second)


def test_a_turn_s_trace_names_all_nine_steps(tmp_path: Path) -> None:
    with agent(tmp_path, ["你好！"]) as a:
        assert a.say("你好") == "你好！"
        told = {event.step for event in a.values()["trace"]}
    assert {
        Step.INTENT_CHECK,
        Step.MEMORY_RETRIEVAL,
        Step.CONSTRAINT_UPDATE,
        Step.ASSEMBLY,
        Step.THRESHOLD_CHECK,
        Step.FIDELITY_CHECK,
        Step.MODEL_CALL,
        Step.MEMORY_WRITE,
        Step.WINDOW_ROLL,
    } <= told


def test_every_request_carries_the_window_s_limits_and_the_prompt_fits(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        for number in range(30):
            a.say(f"第 {number} 个问题：请说明第 {number} 步的做法。" * 8)
        counts = [server_count(body["messages"], body.get("tools") or ()) for body in a.wire.chats]
        options = [body["options"] for body in a.wire.chats]
    assert len(counts) >= 30
    for count, option in zip(counts, options, strict=True):
        assert option["num_ctx"] == 8192
        assert option["num_predict"] == 1024
        assert count + option["num_predict"] <= 8192


def test_the_bytes_on_the_wire_are_the_view_rendered(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        a.say("以后所有金额都用人民币表示，不要用美元。")
        for number in range(29):
            a.say(f"项目 {number} 的预算是 {number * 100} 元，请记录。")
            state = TurnState.model_validate(a.values())
            assert state.view is not None
            fixed = system_text(a.wire.chats[-1]).split("\n\n[约束]")[0]
            sent = render(
                state.view, state.messages, state.entries, fixed=fixed, language=state.language or Language.ENGLISH
            )
            wire = [from_wire(m) for m in a.wire.chats[-1]["messages"]]
            assert [(m.type, m.text) for m in wire] == [(m.type, m.text) for m in sent]


def test_sixty_turns_with_long_tool_results_keep_every_rule_and_fit(tmp_path: Path) -> None:
    orders = [{"order_id": f"A{n:05d}", "amount": n * 7 % 9973, "status": "paid"} for n in range(1400)]
    asked: list[str] = []

    @tool
    def list_orders(customer: str) -> str:
        """List a customer's orders."""
        return json.dumps({"status": "success", "orders": orders})

    def answer(body: dict[str, Any]) -> Call | Say:
        last = body["messages"][-1]
        if last["role"] == "tool":
            wanted = next((word for word in asked[-1].split() if word.startswith("A0")), "")
            row = next((line for line in last["content"].splitlines() if wanted and wanted in line), "")
            return Say(row or "没有找到。")
        if last["role"] == "user" and "订单" in last["content"]:
            return Call("list_orders", {"customer": "林若"})
        return Say("好的。")

    rules = ("不要用红色", "不要用圆角", "所有金额用人民币")
    with agent(tmp_path, answer, tools=[list_orders], memory=False) as a:
        a.say("、".join(rules[:1]) + "，不要用圆角，所有金额用人民币。")
        for number in range(59):
            asked.append(f"查一下订单 A00{700 + number} 的金额" if number % 3 == 0 else f"继续说第 {number} 点。" * 20)
            reply = a.say(asked[-1])
            if number % 3 == 0:
                assert str((700 + number) * 7 % 9973) in reply
        for body in a.wire.chats:
            assert all(rule in system_text(body) for rule in rules)
            count = server_count(body["messages"], body.get("tools") or ())
            assert count + body["options"]["num_predict"] <= 8192


def test_two_lasting_rules_of_one_sentence_both_hold_in_tomorrow_s_thread(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        a.say("以后所有金额都用人民币表示，不要用美元。", thread="today")
        a.say("写一句报价说明。", thread="tomorrow")
        layer = system_text(a.wire.chats[-1])
    assert "以后所有金额都用人民币表示" in layer
    assert "不要用美元" in layer


def test_history_reads_everything_in_order(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        for number in range(14):
            a.say(f"第 {number} 句")
        said = [m.text for m in history(a.graph, config()) if m.type == "human"]
    assert said == [f"第 {number} 句" for number in range(14)]


def test_a_caller_who_resends_the_history_adds_one_message(tmp_path: Path) -> None:
    with agent(tmp_path, ["一", "二"]) as a:
        first = a.graph.invoke({"messages": [{"role": "user", "content": "第一句"}]}, config())
        sent = [*first["messages"], *convert_to_messages([{"role": "user", "content": "第二句"}])]
        second = a.graph.invoke({"messages": sent}, config())
    assert [m.text for m in second["messages"]] == ["第一句", "一", "第二句", "二"]


def test_forks_of_one_turn_run_on_as_two_branches(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        a.say("第一句")
        forked: Any = a.graph.get_state(config()).config
        a.say("左边的第二句")
        left: Any = a.graph.get_state(config()).config
        fork: Any = {"configurable": {**forked["configurable"], "user_id": "ann"}}
        a.graph.invoke({"messages": [{"role": "user", "content": "右边的第二句"}]}, fork)
        right = [m.text for m in history(a.graph, config()) if m.type == "human"]
        a.graph.invoke(
            {"messages": [{"role": "user", "content": "左边的第三句"}]},
            {"configurable": {**left["configurable"], "user_id": "ann"}},
        )
        again = [m.text for m in history(a.graph, config()) if m.type == "human"]
    assert right == ["第一句", "右边的第二句"]
    assert again == ["第一句", "左边的第二句", "左边的第三句"]


def test_a_fake_model_of_langchain_s_own_takes_a_turn(tmp_path: Path) -> None:
    from langchain_core.language_models import FakeListChatModel

    from ninefold.state import AgentSettings, StorageSettings

    settings = AgentSettings(memory="off", storage=StorageSettings(folder=str(tmp_path)))
    graph = build_graph(settings, model=FakeListChatModel(responses=["Hello."]))
    result = graph.invoke({"messages": [{"role": "user", "content": "Hi"}]}, config())
    assert result["messages"][-1].text == "Hello."
    assert result["outcome"].notes
