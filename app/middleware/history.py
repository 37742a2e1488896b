"""An agent's messages as a history that a window can be made of: whole groups of calls, each message in its turn."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import ToolCall, tool_call

from ninefold.graph.intake import as_data, check_content
from ninefold.nodes.turn_start import close_open_calls
from ninefold.state import Language

MALFORMED = "-malformed"
"""The end of the id of a result that says that its call could not be read."""
WRITTEN_BY = "lc_source"
"""The key in additional_kwargs under which LangChain's middleware signs a HumanMessage of its own."""


def history_of(messages: Sequence[BaseMessage], language: Language) -> list[BaseMessage]:
    """Give the agent's messages as a window takes them; the agent's own are left as they are.

    Laws: every call has its result behind it and every result its call, and the ids are the same each time. Only a
    person's HumanMessage stays one that rules are heard in: what a system or another middleware put there is data.

    Raises:
        InputError: a person's message holds more than text.
    """
    named: list[BaseMessage] = []
    for message in messages:
        check_content(message)
        before = named[-1].id if named else "first"
        named.append(message if message.id else message.model_copy(update={"id": f"{before}-{len(named)}"}))
    paired = _paired([_typed(message) for message in named])
    return close_open_calls(paired, {message.id for message in paired if message.id}, language)


def turns_of(history: Sequence[BaseMessage]) -> list[str]:
    """Give for each message the id of its turn: that of the first message that the person said in a row."""
    turns: list[str] = []
    before: BaseMessage | None = None
    for message in history:
        begins = not turns or (isinstance(message, HumanMessage) and not isinstance(before, HumanMessage))
        turns.append((message.id or "") if begins else turns[-1])
        before = message
    return turns


def sequence_of(message: str) -> int:
    """Give a message's number in its turn, made of its id: it stays when messages before it are removed."""
    return int.from_bytes(hashlib.sha256(message.encode("utf-8", "surrogatepass")).digest()[:6], "big")


def _typed(message: BaseMessage) -> BaseMessage:
    if isinstance(message, HumanMessage) and message.additional_kwargs.get(WRITTEN_BY):
        return as_data(SystemMessage(message.content, id=message.id, additional_kwargs=message.additional_kwargs))
    if isinstance(message, AIMessage) and message.invalid_tool_calls:
        # What could not be read is sent as a call without arguments, so that the result which says so has its call.
        unread: list[ToolCall] = [
            tool_call(name=each.get("name") or "unknown", args={}, id=each["id"])
            for each in message.invalid_tool_calls
            if each.get("id")
        ]
        return message.model_copy(update={"tool_calls": [*message.tool_calls, *unread], "invalid_tool_calls": []})
    return as_data(message)


def _paired(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Give the messages without results that answer no call before them: no model's server takes such a prompt."""
    paired: list[BaseMessage] = []
    waiting: dict[str, AIMessage] = {}
    for message in messages:
        if isinstance(message, AIMessage):
            waiting |= {call["id"] or "": message for call in message.tool_calls}
        if isinstance(message, ToolMessage):
            caller = waiting.pop(message.tool_call_id, None)
            if caller is None:
                continue
            paired.append(_in_place(message, caller))
            continue
        paired.append(message)
    return paired


def _in_place(result: ToolMessage, caller: AIMessage) -> ToolMessage:
    """Give a result that LangChain made for an unread call under an id that is the same each time it makes it."""
    unread = any(call["id"] == result.tool_call_id and not call["args"] for call in caller.tool_calls)
    made_up = unread and result.status == "error"
    return result.model_copy(update={"id": f"{result.tool_call_id}{MALFORMED}"}) if made_up else result
