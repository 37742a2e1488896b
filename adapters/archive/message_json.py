"""A message as plain JSON and back."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import (
    BaseMessage,
    BaseMessageChunk,
    message_chunk_to_message,
    messages_from_dict,
)
from pydantic_core import PydanticSerializationError


def to_json(message: BaseMessage) -> dict[str, Any]:
    """Give a message as JSON data. Law: `from_json(to_json(m)) == m`, lone surrogates aside, which become U+FFFD."""
    whole = message_chunk_to_message(message) if isinstance(message, BaseMessageChunk) else message
    try:
        data = whole.model_dump(mode="json")
    except PydanticSerializationError:
        data = whole.model_dump()
    return {"type": whole.type, "data": _storable(data)}


def from_json(stored: dict[str, Any]) -> BaseMessage:
    """Give the message that JSON data describe."""
    return messages_from_dict([stored])[0]


def _storable(value: Any) -> Any:
    """Give the value with text that every UTF-8 store takes."""
    match value:
        case str():
            return value if value.isascii() else value.encode("utf-8", "replace").decode() if _broken(value) else value
        case dict():
            return {_storable(key): _storable(item) for key, item in value.items()}
        case list() | tuple():
            return [_storable(item) for item in value]
        case _:
            return value


def _broken(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)
