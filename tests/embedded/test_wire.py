"""How llama.cpp's event stream becomes messages, and bare JSON a tool call."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage

from ninefold.adapters.embedded.wire import ReplyReader, openai_messages, response_format
from ninefold.state import InputError, ModelContextExceeded, ModelCutOff, ModelRefused

CALL = '{"name": "get_weather", "arguments": {"city": "北京"}}'
USAGE = {
    "choices": [],
    "id": "chatcmpl-1",
    "usage": {
        "prompt_tokens": 20,
        "completion_tokens": 4,
        "total_tokens": 24,
        "prompt_tokens_details": {"cached_tokens": 15},
    },
    "timings": {"cache_n": 15, "prompt_n": 5, "prompt_ms": 12.5, "predicted_ms": 40.0},
}


def line(event: dict[str, Any]) -> str:
    return "data: " + json.dumps(event)


def lines_of(pieces: list[str], finish: str = "stop") -> list[str]:
    deltas = [line({"choices": [{"finish_reason": None, "delta": {"content": piece}}]}) for piece in pieces]
    end = line({"choices": [{"finish_reason": finish, "delta": {}}]})
    return [*deltas, end, line(USAGE), "data: [DONE]"]


def read(lines: list[str], tools: tuple[str, ...] = ()) -> tuple[list[AIMessageChunk], AIMessageChunk]:
    reader = ReplyReader("model", tools)
    chunks = [chunk for one in lines for chunk in reader.feed(one)]
    reader.check_finished()
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    return chunks, whole


def split(text: str, cuts: list[int]) -> list[str]:
    places = sorted({cut % (len(text) + 1) for cut in cuts} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(places) if start < end]


CUTS = st.lists(st.integers(0, 500), max_size=12)


@given(st.text(min_size=1), CUTS)
def test_the_text_shown_is_the_text_written_wherever_it_is_cut(text: str, cuts: list[int]) -> None:
    for tools in ((), ("get_weather",)):
        _, whole = read(lines_of(split(text, cuts)), tools)
        assert whole.content == text
        assert not whole.tool_calls


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"  {CALL}\n",
        f"```json\n{CALL}\n```",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tools>\n{CALL}\n</tools>",
        f"[{CALL}]",
        f"{CALL}\n{CALL}",
    ],
)
@given(cuts=CUTS)
def test_a_bare_call_is_a_call_and_never_shown_as_text(text: str, cuts: list[int]) -> None:
    chunks, whole = read(lines_of(split(text, cuts)), ("get_weather",))
    assert [chunk.content for chunk in chunks if chunk.content] == []
    assert [(call["name"], call["args"]) for call in whole.tool_calls] == [("get_weather", {"city": "北京"})]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "delete_all", "arguments": {}}',
        '{"name": "get_weather"}',
        '{"name": "get_weather", "arguments": "北京"}',
        f"Here it is: {CALL}",
        f"{CALL} and more",
        CALL[:-1],
        "[]",
        '{"name": ["get_weather"], "arguments": {}}',
    ],
)
def test_anything_else_stays_text(text: str) -> None:
    _, whole = read(lines_of([text]), ("get_weather",))
    assert whole.content == text
    assert whole.tool_calls == []


def test_without_tools_on_offer_json_is_just_text() -> None:
    chunks, whole = read(lines_of([CALL[:10], CALL[10:]]))
    assert len(chunks) == 3
    assert whole.content == CALL


@pytest.mark.parametrize("begin", ["The", "```python\n", "[1]", '{"city"', "- a"])
def test_ordinary_text_is_not_held_back_when_tools_are_offered(begin: str) -> None:
    chunks, _ = read(lines_of([begin, " weather"]), ("get_weather",))
    assert [chunk.content for chunk in chunks] == [begin, " weather", ""]


def test_the_models_own_calls_pass_through() -> None:
    begin = {"index": 0, "id": "call-1", "type": "function", "function": {"name": "get_weather", "arguments": ""}}
    events = [
        line({"choices": [{"finish_reason": None, "delta": {"tool_calls": [begin]}}]}),
        line({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": '{"city":'}}]}}]}),
        line({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": '"Oslo"}'}}]}}]}),
        *lines_of([], finish="tool_calls"),
    ]
    _, whole = read(events, ("get_weather",))
    assert whole.tool_calls == [{"name": "get_weather", "args": {"city": "Oslo"}, "id": "call-1", "type": "tool_call"}]
    assert whole.response_metadata["done_reason"] == "stop"


def test_usage_and_times_come_with_the_last_piece() -> None:
    _, whole = read(lines_of(["Hi"], finish="length"))
    assert whole.usage_metadata == {
        "input_tokens": 20,
        "output_tokens": 4,
        "total_tokens": 24,
        "input_token_details": {"cache_read": 15},
    }
    metadata = whole.response_metadata
    assert (metadata["done_reason"], metadata["prompt_ms"], metadata["predicted_ms"]) == ("length", 12.5, 40.0)


@given(st.integers(0, 3))
def test_a_stream_without_its_end_is_cut_off(kept: int) -> None:
    reader = ReplyReader("model")
    for one in lines_of(["a", "b"])[:kept]:
        reader.feed(one)
    with pytest.raises(ModelCutOff):
        reader.check_finished()


def test_an_error_in_the_stream_is_raised_by_its_name() -> None:
    too_long = {"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 9030, "n_ctx": 8192, "message": "m"}}
    with pytest.raises(ModelContextExceeded, match="9030"):
        ReplyReader("model").feed(line(too_long))
    with pytest.raises(ModelRefused, match="boom"):
        ReplyReader("model").feed('error: {"error": {"type": "server_error", "message": "boom"}}')


@pytest.mark.parametrize("nothing", ["", ": ping", "event: x", "data: ", "retry: 5"])
def test_lines_without_data_say_nothing(nothing: str) -> None:
    assert ReplyReader("model").feed(nothing) == []


def test_calls_and_results_go_out_as_the_template_expects_them() -> None:
    call = {"name": "get_weather", "args": {"city": "北京"}, "id": "c1", "type": "tool_call"}
    sent = openai_messages(
        [HumanMessage("?"), AIMessage("text", tool_calls=[call]), ToolMessage("晴", tool_call_id="c1")]
    )
    assert [message["role"] for message in sent] == ["user", "assistant", "tool"]
    assert json.loads(sent[1]["tool_calls"][0]["function"]["arguments"]) == {"city": "北京"}
    assert sent[2] == {"role": "tool", "content": "晴", "tool_call_id": "c1"}


def test_an_unknown_format_is_refused() -> None:
    assert response_format(None) is None
    assert response_format("json") == {"type": "json_object"}
    with pytest.raises(InputError, match="yaml"):
        response_format("yaml")
