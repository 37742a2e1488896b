"""Every request carries num_ctx, and a num_predict that fits behind its counted prompt, internal ones too (BUG-19)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest
from langchain_core.tools import BaseTool, tool

from ninefold.policies.prompt_files import prompt
from ninefold.state import Language
from tests.bugs.wire_laws import agent_with, over_the_window, state_of
from tests.turn.agents import Body
from tests.wire.replies import Call, Say

TALK = {
    Language.CHINESE: (
        "第 {n} 步：预算是 {n}00 元，希望下周能完成，尽量别拖到六月。" + "我们今天讨论了很多事情，天气也不错。" * 14
    ),
    Language.ENGLISH: (
        "Step {n}: the budget is {n}00 dollars. It must somehow be done in the style that we like. "
        + "We talked about many things today and the weather was fine. " * 14
    ),
}
PLAIN = {
    Language.CHINESE: "我们今天讨论了很多事情，天气也不错。" * 20,
    Language.ENGLISH: "We talked about many things today and the weather was fine. " * 18,
}
REPLY = {Language.CHINESE: "好的，已经记下。" * 20, Language.ENGLISH: "All right, that is noted. " * 20}
INTERNAL = ("extract_constraints", "summary", "veto")


def purpose(body: Body) -> str:
    """Give which internal call a request is, by its instruction; a reply otherwise."""
    last = str(body["messages"][-1]["content"])
    return next(
        (name for name in INTERNAL for language in Language if prompt(name, language).strip()[:40] in last), "reply"
    )


def answered(body: Body, language: Language) -> Say:
    """Answer as each call wants to be answered."""
    match purpose(body):
        case "extract_constraints":
            return Say('{"constraints": []}')
        case "summary":
            return Say(json.dumps({"goal": "", "decisions": [], "next_steps": [], "other_facts": []}))
        case "veto":
            return Say('{"supported": true, "missing": ""}')
        case _:
            return Say(REPLY[language])


def wide_tools() -> list[BaseTool]:
    """Give tools whose schemas take as much of the prompt as a long message."""
    long = "Every field is looked at with care before anything is done. " * 12
    made = []
    for number in range(4):

        @tool(f"work_{number}", description=f"Do work number {number}. {long}")
        def work(what: str) -> str:
            return f"done: {what}"

        made.append(work)
    return made


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(("num_ctx", "num_predict", "tools"), [(2048, 512, False), (4096, 1024, True)])
def test_chat_extraction_summary_and_veto_are_within_the_window(
    tmp_path: Path, num_ctx: int, num_predict: int, tools: bool, language: Language
) -> None:
    options: dict[str, Any] = {"num_ctx": num_ctx, "num_predict": num_predict, "memory": False}
    light: Literal["same"] = "same"
    with agent_with(
        tmp_path,
        lambda body: answered(body, language),
        tools=wide_tools() if tools else (),
        light_model=light,
        veto=True,
        summary_threshold_tokens=num_ctx // 4,
        **options,
    ) as a:
        for number in range(1, 15):
            a.say(TALK[language].format(n=number))
        bodies = a.wire.chats
        assert state_of(a).counters.compactions >= 2
    asked = [purpose(body) for body in bodies]
    assert [over_the_window(body) for body in bodies if over_the_window(body)] == []
    assert {body["options"]["num_ctx"] for body in bodies} == {num_ctx}
    assert {body["options"]["num_predict"] for body in bodies if purpose(body) == "reply"} == {num_predict}
    assert {"extract_constraints", "veto"} <= set(asked), asked
    assert asked.count("reply") == 14


@pytest.mark.parametrize("language", Language)
def test_a_summary_of_the_chats_own_model_is_within_the_window(tmp_path: Path, language: Language) -> None:
    options: dict[str, Any] = {"num_ctx": 8192, "memory": False, "summary_threshold_tokens": 1500}
    with agent_with(tmp_path, lambda body: answered(body, language), light_model="same", **options) as a:
        for number in range(1, 16):
            a.say(f"{number}. {PLAIN[language]}")
        bodies = a.wire.chats
    assert "summary" in [purpose(body) for body in bodies]
    assert [over_the_window(body) for body in bodies if over_the_window(body)] == []


@pytest.mark.parametrize("language", Language)
def test_each_call_of_a_tool_loop_is_within_the_window(tmp_path: Path, language: Language) -> None:
    def answer(body: Body) -> Call | Say:
        rounds = sum(m["role"] == "tool" for m in body["messages"])
        return Call("work_1", {"what": TALK[language]}) if rounds < 9 else Say("OK.")

    options: dict[str, Any] = {"num_ctx": 4096, "num_predict": 600, "memory": False, "light_model": "same"}
    with agent_with(tmp_path, answer, tools=wide_tools(), **options) as a:
        a.say(TALK[language].format(n=1))
        bodies = a.wire.chats
    assert len(bodies) >= 9
    assert [over_the_window(body) for body in bodies if over_the_window(body)] == []
