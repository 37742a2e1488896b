"""What the model reads: the template's text, and Go's JSON in it."""

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ninefold.adapters.tokens import render
from ninefold.adapters.tokens.go_json import go_json
from ninefold.state.errors import InputError
from tests.tokens.cases import FOUR


def test_a_turn_with_a_tool_is_rendered_as_the_published_template_says() -> None:
    messages: list[BaseMessage] = [
        SystemMessage("Be brief."),
        HumanMessage("Where is A1?"),
        AIMessage("", tool_calls=[{"name": "lookup_order", "args": {"order_id": "<A1>", "a": 1.0}, "id": "c"}]),
        ToolMessage("sent", tool_call_id="c"),
    ]

    assert (
        render(messages, FOUR[:1]) == """<|im_start|>system
Be brief.

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{"type": "function", "function": {"name":"lookup_order","description":"Look up one order by its id.","parameters":"""
        """{"type":"object","required":["order_id"],"properties":{"order_id":{"type":"string","description":""},"""
        """"with_history":{"type":"boolean","description":""}}}}}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
<|im_start|>user
Where is A1?<|im_end|>
<|im_start|>assistant
<tool_call>
{"name": "lookup_order", "arguments": {"a":1,"order_id":"\\u003cA1\\u003e"}}
</tool_call><|im_end|>
<|im_start|>user
<tool_response>
sent
</tool_response><|im_end|>
<|im_start|>assistant
"""
    )


def test_later_system_messages_are_hoisted_and_neighbours_merged() -> None:
    messages = [SystemMessage("A"), HumanMessage("1"), HumanMessage("2"), AIMessage("3"), SystemMessage("B")]

    assert render(messages) == (
        "<|im_start|>system\nA\n\nB<|im_end|>\n<|im_start|>user\n1\n\n2<|im_end|>\n"
        "<|im_start|>assistant\n3<|im_end|>\n<|im_start|>assistant\n"
    )


def test_text_beside_a_call_hides_the_call() -> None:
    both = AIMessage("Looking.", tool_calls=[{"name": "lookup_order", "args": {}, "id": "c"}])

    assert "lookup_order" not in render([HumanMessage("?"), both, ToolMessage("x", tool_call_id="c")])


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1.0, "1"),
        (-0.0, "-0"),
        (0.1, "0.1"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1e-6, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (12345678901234567890, "12345678901234567000"),
        (10**400, str(10**400)),
        (True, "true"),
        (None, "null"),
        ({"b": 1, "a": [], "中": {}}, '{"a":[],"b":1,"中":{}}'),
        ("<&>\u2028\n\x01\x7f", '"\\u003c\\u0026\\u003e\\u2028\\n\\u0001\x7f"'),
    ],
)
def test_json_is_written_as_go_writes_it(value: object, written: str) -> None:
    assert go_json(value) == written


def test_a_message_that_the_wire_does_not_know_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="BaseMessage cannot be sent"):
        render([BaseMessage(content="x", type="odd")])
