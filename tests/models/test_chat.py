"""What goes over Ollama's wire for a call, and what comes back of it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool

from ninefold.adapters.models.assistant import ModelAssistant
from ninefold.adapters.models.chat import ModelChat
from ninefold.adapters.models.ollama import ollama_chat
from ninefold.state import (
    InternalModelError,
    ModelCutOff,
    ModelDown,
    ModelEmpty,
    ModelMissing,
    ModelRefused,
    ModelSettings,
    ModelTimeout,
    ModelUnavailable,
)
from tests.wire.replies import EMPTY, Call, Cut, ErrorMidway, Fail, Hang, Load, Noise, Reply, Say
from tests.wire.server import WireServer, nobody_there

PROMPT: list[BaseMessage] = [SystemMessage("你是助手。"), HumanMessage("端口是多少？")]


@tool
def look_up(key: str) -> str:
    """Give the value of a key."""
    return key


def chat_with(url: str, *, tools: bool = False, **settings: object) -> ModelChat:
    chosen = ModelSettings.model_validate({"base_url": url, "timeout": 0.5, "connect_timeout": 0.5, **settings})
    bound = [look_up] if tools else []
    return ModelChat(ollama_chat(chosen), tools=bound, num_ctx=chosen.num_ctx, concurrency=chosen.concurrency)


async def ask_async(chat: ModelChat) -> AIMessage:
    return await chat.areply(PROMPT, num_predict=77)


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest):  # type: ignore[no-untyped-def]
    """The same law for both twins."""
    if request.param == "sync":
        return lambda chat: chat.reply(PROMPT, num_predict=77)
    return lambda chat: asyncio.run(ask_async(chat))


def test_every_call_carries_num_ctx_num_predict_temperature_and_keep_alive(ask) -> None:  # type: ignore[no-untyped-def]
    with WireServer([Say("18443")]) as wire:
        reply = ask(chat_with(wire.url, tools=True))
    (sent,) = wire.chats
    assert sent["options"] == {"num_ctx": 8192, "num_predict": 77, "temperature": 0.3}
    assert (sent["model"], sent["keep_alive"], sent["stream"]) == ("qwen2.5:14b", "30m", True)
    assert [t["function"]["name"] for t in sent["tools"]] == ["look_up"]
    assert [(m["role"], m["content"]) for m in sent["messages"]] == [("system", "你是助手。"), ("user", "端口是多少？")]
    assert (reply.content, reply.response_metadata["done_reason"]) == ("18443", "stop")
    assert reply.usage_metadata is not None
    assert reply.usage_metadata["input_tokens"] == reply.response_metadata["prompt_eval_count"]


def test_options_of_the_callers_own_model_stay_with_every_call() -> None:
    from langchain_ollama import ChatOllama

    with WireServer() as wire:
        own = ChatOllama(model="mine", base_url=wire.url, top_k=7, seed=3, num_ctx=4096)
        ModelChat(own).reply(PROMPT, num_predict=9)
    assert wire.chats[0]["options"] == {"num_ctx": 4096, "num_predict": 9, "top_k": 7, "seed": 3}


def test_tool_calls_arrive_with_their_arguments(ask) -> None:  # type: ignore[no-untyped-def]
    with WireServer([Call("look_up", {"key": "端口"}, more=(("look_up", {"key": "b"}),))]) as wire:
        reply = ask(chat_with(wire.url, tools=True))
    assert [(call["name"], call["args"]) for call in reply.tool_calls] == [
        ("look_up", {"key": "端口"}),
        ("look_up", {"key": "b"}),
    ]
    assert len({call["id"] for call in reply.tool_calls}) == 2


TROUBLE: list[tuple[Reply, type[ModelUnavailable], str]] = [
    (Fail(404), ModelMissing, "ollama pull qwen2.5:14b"),
    (Fail(500, "out of memory"), ModelRefused, "out of memory"),
    (Fail(400, "the input exceeds the available context size"), ModelUnavailable, "num_ctx"),
    (Hang(5), ModelTimeout, "timeout"),
    (Hang(5, "端口是"), ModelCutOff, "set time"),
    (Cut("端口是"), ModelCutOff, "cut off"),
    (Cut("端口是", abruptly=True), ModelCutOff, "cut off"),
    (ErrorMidway("端口是", "CUDA error"), ModelCutOff, "CUDA error"),
    (ErrorMidway("", "CUDA error"), ModelRefused, "CUDA error"),
    (Noise(), ModelRefused, "base_url"),
    (Noise("[1, 2]"), ModelRefused, "base_url"),
    (EMPTY, ModelEmpty, "nothing"),
    (Load(), ModelEmpty, "nothing"),
    (Say("<think>嗯，端口"), ModelEmpty, "nothing"),
]


@pytest.mark.parametrize(("reply", "error", "words"), TROUBLE, ids=[str(case[0]) for case in TROUBLE])
def test_trouble_is_one_named_error_with_cause_and_next_step(ask, reply, error, words) -> None:  # type: ignore[no-untyped-def]
    with WireServer([reply] * 2) as wire, pytest.raises(error) as raised:
        ask(chat_with(wire.url))
    assert words in str(raised.value)
    assert raised.value.cause
    assert raised.value.next_step
    half = "端口是" in str(reply)
    assert (raised.value.partial.content if raised.value.partial else None) == ("端口是" if half else None)


def test_a_server_that_is_down_is_named_with_its_address(ask) -> None:  # type: ignore[no-untyped-def]
    url = nobody_there()
    with pytest.raises(ModelDown, match=url):
        ask(chat_with(url))


def test_an_empty_reply_is_asked_for_once_more(ask) -> None:  # type: ignore[no-untyped-def]
    with WireServer([EMPTY, Say("18443")]) as wire:
        assert ask(chat_with(wire.url)).content == "18443"
    assert wire.chats[0] == wire.chats[1]


def test_a_reply_cut_by_length_is_kept_and_says_so(ask) -> None:  # type: ignore[no-untyped-def]
    with WireServer([Say("端口是", done_reason="length")]) as wire:
        reply = ask(chat_with(wire.url))
    assert (reply.content, reply.response_metadata["done_reason"]) == ("端口是", "length")


def test_thoughts_are_no_part_of_a_reply(ask) -> None:  # type: ignore[no-untyped-def]
    with WireServer([Say("<think>用户问端口。</think>\n\n18443", pieces=9)]) as wire:
        assert ask(chat_with(wire.url)).content == "18443"


def test_one_call_at_a_time_reaches_a_server() -> None:
    with WireServer(default=Say("好", pause=0.05)) as wire:
        chats = [chat_with(wire.url) for _ in range(4)]
        threads = [threading.Thread(target=chat.reply, args=(PROMPT,), kwargs={"num_predict": 5}) for chat in chats]
        for thread in threads:
            thread.start()
        asyncio.run(ask_async(chats[0]))
        for thread in threads:
            thread.join()
    assert len(wire.chats) == 5
    assert wire.most_at_once == 1


def test_each_agent_keeps_to_its_own_number_of_calls_at_a_time_and_counts_the_calls_of_all() -> None:
    with WireServer(default=Say("好", pieces=1, pause=0.5)) as wire:
        one, three = (chat_with(wire.url, timeout=20, concurrency=places) for places in (1, 3))

        def calls(*chats: ModelChat) -> int:
            wire.most_at_once = 0
            with ThreadPoolExecutor(len(chats)) as pool:
                list(pool.map(lambda chat: chat.reply(PROMPT, num_predict=5), chats))
            return wire.most_at_once

        assert calls(three, three, three, three, three) == 3
        assert calls(one, one, one) == 1


def test_cancelling_a_call_closes_its_connection_and_frees_the_server() -> None:
    async def cancelled(chat: ModelChat) -> float:
        task = asyncio.create_task(ask_async(chat))
        await asyncio.to_thread(wire.wait_for_chats, 1)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - began

    with WireServer([Say("一二三四五六七八九十" * 20, pieces=100, pause=0.05), Say("好")]) as wire:
        chat = chat_with(wire.url, timeout=30)
        assert asyncio.run(cancelled(chat)) < 1
        assert chat.reply(PROMPT, num_predict=5).content == "好"


def test_a_model_without_tools_and_limits_answers_and_says_what_it_lacks() -> None:
    chat = ModelChat(FakeListChatModel(responses=["one", "two"]), tools=[look_up], num_ctx=8192)
    assert [chat.reply(PROMPT, num_predict=5).content for _ in range(2)] == ["one", "two"]
    assert chat.tools == ()
    assert len(chat.degradations) == 2


SCHEMA = {"type": "object", "properties": {"keep": {"type": "boolean"}}, "required": ["keep"]}


def assistant_at(url: str, *, shared: bool) -> ModelAssistant:
    model = ollama_chat(ModelSettings(base_url=url, timeout=2))
    return ModelAssistant(model, num_ctx=8192, shares_prefix=shared, tools=[look_up])


def test_an_internal_call_is_bounded_has_a_schema_and_never_another_num_ctx() -> None:
    with WireServer([Say('<think>x</think>{"keep": true}')]) as wire:
        text = assistant_at(wire.url, shared=False).complete(PROMPT, purpose="veto", num_predict=20, schema=SCHEMA)
    assert json.loads(text) == {"keep": True}
    (sent,) = wire.chats
    assert sent["format"] == SCHEMA
    assert sent["options"] == {"num_ctx": 8192, "num_predict": 20, "temperature": 0.0}
    assert not sent.get("tools")


def test_an_internal_call_that_shares_the_prefix_sends_the_chats_tools() -> None:
    with WireServer([Say("x")] * 2) as wire:
        assistant_at(wire.url, shared=True).complete(PROMPT, purpose="summary", num_predict=20)
        chat_with(wire.url, tools=True).reply(PROMPT, num_predict=20)
    internal, chat = wire.chats
    assert (internal["tools"], internal["messages"]) == (chat["tools"], chat["messages"])


@pytest.mark.parametrize("reply", [Call("look_up", {"key": "a"}), Say('{"keep": tr', done_reason="length")])
def test_an_internal_reply_that_is_no_answer_is_a_named_error(reply: Reply) -> None:
    with WireServer([reply]) as wire, pytest.raises(InternalModelError):
        assistant_at(wire.url, shared=True).complete(PROMPT, purpose="summary", num_predict=20)


class Broken(FakeListChatModel):
    """A model of the caller's own with an error of its own."""

    def _call(self, messages: Sequence[BaseMessage], *args: object, **kwargs: object) -> str:
        raise KeyError("no such thing")

    def _stream(self, *args: object, **kwargs: object):  # type: ignore[no-untyped-def]
        raise KeyError("no such thing")


def test_whatever_a_callers_model_raises_is_in_the_family() -> None:
    with pytest.raises(ModelRefused, match="KeyError"):
        ModelChat(Broken(responses=[""])).reply(PROMPT, num_predict=5)
