"""Bad input on the whole agent: a named error with cause and next step, nothing asked of the model, nothing lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from ninefold import build_graph, history
from ninefold.state import NinefoldError, OutcomeStatus
from tests.cli.shell import Shell
from tests.turn.agents import agent, config, server_count, settings
from tests.wire.replies import Fail
from tests.wire.server import WireServer, nobody_there

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
BAD: list[tuple[Any, Any, str]] = [
    ({"messages": [("user", "你好")]}, {}, "thread_id"),
    ({"messages": [("user", "hi")]}, {"configurable": {"thread_id": None}}, "thread_id"),
    ({"messages": [("user", "hi")]}, {"configurable": {"thread_id": 7}}, "thread_id"),
    ({"messages": [("user", "hi")]}, {"configurable": {"thread_id": "t1", "checkpoint_id": "none"}}, "checkpoint"),
    ({"messages": [("user", " \n　")]}, config(), "empty"),
    ({"messages": []}, config(), "no message"),
    ({"messages": [HumanMessage([{"type": "text", "text": "看图"}, IMAGE])]}, config(), "image_url"),
    ({"messages": [HumanMessage([{"type": "input_audio", "input_audio": {}}])]}, config(), "input_audio"),
    ({"messages": "hi", "summary": {}}, config(), "summary"),
]


def told(error: NinefoldError) -> tuple[str, str]:
    """Give an error's cause and next step, both of which it must have."""
    assert error.cause.strip()
    assert error.next_step.strip()
    return error.cause, error.next_step


@pytest.mark.parametrize(("given", "where", "named"), BAD, ids=lambda each: each if isinstance(each, str) else "")
def test_it_is_refused_by_name_before_the_model_is_asked_and_the_thread_goes_on(
    tmp_path: Path, given: Any, where: Any, named: str
) -> None:
    with agent(tmp_path, memory=False) as a:
        a.say("第一句")
        with pytest.raises(NinefoldError) as raised:
            a.graph.invoke(given, where)
        assert named in "".join(told(raised.value))
        assert len(a.wire.chats) == 1
        assert a.say("第二句") == "OK."
        assert [m.text for m in history(a.graph, config())] == ["第一句", "OK.", "第二句", "OK."]


def test_with_the_server_down_the_message_stands_in_the_thread_and_is_answered_later(tmp_path: Path) -> None:
    graph = build_graph(settings(nobody_there(), tmp_path, memory=False))
    with pytest.raises(NinefoldError) as raised:
        graph.invoke({"messages": [("user", "端口是 18443")]}, config())
    assert "ollama serve" in "".join(told(raised.value))
    assert [m.text for m in history(graph, config())] == ["端口是 18443"]
    with WireServer(["好的。"], count=server_count) as wire:
        again = build_graph(settings(wire.url, tmp_path, memory=False))
        assert again.invoke(None, config())["messages"][-1].text == "好的。"
        assert [m["content"] for m in wire.chats[0]["messages"][1:]] == ["端口是 18443"]


@pytest.mark.parametrize(
    ("reply", "named"), [(Fail(404), "ollama pull qwen2.5:14b"), (Fail(500, "out of memory"), "out of memory")]
)
def test_a_refusal_of_the_server_is_named_and_the_turn_can_be_taken_again(
    tmp_path: Path, reply: Fail, named: str
) -> None:
    refused = [True]
    with agent(tmp_path, lambda _: reply if refused[0] else "OK.", memory=False) as a:
        with pytest.raises(NinefoldError) as raised:
            a.say("端口是 18443")
        assert named in "".join(told(raised.value))
        refused[0] = False
        a.graph.invoke(None, config())
        assert [m.text for m in history(a.graph, config())] == ["端口是 18443", "OK."]


def test_a_data_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    place = tmp_path / "data"
    place.write_text("")
    with pytest.raises(NinefoldError) as raised:
        build_graph(settings(nobody_there(), place)).invoke({"messages": [("user", "hi")]}, config())
    assert str(place) in "".join(told(raised.value))


@pytest.mark.parametrize(
    "words", ["仓库里有很多旧零件。" * 20_000, "old parts " * 20_000, "零" * 100_000, "x" * 100_000]
)
def test_a_message_far_over_the_window_is_answered_and_kept_whole(tmp_path: Path, words: str) -> None:
    with agent(tmp_path, memory=False) as a:
        assert a.say(words) == "OK."
        outcome = a.values()["outcome"]
        assert outcome.status is OutcomeStatus.DEGRADED
        assert outcome.notes
        assert next(m.text for m in history(a.graph, config())) == words
        for body in a.wire.chats:
            assert server_count(body["messages"], body.get("tools") or ()) + body["options"]["num_predict"] <= 8192
        assert a.say("好的") == "OK."


def test_from_the_shell_a_message_far_over_the_window_is_answered(tmp_path: Path) -> None:
    with WireServer(count=server_count) as wire:
        ended = Shell(tmp_path, wire.url).run("chat", "--thread", "t1", lines=["仓库里有很多旧零件。" * 10_000])
    assert (ended.returncode, ended.stdout) == (0, "OK.\n")
    assert "Traceback" not in ended.stderr
