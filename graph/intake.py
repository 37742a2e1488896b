"""What a caller's input becomes: the new messages of a turn, each with an id, or a named refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
    message_chunk_to_message,
)
from langchain_core.messages.base import BaseMessageChunk
from langgraph.types import Command

from ninefold.adapters.checkpoints import PlainSerde
from ninefold.policies.text import storable
from ninefold.state import InputError
from ninefold.state.turn_state import INPUT_ROLE

SUPPORTED = (
    'Give {"messages": [...]} whose last message is the user\'s: text, ("user", text),'
    ' {"role": "user", "content": text} or a HumanMessage, with text or blocks of type text.'
)


@dataclass(frozen=True)
class NewMessages:
    """Messages for a new turn, as the caller gave them, made LangChain's."""

    messages: tuple[BaseMessage, ...]


@dataclass(frozen=True)
class Answer:
    """An answer to what the turn waits for."""

    command: Command[Any]


@dataclass(frozen=True)
class GoOn:
    """No input: the unfinished turn goes on."""


Intake = NewMessages | Answer | GoOn


def taken_in(given: object, *, nested: bool = False) -> Intake:
    """Give what an input asks for; inside of a parent graph, whose state it then is, only its messages count.

    Raises:
        InputError: it is none of the supported forms; the message names them.
    """
    if nested and not isinstance(given, Command) and given is not None:
        raw = given.get("messages") if isinstance(given, Mapping) else getattr(given, "messages", None)
        given = {"messages": raw}
    match given:
        case None:
            return GoOn()
        case Command():
            if given.resume is None or given.update is not None or given.goto:
                raise InputError("A Command as input may only resume.", "Use update_state to change a thread's state.")
            return Answer(given)
        case Mapping():
            return NewMessages(_messages(cast("Mapping[str, Any]", given)))
        case _:
            raise InputError(f"The input is a {type(given).__name__}.", SUPPORTED)


def fresh_messages(given: Sequence[BaseMessage], window: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Give the messages that the window does not know yet, checked.

    A client may send its whole transcript each time. Then only what follows the last known message is new; a message is
    known by its id, or as the window's last reply by its text. When a transcript of another making holds replies that
    the window does not know, what follows its last reply is new. An empty window takes the whole transcript.

    Raises:
        InputError: nothing is new, or what is new is not the user's text.
    """
    if not isinstance(given[-1], HumanMessage):
        role = given[-1].type
        raise InputError(f"The input's last message is of the role {role!r}: nobody asks anything.", SUPPORTED)
    ids = {message.id for message in window}
    reply = next((m for m in reversed(window) if isinstance(m, AIMessage) and m.text), None)
    known = -1
    for place, message in enumerate(given):
        by_text = reply is not None and isinstance(message, AIMessage) and message.text == reply.text
        unknown_reply = bool(window) and isinstance(message, AIMessage) and message.id not in ids
        if (message.id is not None and message.id in ids) or by_text or unknown_reply:
            known = place
    new = [*given[known + 1 :]]
    if not new:
        raise InputError("The input holds no message that the thread does not know.", "Send a new message.")
    _check_new(new)
    return [as_data(message) for message in new]


def resends(given: Sequence[BaseMessage], window: Sequence[BaseMessage]) -> bool:
    """Whether the input's last message is one that the window knows by its id: the same call, sent again."""
    return bool(given) and given[-1].id is not None and given[-1].id in {message.id for message in window}


def with_ids(messages: Sequence[BaseMessage], turn: str) -> list[BaseMessage]:
    """Give the messages with ids: the caller's own, or the turn's id and the place, so that a repeat has the same."""
    return [
        message if message.id is not None else message.model_copy(update={"id": f"{turn}-{place}"})
        for place, message in enumerate(messages)
    ]


def said(message: BaseMessage) -> str:
    """Give a message's text without what no database keeps and without space around it."""
    return "".join(letter for letter in message.text if letter != "\0" and not "\ud800" <= letter <= "\udfff").strip()


def _messages(given: Mapping[str, Any]) -> tuple[BaseMessage, ...]:
    if unknown := [key for key in given if key != "messages"]:
        raise InputError(f"The input has the unknown key {unknown[0]!r}.", SUPPORTED)
    raw = given.get("messages")
    if isinstance(raw, str | BaseMessage | tuple | Mapping):
        raw = [raw]
    if not isinstance(raw, list) or not raw:
        raise InputError("The input holds no message.", SUPPORTED)
    try:
        made = convert_to_messages(cast("Any", raw))
    except (ValueError, TypeError, NotImplementedError, KeyError) as error:
        raise InputError(f"The input cannot be read as messages: {str(error).splitlines()[0]}.", SUPPORTED) from error
    whole = [message_chunk_to_message(m) if isinstance(m, BaseMessageChunk) else m for m in made]
    ids = [message.id for message in whole if message.id is not None]
    if len(ids) != len(set(ids)):
        raise InputError("Two messages of the input have the same id.", "Give each message an id of its own, or none.")
    for message in whole:
        check_content(message)
    try:
        PlainSerde().dumps_typed(whole)
    except (TypeError, ValueError) as error:
        raise InputError(f"The input holds what no checkpoint can keep: {error}.", SUPPORTED) from error
    return tuple(whole)


def check_content(message: BaseMessage) -> None:
    """Refuse a message that no window can hold.

    Raises:
        InputError: its id is none, or a person's message holds more than text.
    """
    if isinstance(message, RemoveMessage):
        raise InputError("A RemoveMessage is no input.", "Use update_state to change a thread's window.")
    if message.id is not None and not 0 < len(message.id) <= 256:
        raise InputError("A message's id has no or more than 256 characters.", "Give a shorter id, or none.")
    if message.id is not None and storable(message.id) != message.id:
        raise InputError(f"A message's id, {message.id!r}, holds a NUL or a lone surrogate.", "Give an id without it.")
    for block in message.content if isinstance(message.content, list) else ():
        kind = "text" if isinstance(block, str) else block.get("type", "without a type")
        if kind != "text" and isinstance(message, HumanMessage | SystemMessage):
            raise InputError(f"The input holds a block of type {kind!r}.", SUPPORTED)


def _check_new(new: Sequence[BaseMessage]) -> None:
    if not said(new[-1]):
        raise InputError("The message is empty.", "Say something: a message needs at least one character of text.")
    called = {call["id"] for m in new if isinstance(m, AIMessage) for call in m.tool_calls}
    answered = {m.tool_call_id for m in new if isinstance(m, ToolMessage)}
    if called != answered:
        raise InputError(
            "The input holds tool calls without results, or results without calls.",
            "Send only the user's messages; the agent keeps its own tool calls.",
        )


def as_data(message: BaseMessage) -> BaseMessage:
    """Give a message of another role than the user's or the assistant's as the user's data: it never becomes a rule."""
    if isinstance(message, HumanMessage | AIMessage | ToolMessage):
        return message
    role = {**message.additional_kwargs, INPUT_ROLE: message.type}
    return HumanMessage(content=message.content, id=message.id, name=message.name, additional_kwargs=role)
