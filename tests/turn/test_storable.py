"""What no database and no wire keeps is a visible mark, wherever it came from, and a thread goes on after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool

from ninefold.nodes.model_call import clean_reply
from ninefold.state import InputError, InvalidUpdate
from tests.turn.agents import agent, config, whole_prompt
from tests.wire.replies import Call


@tool
def lookup(fails: bool = False) -> str:
    """Look something up."""
    if fails:
        raise ValueError("bad \ud83d\0 word")
    return "bad \ud83d\0 word"


@pytest.mark.parametrize("fails", [False, True])
def test_a_tool_s_lone_surrogate_does_not_end_the_turn(tmp_path: Path, fails: bool) -> None:
    with agent(tmp_path, [Call("lookup", {"fails": fails}), "Done."], tools=[lookup], memory=False) as a:
        assert a.say("Look it up.") == "Done."
        assert "bad \ufffd\ufffd word" in whole_prompt(a.wire.chats[-1])


def test_a_reply_s_lone_surrogate_is_marked_in_its_text_and_in_its_calls() -> None:
    call = {"name": "lookup", "args": {"a\ud83d": ["\ud83d"]}, "id": "1", "type": "tool_call"}
    reply = clean_reply(AIMessage("a\ud83d\0", tool_calls=[call], id="r"))
    assert (reply.content, reply.tool_calls[0]["args"], reply.id) == ("a\ufffd\ufffd", {"a\ufffd": ["\ufffd"]}, "r")
    whole = AIMessage("好 😀", id="r")
    assert clean_reply(whole) is whole


def test_a_very_long_clause_does_not_brick_the_thread(tmp_path: Path) -> None:
    with agent(tmp_path, memory=False) as a:
        a.say("不要用红色，" + "汉字不要" * 3000)
        assert a.say("好了吗？") == "OK."
        assert "不要用红色" in whole_prompt(a.wire.chats[-1])


def test_a_message_id_that_no_database_keeps_is_refused(tmp_path: Path) -> None:
    with agent(tmp_path, memory=False) as a:
        for bad in ("a\ud83d", "a\0"):
            with pytest.raises(InputError, match="lone surrogate"):
                a.graph.invoke({"messages": [HumanMessage("hi", id=bad)]}, config())


@pytest.mark.parametrize("value", [5, [5], [{"role": "nobody", "content": "x"}], [("user",)]])
def test_an_update_that_is_no_message_is_refused_by_name(tmp_path: Path, value: Any) -> None:
    with agent(tmp_path, memory=False) as a:
        a.say("hi")
        with pytest.raises(InvalidUpdate, match="messages"):
            a.graph.update_state(config(), {"messages": value})
        assert a.say("again") == "OK."
