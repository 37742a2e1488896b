"""What the middleware does beside the long talk: references, conflicts, foreign calls, streams, named errors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command
from pydantic import BaseModel

from ninefold.middleware import ContextAssemblyMiddleware
from ninefold.state import ContextOverBudget, ContextPolicy, InputError, SettingsError
from tests.bugs.wire_laws import over_the_window
from tests.middleware.agents import CONFIG, chat_model, opened, orders, orphans, say
from tests.turn.agents import Body, server_count, system_text, whole_prompt
from tests.wire.replies import Call, Cut, Reply, Say
from tests.wire.server import WireServer

REFERENCE = re.compile(r"\br[0-9a-f]{12}\b")


def reading_on(body: Body) -> Reply:
    """Ask for the orders, then for what stands behind the reference in them, then for a reference there is not."""
    results = [m["content"] for m in body["messages"] if m["role"] == "tool"]
    match len(results):
        case 0:
            return Call("orders", {"month": "2026-05"})
        case 1:
            return Call("expand_reference", {"id": REFERENCE.findall(results[0])[0], "find": "2026-05-0377"})
        case 2:
            return Call("expand_reference", {"id": "r000000000000"})
        case _:
            return Say("Done.")


def test_a_long_result_is_shortened_and_the_model_can_read_it_by_its_reference(tmp_path: Path) -> None:
    with WireServer(reading_on, count=server_count) as wire, opened(wire, tmp_path) as agent:
        assert say(agent, "Which orders were there in May?") == "Done."
        results = [m["content"] for m in wire.chats[-1]["messages"] if m["role"] == "tool"]
        offered = {each["function"]["name"] for each in wire.chats[0]["tools"]}
    assert offered == {"orders", "expand_reference"}
    assert server_count([{"role": "tool", "content": results[0]}], ()) <= 1300
    assert "2026-05-0377" not in results[0]
    assert '"2026-05-0377", "customer": "Kim 377"' in results[1]
    assert results[2].startswith("Error: No text stands behind 'r000000000000'")


@pytest.mark.parametrize(
    ("older", "newer", "gone"),
    [
        ("All amounts must be in dollars.", "All amounts must be in euros.", "dollars"),
        ("所有金额必须用美元。", "所有金额必须用欧元。", "美元"),
    ],
)
def test_a_conflict_interrupts_the_agent_and_the_answer_decides(
    older: str, newer: str, gone: str, tmp_path: Path
) -> None:
    with WireServer(count=server_count) as wire:
        with opened(wire, tmp_path, on_conflict="ask") as agent:
            say(agent, older)
            asked = agent.invoke({"messages": [{"role": "user", "content": newer}]}, CONFIG)
            assert len(wire.chats) == 1
            assert gone in json.dumps(asked["__interrupt__"][0].value, ensure_ascii=False)
        with opened(wire, tmp_path, on_conflict="ask") as agent:
            agent.invoke(Command(resume="replace"), CONFIG)
            kept = [each["words"] for each in agent.get_state(CONFIG).values["ninefold"]["constraints"]]
    assert len(kept) == 1
    assert gone not in kept[0]


def test_who_goes_on_instead_of_answering_keeps_the_older_wish_and_is_answered(tmp_path: Path) -> None:
    with WireServer(count=server_count) as wire, opened(wire, tmp_path, on_conflict="ask") as agent:
        say(agent, "All amounts must be in dollars.")
        agent.invoke({"messages": [{"role": "user", "content": "All amounts must be in euros."}]}, CONFIG)
        assert say(agent, "What is two and two?") == "OK."
        kept = [each["words"] for each in agent.get_state(CONFIG).values["ninefold"]["constraints"]]
    assert kept == ["All amounts must be in dollars"]
    assert "What is two and two?" in whole_prompt(wire.chats[-1])


def test_a_conversation_from_before_the_middleware_is_taken_in_and_compacted(tmp_path: Path) -> None:
    before: list[BaseMessage] = [HumanMessage("以后不要用红色。")]
    for number in range(40):
        before += [AIMessage("好的，没有问题。" * 20), HumanMessage(f"再看一下方案的第 {number} 部分。")]
    with WireServer(count=server_count) as wire, opened(wire, tmp_path) as agent:
        agent.update_state(CONFIG, {"messages": before})
        say(agent, "继续。")
        kept = agent.get_state(CONFIG).values["ninefold"]
    assert kept["counters"]["compactions"] > 0
    assert len(kept["entries"]) < 30
    assert "不要用红色" in whole_prompt(wire.chats[-1])
    assert over_the_window(wire.chats[-1]) == ""


@tool
def diary(day: str) -> str:
    """Read a day's entries."""
    return "\n".join(f"{day}, entry {number}: nothing happened" for number in range(40))


def test_calls_without_end_in_one_turn_fit_and_the_rule_stays(tmp_path: Path) -> None:
    rounds = [Call("diary", {"day": f"day {n}"}, more=(("diary", {"day": f"night {n}"}),)) for n in range(10)]
    with (
        WireServer([*rounds, Say("Done.")], count=server_count) as wire,
        opened(wire, tmp_path, num_ctx=3072, tools=(diary,)) as agent,
    ):
        assert say(agent, "Never use red. Look at every day.") == "Done."
        history = agent.get_state(CONFIG).values["messages"]
    assert len(wire.chats) == 11
    assert [over_the_window(body) + "".join(map(str, orphans(body))) for body in wire.chats] == [""] * 11
    assert all("Never use red" in whole_prompt(body) for body in wire.chats)
    assert sum(message.type == "tool" for message in history) == 20


def test_calls_of_another_provider_are_sent_whole_and_what_was_left_open_is_closed(tmp_path: Path) -> None:
    anthropic: list[str | dict[Any, Any]] = [
        {"type": "thinking", "thinking": "secret", "signature": "x"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "toolu_1", "name": "orders", "input": {"month": "2026-04"}},
    ]
    unread = {"type": "invalid_tool_call", "id": "call_2", "name": "orders", "args": '{"month": ', "error": None}
    before = [
        HumanMessage("Never use red."),
        AIMessage(anthropic, tool_calls=[{"name": "orders", "args": {"month": "2026-04"}, "id": "toolu_1"}]),
        ToolMessage("none", tool_call_id="toolu_1"),
        AIMessage("", invalid_tool_calls=[unread]),
        AIMessage("", tool_calls=[{"name": "orders", "args": {"month": "2026-05"}, "id": "call_3"}]),
        HumanMessage("And now?"),
        ToolMessage("nobody asked", tool_call_id="call_9"),
        AIMessage("There were none."),
    ]
    with WireServer(count=server_count) as wire, opened(wire, tmp_path) as agent:
        agent.update_state(CONFIG, {"messages": before})
        say(agent, "Go on.")
        say(agent, "And on.")
    for body in wire.chats:
        assert orphans(body) == []
        assert "Never use red" in whole_prompt(body)
        calls = [call["function"] for m in body["messages"] for call in m.get("tool_calls") or ()]
        assert [call["arguments"] for call in calls] == [{"month": "2026-04"}, {}, {"month": "2026-05"}]
        assert "malformed" in whole_prompt(body)
        assert not re.search("secret|nobody asked", whole_prompt(body))


async def test_an_async_agent_streams_the_reply_and_keeps_the_rule(tmp_path: Path) -> None:
    with WireServer(default="Yes, of course.", count=server_count) as wire:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "agent.db")) as saver:
            middleware = [ContextAssemblyMiddleware(num_ctx=4096)]
            agent: Any = create_agent(chat_model(wire), tools=[orders], middleware=middleware, checkpointer=saver)
            given = {"messages": [{"role": "user", "content": "不要用红色。"}]}
            pieces = [part.text async for part, _ in agent.astream(given, CONFIG, stream_mode="messages")]
            await agent.ainvoke({"messages": [{"role": "user", "content": "继续。"}]}, CONFIG)
    assert "".join(pieces) == "Yes, of course."
    assert len([piece for piece in pieces if piece]) > 1
    assert "不要用红色" in whole_prompt(wire.chats[-1])


def test_a_call_that_failed_changes_nothing_and_the_next_message_is_answered(tmp_path: Path) -> None:
    with WireServer([Cut("Half", abruptly=True)], count=server_count) as wire, opened(wire, tmp_path) as agent:
        with pytest.raises(httpx.RemoteProtocolError):
            say(agent, "Never use red.")
        assert "ninefold" not in agent.get_state(CONFIG).values
        say(agent, "Are you there?")
    assert "Never use red" in whole_prompt(wire.chats[-1])


def test_what_the_caller_removes_from_the_agent_s_messages_leaves_the_window(tmp_path: Path) -> None:
    with WireServer(count=server_count) as wire, opened(wire, tmp_path) as agent:
        say(agent, "Never use red.")
        say(agent, "The password of the door is 4711.")
        gone = [m.id for m in agent.get_state(CONFIG).values["messages"] if "4711" in m.text]
        agent.update_state(CONFIG, {"messages": [RemoveMessage(id=gone[0])]})
        say(agent, "Go on.")
    assert "4711" not in whole_prompt(wire.chats[-1])
    assert "Never use red" in whole_prompt(wire.chats[-1])


class Colour(BaseModel):
    """A colour by name."""

    name: str


def test_the_agent_s_own_system_prompt_tools_and_structured_answer_are_kept_and_counted(tmp_path: Path) -> None:
    with WireServer([Call("Colour", {"name": "blue"})], count=server_count) as wire:
        agent: Any = create_agent(
            chat_model(wire),
            tools=[orders],
            system_prompt="You pick colours.",
            response_format=ToolStrategy(Colour),
            middleware=[ContextAssemblyMiddleware(num_ctx=4096)],
        )
        done = agent.invoke({"messages": [{"role": "user", "content": "Never use red. Pick one."}]})
        (body,) = wire.chats
    assert set(done) == {"messages", "structured_response"}
    assert done["structured_response"] == Colour(name="blue")
    assert system_text(body).startswith("You pick colours.")
    assert "Never use red" in whole_prompt(body)
    assert done["messages"][-1].type == "tool"
    assert over_the_window(body) == ""


def test_what_can_never_fit_is_refused_by_name_before_a_call(tmp_path: Path) -> None:
    with WireServer(count=server_count) as wire:
        agent: Any = create_agent(
            chat_model(wire), system_prompt="Be brief. " * 900, middleware=[ContextAssemblyMiddleware(num_ctx=2048)]
        )
        with pytest.raises(ContextOverBudget, match=r"num_ctx 2048; the largest layer is fixed \(.* do not fit"):
            agent.invoke({"messages": [{"role": "user", "content": "Hello"}]})
        assert wire.chats == []


def test_a_picture_is_refused_by_name_and_not_dropped(tmp_path: Path) -> None:
    picture: list[str | dict[Any, Any]] = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]
    with WireServer(count=server_count) as wire, opened(wire, tmp_path) as agent:
        with pytest.raises(InputError, match="image_url"):
            agent.invoke({"messages": [HumanMessage(picture)]}, CONFIG)
        assert wire.chats == []


def test_a_setting_that_cannot_be_used_is_named() -> None:
    with pytest.raises(SettingsError, match=r"context_policy\.recent_keep cannot be used"):
        ContextAssemblyMiddleware(context_policy={"recent_keep": 1})
    with pytest.raises(SettingsError, match=r"context_policy\.max_tool_rounds has no effect"):
        ContextAssemblyMiddleware(context_policy=ContextPolicy(max_tool_rounds=3))
    with pytest.raises(SettingsError, match="leave only 24 tokens for the prompt"):
        ContextAssemblyMiddleware(num_ctx=1024, num_predict=1000)


def test_without_the_extra_the_import_names_the_command_that_installs_it() -> None:
    code = "import sys; sys.modules['langchain'] = None\nimport ninefold.middleware"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'Run `pip install "ninefold[middleware]"`.' in done.stderr
