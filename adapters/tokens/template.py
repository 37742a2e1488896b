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

from .go_json import go_json
from .tool_block import PUBLISHED, Dialect, Tools, tools_block

QWEN_SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
"""What the published model says when a prompt brings no system message."""

PRIMER = "<|im_start|>assistant\n"


@dataclass(frozen=True)
class Sent:
    """A message as it stands on the wire."""

    role: str
    content: str
    calls: tuple[tuple[str, Mapping[str, object]], ...] = ()


def render(
    messages: Sequence[BaseMessage], tools: Tools = (), *, default_system: str = "", dialect: Dialect = PUBLISHED
) -> str:
    """The whole prompt text, reply primer included; `default_system` stands in where no system message is first."""
    return "".join(segments(messages, tools, default_system=default_system, dialect=dialect))


def segments(
    messages: Sequence[BaseMessage], tools: Tools = (), *, default_system: str = "", dialect: Dialect = PUBLISHED
) -> list[str]:
    """The prompt in pieces, each from one `<|im_start|>` to the next, so that token counts of the pieces add up."""
    wire = [sent(message) for message in messages]
    if default_system and (not wire or wire[0].role != "system"):
        wire.insert(0, Sent("system", default_system))
    system = "\n\n".join(message.content for message in wire if message.role == "system")
    head = system_segment(system, tools, dialect)
    turns = [segment(message) for message in collated(wire, dialect) if message.role != "system"]
    if wire and wire[-1].role == "assistant":
        # The template leaves a last AI message open, for the model to go on writing it.
        turns[-1] = turns[-1].removesuffix("<|im_end|>\n")
    else:
        turns.append(PRIMER)
    return [piece for piece in [head, *turns] if piece]


def collated(wire: Iterable[Sent], dialect: Dialect = PUBLISHED) -> list[Sent]:
    """Neighbours of one role as the server joins them: one message, all their texts, the first one's calls."""
    merged: list[Sent] = []
    for role, group in groupby(wire, key=lambda message: message.role):
        same = list(group)
        if role == "tool" and dialect.modern_server:
            merged.extend(same)
            continue
        merged.append(Sent(role, "\n\n".join(message.content for message in same), same[0].calls))
    return merged


def system_segment(system: str, tools: Tools = (), dialect: Dialect = PUBLISHED) -> str:
    """The system block: the text, then the tools; nothing where there is neither."""
    if not system and not tools:
        return ""
    text = f"\n{system}" if system else ""
    return f"<|im_start|>system{text}{tools_block(tools, dialect)}<|im_end|>\n"


def segment(message: Sent) -> str:
    """One message as the template writes it, a system message as if it were the only one."""
    match message.role:
        case "system":
            return f"<|im_start|>system\n{message.content}<|im_end|>\n"
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
