"""What only the default model can show: tools through its template, its own prompt format, its memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool

from ninefold.adapters.embedded.chat import EmbeddedChat
from ninefold.adapters.tokens import for_model
from ninefold.adapters.weights.catalogue import DEFAULT_MODEL
from tests.tokens.cases import CASES


@tool
def get_weather(city: str) -> str:
    """Weather of a city now."""
    return city


@pytest.mark.parametrize("question", ["What is the weather in 北京? Use the tool.", "用工具查一下北京的天气。"])
def test_a_tool_is_called_and_its_prompt_counted_to_the_token(qwen: EmbeddedChat, question: str) -> None:
    messages: list[BaseMessage] = [HumanMessage(question)]
    bound = qwen.bind_tools([get_weather])
    reply = bound.invoke(messages)
    assert [call["name"] for call in reply.tool_calls] == ["get_weather"]
    assert "city" in reply.tool_calls[0]["args"]
    assert reply.content == ""
    assert reply.usage_metadata is not None
    assert qwen.count_prompt(messages, [get_weather]) == reply.usage_metadata["input_tokens"]
    messages += [reply, ToolMessage("晴，21 度", tool_call_id=reply.tool_calls[0]["id"] or "")]
    after = bound.invoke(messages, num_predict=1)
    assert after.usage_metadata is not None
    assert qwen.count_prompt(messages, [get_weather]) == after.usage_metadata["input_tokens"]


def test_a_prompt_is_chatml_in_the_order_it_was_given(qwen: EmbeddedChat) -> None:
    # Ollama's template moves the later system message up and merges the neighbours; this one must not.
    messages = [
        SystemMessage("S1"),
        HumanMessage("a"),
        AIMessage("b"),
        SystemMessage("S2"),
        HumanMessage("c"),
        HumanMessage("d"),
    ]
    rendered = "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in [
        ("system", "S1"), ("user", "a"), ("assistant", "b"), ("system", "S2"), ("user", "c"), ("user", "d"),
    ])  # fmt: skip
    prompt = qwen._post("/apply-template", {"messages": _plain(messages)})["prompt"]
    assert prompt == rendered + "<|im_start|>assistant\n"
    alone = qwen._post("/apply-template", {"messages": _plain([HumanMessage("a")])})["prompt"]
    assert alone.startswith("<|im_start|>system\nYou are Qwen, created by Alibaba Cloud.")


def _plain(messages: list[BaseMessage]) -> list[dict[str, str]]:
    roles = {"human": "user", "ai": "assistant", "system": "system"}
    return [{"role": roles[message.type], "content": str(message.content)} for message in messages]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's /proc")
def test_model_and_program_stay_under_a_gigabyte_and_a_half(qwen: EmbeddedChat) -> None:
    qwen.invoke("The boats came in one after the other. " * 30, num_predict=1)
    assert qwen.server.pid is not None
    peaks = [Path(f"/proc/{pid}/status").read_text().split("VmHWM:")[1].split()[0] for pid in (qwen.server.pid, "self")]
    assert sum(map(int, peaks)) < 1_500_000


def test_our_count_is_never_under_the_models_own(qwen: EmbeddedChat) -> None:
    counter = for_model("embedded", DEFAULT_MODEL)
    under = {}
    for name, (messages, tools) in CASES.items():
        theirs = qwen.count_prompt(messages, list(tools))
        if (ours := counter.prompt(messages, tools)) < theirs:
            under[name] = (ours, theirs)
    assert under == {}
