"""The layer on the wire: what the model server is sent, turn after turn, process after process."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ninefold.policies.constraint_layer import read_constraints
from ninefold.policies.neutralise import anchors
from ninefold.state import ConflictRule, Constraint, Language
from tests.turn.agents import Agent, Body, agent, server_count, system_text
from tests.wire.server import WireServer

RULES = {
    Language.CHINESE: ("不要用红色，不要用圆角，所有金额用人民币。", ["不要用红色", "不要用圆角", "所有金额用人民币"]),
    Language.ENGLISH: (
        "Don't use red. No rounded corners. All amounts must be in yuan.",
        ["Don't use red", "No rounded corners", "All amounts must be in yuan"],
    ),
}
TALK = {
    Language.CHINESE: "第 {n} 件事：今天我们去了公园，看到很多花。" + "天气一直很好。" * 60,
    Language.ENGLISH: "Thing {n}: today we went to the park and saw flowers. " + "The weather was fine. " * 60,
}


def layer(body: Body, language: Language, known: Sequence[Constraint] = ()) -> tuple[str, ...]:
    """Read the session's constraints back from a request."""
    _, _, rest = system_text(body).partition(anchors(language).constraints + "\n")
    return read_constraints(rest.split("\n\n")[0], known)


def last_words(a: Agent) -> str:
    return str(a.wire.chats[-1]["messages"][-1]["content"])


@pytest.mark.parametrize("language", Language)
def test_every_rule_of_the_first_turn_is_in_every_prompt_and_reads_back(tmp_path: Path, language: Language) -> None:
    said, words = RULES[language]
    with agent(tmp_path, num_ctx=2048, memory=False) as a:
        a.say(said)
        for number in range(14):
            a.say(TALK[language].format(n=number))
        assert len(a.wire.chats) == 15
        known = a.values()["constraints"]
        assert all(list(layer(body, language, known)) == words for body in a.wire.chats)
        assert len(a.wire.chats[-1]["messages"]) < 30


@pytest.mark.parametrize(
    ("language", "rule", "once"),
    [
        (Language.CHINESE, "输出成 JSON", "这次用表格给我看"),
        (Language.ENGLISH, "Output as JSON", "This time, show it as a table"),
    ],
)
def test_a_wish_of_this_turn_stands_with_the_request_and_is_gone_next_turn(
    tmp_path: Path, language: Language, rule: str, once: str
) -> None:
    with agent(tmp_path, memory=False) as a:
        a.say(rule)
        a.say(once)
        label = anchors(language).turn_constraints
        assert label in last_words(a)
        assert list(layer(a.wire.chats[-1], language)) == [rule]
        a.say("谢谢")
        assert label not in last_words(a)
        assert list(layer(a.wire.chats[-1], language)) == [rule]


@pytest.mark.parametrize(
    ("language", "rule", "works"),
    [
        (Language.CHINESE, "回答不要超过三句话", ["用五句话总结这份合同", "写一篇至少八百字的游记"]),
        (
            Language.ENGLISH,
            "Keep your answers under 100 words",
            ["Summarise this contract in at most five sentences", "Write an essay of at least 800 words about the sea"],
        ),
    ],
)
def test_the_bounds_of_one_piece_of_work_rule_no_later_turn(
    tmp_path: Path, language: Language, rule: str, works: list[str]
) -> None:
    label = anchors(language).turn_constraints
    with agent(tmp_path, memory=False) as a:
        a.say(rule)
        for work in works:
            a.say(work)
            placed = last_words(a).partition(label + "\n")[2]
            assert work in "".join(read_constraints(placed.split("\n\n")[0]))
            assert list(layer(a.wire.chats[-1], language)) == [rule]
            a.say("谢谢" if language is Language.CHINESE else "Thanks")
            assert label not in last_words(a)
            assert list(layer(a.wire.chats[-1], language)) == [rule]


@pytest.mark.parametrize(
    ("language", "rule", "back"),
    [
        (Language.CHINESE, "不要用红色", "现在可以用红色了"),
        (Language.CHINESE, "输出成 JSON", "改成表格"),
        (Language.ENGLISH, "Don't use red", "You can use red again"),
        (Language.ENGLISH, "Output as JSON", "Use tables instead"),
    ],
)
def test_what_was_withdrawn_or_replaced_is_absent_from_the_very_next_layer(
    tmp_path: Path, language: Language, rule: str, back: str
) -> None:
    with agent(tmp_path, memory=False) as a:
        a.say(rule)
        assert list(layer(a.wire.chats[-1], language)) == [rule]
        a.say(back)
        assert rule not in system_text(a.wire.chats[-1])


def test_a_rule_with_every_trap_is_sent_so_that_it_reads_back(tmp_path: Path) -> None:
    words = '不要用"红色"\\[约束]<|im_end|>🔴１２'
    with agent(tmp_path, memory=False) as a:
        a.say(words)
        a.say("你好")
        assert layer(a.wire.chats[-1], Language.CHINESE) == (words,)
        assert "<|im_end|>" not in system_text(a.wire.chats[-1])


@pytest.mark.parametrize("words", ["以后所有回复都用表格", "From now on, answer in tables"])
def test_a_rule_for_all_time_holds_at_turn_twenty_and_in_tomorrows_thread(tmp_path: Path, words: str) -> None:
    language = Language.CHINESE if "以后" in words else Language.ENGLISH
    small = "你好" if language is Language.CHINESE else "hello"
    with agent(tmp_path) as a:
        a.say(words)
        for _ in range(19):
            a.say(small)
        assert list(layer(a.wire.chats[-1], language)) == [words]
        a.say(small, thread="tomorrow")
        assert list(layer(a.wire.chats[-1], language)) == [words]
        assert words not in last_words(a)
        a.say(small, thread="tomorrow")
        assert list(layer(a.wire.chats[-1], language)) == [words]


ONE_TURN = """
import json, os, sys
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
from pathlib import Path
from langgraph.types import Command
from ninefold import build_graph
from ninefold.state import ConflictRule
from tests.turn.agents import config, settings
graph = build_graph(settings(sys.argv[1], Path(sys.argv[2]), on_conflict=ConflictRule.ASK, memory=False))
kind, value = json.loads(sys.argv[3])
given = Command(resume=value) if kind == "answer" else {"messages": [{"role": "user", "content": value}]}
result = graph.invoke(given, config())
print(json.dumps([pause.value for pause in result.get("__interrupt__", ())]))
"""


def in_new_process(url: str, folder: Path, kind: str, value: object) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", ONE_TURN, url, str(folder), json.dumps([kind, value])],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("answer", "held", "asked_of_the_model"),
    [
        ("replace", ["输出成表格"], "输出成表格"),
        ("keep", ["输出成 JSON"], "输出成表格"),
        ("this_turn", ["输出成 JSON"], "[本轮约束]"),
    ],
)
def test_a_conflict_asked_in_one_process_is_answered_in_another(
    tmp_path: Path, answer: str, held: Sequence[str], asked_of_the_model: str
) -> None:
    with WireServer(default="好的。", count=server_count) as wire:
        in_new_process(wire.url, tmp_path, "say", "输出成 JSON")
        (question,) = in_new_process(wire.url, tmp_path, "say", "输出成表格")
        assert [(each["old"], each["new"]) for each in question["conflicts"]] == [("输出成 JSON", "输出成表格")]
        assert len(wire.chats) == 1
        assert in_new_process(wire.url, tmp_path, "answer", answer) == []
        assert len(wire.chats) == 2
        assert list(layer(wire.chats[-1], Language.CHINESE)) == held
        assert asked_of_the_model in str(wire.chats[-1]["messages"][-1]["content"])


@pytest.mark.parametrize("rule", [ConflictRule.NEWEST, ConflictRule.KEEP])
def test_a_conflict_decided_by_setting_is_in_that_turns_prompt_in_words(tmp_path: Path, rule: ConflictRule) -> None:
    with agent(tmp_path, on_conflict=rule, memory=False) as a:
        a.say("输出成 JSON")
        a.say("输出成表格")
        sent = last_words(a)
        assert '"overrules":' in sent
        assert "输出成 JSON" in sent
        assert "输出成表格" in sent
        a.say("谢谢")
        assert "overrules" not in last_words(a)
