"""The prompt that Ollama makes of LangChain messages with qwen2.5's published template, byte for byte.

Three hands work on a message before the model reads it, and each is repeated here: ChatOllama (content blocks to text),
Ollama's `collate` (system messages to the top, neighbours of one role merged) and the template itself (tools as Go's
JSON, an AI message's calls dropped where it also has text). Checked against `prompt_eval_count` of a real server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, HumanMessage, SystemMessage, ToolMessage

from ninefold.state.errors import InputError

from .go_json import go_json, object_json

QWEN_SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
"""What the published model says when a prompt brings no system message."""

PRIMER = "<|im_start|>assistant\n"

_TOOLS_HEAD = """

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>"""

_TOOLS_TAIL = """
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>"""

Tools = Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class Sent:
    """A message as it stands on the wire."""

    role: str
    content: str
    calls: tuple[tuple[str, Mapping[str, object]], ...] = ()


def render(messages: Sequence[BaseMessage], tools: Tools = (), *, default_system: str = "") -> str:
    """The whole prompt text, reply primer included."""
    return "".join(segments(messages, tools, default_system=default_system))


def segments(messages: Sequence[BaseMessage], tools: Tools = (), *, default_system: str = "") -> list[str]:
    """The prompt in pieces, each from one `<|im_start|>` to the next, so that token counts of the pieces add up."""
    wire = [sent(message) for message in messages]
    if default_system and (not wire or wire[0].role != "system"):
        wire.insert(0, Sent("system", default_system))
    system = "\n\n".join(message.content for message in wire if message.role == "system")
    head = system_segment(system, tools)
    turns = [segment(message) for message in collated(wire)]
    if wire and wire[-1].role == "assistant":
        # The template leaves a last AI message open, for the model to go on writing it.
        turns[-1] = turns[-1].removesuffix("<|im_end|>\n")
    else:
        turns.append(PRIMER)
    return [piece for piece in [head, *turns] if piece]


def collated(wire: Iterable[Sent]) -> list[Sent]:
    """Neighbours of one role as the one message that the server makes of them: texts joined, the first one's calls kept."""
    merged: list[Sent] = []
    for role, group in groupby(wire, key=lambda message: message.role):
        same = list(group)
        merged.append(Sent(role, "\n\n".join(message.content for message in same), same[0].calls))
    return merged


def system_segment(system: str, tools: Tools = ()) -> str:
    """The system block: the text, then the tools; nothing where there is neither."""
    if not system and not tools:
        return ""
    text = f"\n{system}" if system else ""
    return f"<|im_start|>system{text}{tools_block(tools)}<|im_end|>\n"


def tools_block(tools: Tools) -> str:
    """What bound tools add to the system block."""
    if not tools:
        return ""
    lines = [f'\n{{"type": "function", "function": {function_json(tool)}}}' for tool in tools]
    return _TOOLS_HEAD + "".join(lines) + _TOOLS_TAIL


def segment(message: Sent) -> str:
    """One message as the template writes it; a system message gives nothing, it stands in the system block."""
    match message.role:
        case "user":
            return f"<|im_start|>user\n{message.content}<|im_end|>\n"
        case "assistant":
            return f"<|im_start|>assistant\n{message.content or _calls(message)}<|im_end|>\n"
        case "tool":
            return f"<|im_start|>user\n<tool_response>\n{message.content}\n</tool_response><|im_end|>\n"
        case _:
            return ""


def _calls(message: Sent) -> str:
    if not message.calls:
        return ""
    lines = [f'{{"name": "{name}", "arguments": {go_json(arguments)}}}\n' for name, arguments in message.calls]
    return "<tool_call>\n" + "".join(lines) + "</tool_call>"


def function_json(tool: Mapping[str, object]) -> str:
    """A tool's function as Ollama's own type holds it: its fields in its order, every other key of the schema dropped."""
    function = _mapping(tool.get("function"))
    parameters = _mapping(function.get("parameters"))
    properties = {name: _property(_mapping(schema)) for name, schema in _mapping(parameters.get("properties")).items()}
    rendered = ",".join(f"{go_json(name)}:{properties[name]}" for name in sorted(properties))
    shape = "{" + rendered + "}" if "properties" in parameters else "null"
    head = f'"type":{go_json(parameters.get("type", "object"))},"required":{go_json(parameters.get("required"))}'
    name, description = go_json(function.get("name") or ""), go_json(function.get("description") or "")
    return f'{{"name":{name},"description":{description},"parameters":{{{head},"properties":{shape}}}}}'


def _property(schema: Mapping[str, object]) -> str:
    fields: list[tuple[str, object]] = [
        ("type", schema.get("type") or ""),
        ("description", schema.get("description") or ""),
    ]
    if schema.get("enum"):
        fields.append(("enum", schema["enum"]))
    return object_json(fields)


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def sent(message: BaseMessage) -> Sent:
    """The message as ChatOllama puts it on the wire."""
    match message:
        case HumanMessage():
            return Sent("user", text_of(message))
        case AIMessage():
            calls = tuple((call["name"], cast("Mapping[str, object]", call["args"])) for call in message.tool_calls)
            return Sent("assistant", text_of(message), calls)
        case SystemMessage():
            return Sent("system", text_of(message))
        case ToolMessage():
            return Sent("tool", text_of(message))
        case ChatMessage():
            return Sent(message.role, text_of(message))
        case _:
            raise InputError(
                f"A {type(message).__name__} cannot be sent to a chat model.",
                "Send human, AI, system or tool messages.",
            )


def text_of(message: BaseMessage) -> str:
    """The text in a message's content: blocks each begin a new line, as ChatOllama joins them; images count nothing."""
    if isinstance(message.content, str):
        return message.content
    lines: list[str] = []
    for block in message.content:
        if isinstance(block, str):
            lines.append(f"\n{block}")
        elif block.get("type") == "text":
            lines.append(f"\n{block['text']}")
        elif block.get("type") == "non_standard":
            lines.append(f"\n{block.get('value', '')}")
    return "".join(lines)
