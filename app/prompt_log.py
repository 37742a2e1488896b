"""Every prompt that leaves for a model, layer by layer, in a file of JSON lines that only its owner can read."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from filelock import FileLock
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.config import get_config

from ninefold.adapters.checkpoints.lineage import AT, TURN
from ninefold.nodes.ports import Assistant, Chat, Schema
from ninefold.policies.neutralise import anchors
from ninefold.policies.secrets import masked
from ninefold.policies.text import plain_text
from ninefold.state import Language, StorageError

FILE = "prompts.jsonl"
OLDER = "prompts.1.jsonl"
LARGEST = 16 * 2**20
"""Bytes of a log file; a fuller one takes the place of the older one."""

_LAYERS = {anchor: name for each in Language for name, anchor in anchors(each)._asdict().items()}
_ANCHOR = re.compile(rf"^({'|'.join(map(re.escape, _LAYERS))})$", re.MULTILINE)
"""No text of a person, a tool or a memory can imitate an anchor in a rendered prompt."""


class PromptLog:
    """Appends to the log; several processes may share it.

    Args:
        folder: where the file is.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._lock = FileLock(folder / f"{FILE}.lock", mode=0o600)

    def write(self, purpose: str, prompt: Sequence[BaseMessage], tools: Sequence[Schema], num_predict: int) -> None:
        """Append one line for a prompt; keys, passwords and card numbers are masked in it.

        Raises:
            StorageError: the file cannot be written. Nothing was sent then.
        """
        line = json.dumps(_entry(purpose, prompt, tools, num_predict), ensure_ascii=False)
        try:
            with self._lock:
                if self._file.exists() and self._file.stat().st_size > LARGEST:
                    self._file.replace(self._file.with_name(OLDER))
                with open(os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as file:
                    file.write(line.encode("utf-8", "surrogatepass") + b"\n")
        except OSError as error:
            raise self._unwritable(error) from error

    def forget(self, holds: Callable[[str], bool]) -> int:
        """Take out every logged prompt with words that are to be forgotten, and give how many there were.

        Args:
            holds: whether a text holds the words.

        Raises:
            StorageError: a file cannot be written anew; it is as it was then.
        """
        try:
            with self._lock:
                return sum(_without(self._file.with_name(name), holds) for name in (FILE, OLDER))
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> StorageError:
        return StorageError(
            f"The prompt log {self._file} cannot be written: {error.strerror or error}.",
            "Make room or mend its permissions, or set `prompt_log: false`.",
        )


class LoggedChat:
    """Answers as another chat does, and logs each prompt before it leaves."""

    def __init__(self, chat: Chat, log: PromptLog) -> None:
        self._chat, self._log = chat, log

    @property
    def tools(self) -> Sequence[Schema]:
        """The tools that are bound, as the server is sent them."""
        return self._chat.tools

    def reply(self, prompt: Sequence[BaseMessage], *, num_predict: int) -> AIMessage:
        """Give the model's reply to a prompt."""
        self._log.write("reply", prompt, self.tools, num_predict)
        return self._chat.reply(prompt, num_predict=num_predict)

    async def areply(self, prompt: Sequence[BaseMessage], *, num_predict: int) -> AIMessage:
        """Give the model's reply to a prompt, cancellable at once."""
        await asyncio.to_thread(self._log.write, "reply", prompt, self.tools, num_predict)
        return await self._chat.areply(prompt, num_predict=num_predict)


class LoggedAssistant:
    """Completes as another assistant does, and logs each prompt before it leaves."""

    def __init__(self, assistant: Assistant, log: PromptLog, tools: Sequence[Schema]) -> None:
        self._assistant, self._log = assistant, log
        self._tools = tools if assistant.shares_prefix else ()

    @property
    def shares_prefix(self) -> bool:
        """True when a call must be a tail of the chat's last prompt."""
        return self._assistant.shares_prefix

    @property
    def num_ctx(self) -> int:
        """The tokens of one call, prompt and reply together."""
        return self._assistant.num_ctx

    def complete(
        self, prompt: Sequence[BaseMessage], *, purpose: str, num_predict: int, schema: Schema | None = None
    ) -> str:
        """Give the text of an internal completion."""
        self._log.write(purpose, prompt, self._tools, num_predict)
        return self._assistant.complete(prompt, purpose=purpose, num_predict=num_predict, schema=schema)


def _without(file: Path, holds: Callable[[str], bool]) -> int:
    """Write a log anew without the lines that hold the words; the file is replaced whole or not at all."""
    if not file.exists():
        return 0
    # Not splitlines: a person's text may hold a line separator of its own.
    lines = file.read_text(encoding="utf-8", errors="surrogatepass").removesuffix("\n").split("\n")
    kept = [line for line in lines if not any(holds(text) for text in _texts(json.loads(line)))]
    if len(kept) == len(lines):
        return 0
    new = file.with_name(f"{file.name}.new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        out.write("".join(f"{line}\n" for line in kept).encode("utf-8", "surrogatepass"))
    new.replace(file)
    return len(lines) - len(kept)


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from (text for item in cast("dict[str, Any]", value).values() for text in _texts(item))
        case list():
            yield from (text for item in value for text in _texts(item))
        case _:
            pass


def _entry(
    purpose: str, prompt: Sequence[BaseMessage], tools: Sequence[Schema], num_predict: int
) -> Mapping[str, object]:
    where = get_config()
    metadata = where.get("metadata") or {}
    return {
        "thread": (where.get("configurable") or {}).get("thread_id"),
        "turn": metadata.get(TURN),
        "at": metadata.get(AT),
        "purpose": purpose,
        "num_predict": num_predict,
        "tools": [*tools],
        "messages": [_message(message) for message in prompt],
    }


def _message(message: BaseMessage) -> Mapping[str, Any]:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    sent: dict[str, Any] = {"role": message.type, "layers": [*_layers(message)]}
    if calls:
        sent["calls"] = [{"name": call["name"], "args": _masked(call["args"])} for call in calls]
    return sent


def _layers(message: BaseMessage) -> Iterator[Mapping[str, str]]:
    """Give a message's text in its layers; joined they are the text that was sent, but for what is masked."""
    text = plain_text(message)
    starts = [found.start() for found in _ANCHOR.finditer(text)]
    first = "fixed" if message.type == "system" else "message"
    for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
        part = text[start:end]
        if part:
            name = _LAYERS.get(part.split("\n", 1)[0], first)
            yield {"layer": name, "text": masked(part)}


def _masked(value: Any) -> Any:
    match value:
        case str():
            return masked(value)
        case dict():
            return {key: _masked(item) for key, item in cast("dict[str, Any]", value).items()}
        case list():
            return [_masked(item) for item in value]
        case _:
            return value
