"""What the embedded chat model promises, tried on a real model."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool

from ninefold.adapters.embedded.chat import EmbeddedChat
from ninefold.adapters.embedded.wire import PromptProgress
from ninefold.state import (
    InputError,
    ModelContextExceeded,
    ModelCutOff,
    ModelMissing,
    ModelRefused,
    SettingsError,
)

LONG = "The harbour was quiet and the boats came in one after the other. " * 100
"""About 1,500 tokens: some twenty seconds of reading."""


def test_a_reply_arrives_in_pieces_and_its_last_piece_says_how_it_ended(smol: EmbeddedChat) -> None:
    pieces = list(smol.stream("Say hello to Ann."))
    whole = pieces[0]
    for piece in pieces[1:]:
        whole += piece
    assert len(pieces) > 3
    assert whole.content
    assert whole.response_metadata["done"] is True
    assert whole.response_metadata["done_reason"] in ("stop", "length")
    assert whole.response_metadata["prompt_ms"] > 0
    assert whole.response_metadata["predicted_ms"] > 0
    assert isinstance(whole, AIMessageChunk)
    assert whole.usage_metadata is not None
    assert whole.usage_metadata["output_tokens"] > 3


def test_a_reply_longer_than_num_predict_says_length(smol: EmbeddedChat) -> None:
    for reply in (
        smol.invoke("Count from one to one hundred.", num_predict=5),
        smol.invoke("Count from one to one hundred.", options={"num_predict": 5}),
    ):
        assert isinstance(reply, AIMessage)
        assert reply.response_metadata["done_reason"] == "length"
        assert reply.usage_metadata is not None
        assert reply.usage_metadata["output_tokens"] == 5


def test_a_stop_text_ends_the_reply_before_it(smol: EmbeddedChat) -> None:
    question = "Write exactly: one, two, three, four."
    free = str(smol.invoke(question).content)
    word = free.split()[2]
    assert str(smol.invoke(question, stop=[word]).content) == free.split(word)[0]


def test_the_next_turn_reads_only_what_is_new(smol: EmbeddedChat) -> None:
    first: list[BaseMessage] = [SystemMessage("You are brief."), HumanMessage(LONG[:1200] + "What was quiet?")]
    reply = smol.invoke(first)
    second = smol.invoke([*first, reply, HumanMessage("And what came in?")])
    assert isinstance(second, AIMessage)
    usage = second.usage_metadata
    assert usage is not None
    reused = usage.get("input_token_details", {}).get("cache_read", 0)
    assert reused >= smol.count_prompt(first) - 1
    assert usage["input_tokens"] - reused < 40


ROLES = {"user": HumanMessage, "assistant": AIMessage}


@settings(max_examples=8)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=40), min_size=1))
def test_our_count_is_the_number_of_tokens_the_model_reads(smol: EmbeddedChat, texts: list[str]) -> None:
    messages: list[BaseMessage] = [SystemMessage("规则: stay kind 😀")]
    for index, text in enumerate(texts[:6]):
        messages.append(AIMessage(text) if index % 2 else HumanMessage(text))
    reply = smol.invoke(messages, num_predict=1)
    assert isinstance(reply, AIMessage)
    assert reply.usage_metadata is not None
    assert smol.count_prompt(messages) == reply.usage_metadata["input_tokens"]


def test_a_schema_binds_the_reply(smol: EmbeddedChat) -> None:
    schema = {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "blue"]}, "count": {"type": "integer", "maximum": 9}},
        "required": ["colour", "count"],
        "additionalProperties": False,
    }
    value = json.loads(str(smol.invoke("Describe a bird.", format=schema, num_predict=60).content))
    assert value["colour"] in ("red", "blue")
    assert isinstance(value["count"], int)


def test_reading_is_reported_up_to_the_last_token(smol: EmbeddedChat) -> None:
    seen: list[PromptProgress] = []
    smol.invoke("Reported: " + LONG[:1800], num_predict=1, on_progress=seen.append)
    done = [report.done for report in seen]
    assert len(seen) > 3
    assert done == sorted(done)
    assert seen[-1].done == seen[-1].total


def test_a_closed_stream_stops_the_model_at_once(smol: EmbeddedChat) -> None:
    begun = time.monotonic()

    def stop(report: PromptProgress) -> None:
        if report.done > report.cached:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        smol.invoke("Closed: " + LONG, num_predict=500, on_progress=stop)
    stopped = time.monotonic()
    reply = smol.invoke("Hi.", num_predict=1)
    assert isinstance(reply, AIMessage)
    # Reading the long prompt to its end takes several times as long as what was read of it before the stop.
    assert time.monotonic() - stopped < 3 * (stopped - begun) + 2


async def test_a_cancelled_task_stops_the_model_and_returns_at_once(smol: EmbeddedChat) -> None:
    reading = asyncio.Event()
    loop = asyncio.get_running_loop()

    def report(_: PromptProgress) -> None:
        loop.call_soon(reading.set)

    task = asyncio.create_task(smol.ainvoke("Cancelled: " + LONG, num_predict=500, on_progress=report))
    await reading.wait()
    asked = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - asked < 0.5
    reply = await smol.ainvoke("Hi.", num_predict=1)
    assert isinstance(reply, AIMessage)
    assert time.monotonic() - asked < 8


def test_a_prompt_over_the_context_is_refused_by_name_with_both_numbers(smol: EmbeddedChat) -> None:
    with pytest.raises(ModelContextExceeded, match=r"2048"):
        smol.invoke(LONG * 3)


def test_an_empty_list_is_refused_before_the_call(smol: EmbeddedChat) -> None:
    with pytest.raises(InputError):
        smol.invoke([])


def test_a_call_cannot_change_the_context(smol: EmbeddedChat) -> None:
    assert smol.invoke("Hi.", num_ctx=2048, num_predict=1)
    with pytest.raises(SettingsError, match="4096"):
        smol.invoke("Hi.", num_ctx=4096)


def test_one_process_serves_all_models_of_the_same_file_and_context(smol: EmbeddedChat) -> None:
    smol.invoke("Hi.", num_predict=1)
    other = EmbeddedChat(model_path=smol.model_path, num_ctx=2048, temperature=1)
    assert other.server.pid == smol.server.pid is not None


def test_a_process_that_dies_in_the_middle_of_a_reply_cuts_it_off_and_is_started_anew(smol: EmbeddedChat) -> None:
    stream = smol.stream("Count from one to one hundred.", num_predict=400)
    next(stream)
    assert smol.server.pid is not None
    os.kill(smol.server.pid, signal.SIGKILL)
    with pytest.raises(ModelCutOff):
        list(stream)
    assert smol.invoke("Hi.", num_predict=1)


def test_a_missing_file_names_the_command_that_fetches_one(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="ninefold models pull"):
        EmbeddedChat(model_path=tmp_path / "none.gguf").invoke("Hi.")


@pytest.mark.parametrize("kept", [0, 4, 64, 20_000, 5_000_000])
def test_a_broken_model_file_is_refused_by_name(smol_path: Path, tmp_path: Path, kept: int) -> None:
    broken = tmp_path / "broken.gguf"
    with smol_path.open("rb") as whole:
        broken.write_bytes(whole.read(kept))
    with pytest.raises(ModelRefused, match=r"broken\.gguf"):
        EmbeddedChat(model_path=broken, num_ctx=512).invoke("Hi.")


def test_text_that_is_no_model_is_refused_by_name(tmp_path: Path) -> None:
    page = tmp_path / "page.gguf"
    page.write_text("<html>Please log in</html>")
    with pytest.raises(ModelRefused, match=r"page\.gguf"):
        EmbeddedChat(model_path=page).invoke("Hi.")


def test_an_answer_without_tools_in_the_template_is_still_an_answer(smol: EmbeddedChat) -> None:
    @tool
    def weather(city: str) -> str:
        """Weather of a city."""
        return city

    reply = smol.bind_tools([weather]).invoke("What is the weather in Oslo?")
    assert reply.content or reply.tool_calls
