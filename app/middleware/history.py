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
    closed: list[BaseMessage] = []
    for group in _groups(_paired(named)):
        closed += close_open_calls(group, {message.id for message in group if message.id}, language)
    return closed


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
    """Give the messages, typed, without results that answer no call before them: no server takes such a prompt.

    LangChain makes the result of an unread call anew before each model call; it stands here under one id.
    """
    paired: list[BaseMessage] = []
    waiting: dict[str, str | None] = {}
    for message in messages:
        if isinstance(message, AIMessage):
            unread = {each.get("id") for each in message.invalid_tool_calls}
            typed = _typed(message)
            assert isinstance(typed, AIMessage)
            for call in typed.tool_calls:
                id_ = call["id"] or ""
                waiting[id_] = f"{message.id}-{id_}{MALFORMED}" if id_ in unread else None
            paired.append(typed)
        elif not isinstance(message, ToolMessage):
            paired.append(_typed(message))
        elif message.tool_call_id in waiting:
            lasting = waiting.pop(message.tool_call_id)
            paired.append(message.model_copy(update={"id": lasting}) if lasting else message)
    return paired


def _groups(messages: Sequence[BaseMessage]) -> list[list[BaseMessage]]:
    """Give the messages cut before each of the model's: a call is answered before the model speaks again."""
    groups: list[list[BaseMessage]] = [[]]
    for message in messages:
        if isinstance(message, AIMessage):
            groups.append([])
        groups[-1].append(message)
    return groups
