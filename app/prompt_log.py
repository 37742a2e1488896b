"""Every prompt that leaves for a model, layer by layer, in a file of JSON lines for each thread, its owner's alone."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from filelock import FileLock
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.config import get_config

from ninefold.adapters.checkpoints.lineage import AT, TURN
from ninefold.nodes.ports import CancellableAssistant, Chat, Schema
from ninefold.policies.neutralise import anchors
from ninefold.policies.secrets import masked
from ninefold.policies.text import plain_text
from ninefold.state import Language, StorageError

FOLDER = "prompts"
LARGEST = 16 * 2**20
"""Bytes of a log file; a fuller one takes the place of the older one."""

_LAYERS = {anchor: name for each in Language for name, anchor in anchors(each)._asdict().items()}
_ANCHOR = re.compile(rf"^({'|'.join(map(re.escape, _LAYERS))})$", re.MULTILINE)
"""No text of a person, a tool or a memory can imitate an anchor in a rendered prompt."""


_ESCAPED = re.compile(r"""\\(?:(["\\/])|u[0-9a-f]{4}|.)""")


class PromptLog:
    """Appends to the log, one file for each thread; several processes may share it.

    Args:
        folder: the data folder; the log is a folder in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._lock = FileLock(self._folder / ".lock", mode=0o600)

    def file(self, thread: str) -> Path:
        """Give a thread's file: its name is readable, and no other thread's on any file system."""
        readable = re.sub(r"[^A-Za-z0-9]+", "-", thread).strip("-")[:40]
        digest = hashlib.sha256(thread.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return self._folder / f"{'-'.join(filter(None, (readable, digest)))}.jsonl"

    def write(self, purpose: str, prompt: Sequence[BaseMessage], tools: Sequence[Schema], num_predict: int) -> None:
        """Append one line for a prompt; keys, passwords and card numbers are masked in it.

        Raises:
            StorageError: the file cannot be written. Nothing was sent then.
        """
        entry = _entry(purpose, prompt, tools, num_predict)
        line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        file = self.file(str(entry["thread"]))
        with self._writing(file):
            if file.exists() and file.stat().st_size > LARGEST:
                file.replace(_older(file))
            with open(os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600), "a+b") as out:
                # A process that was killed may have left half a line: ours is one of its own.
                if out.seek(0, os.SEEK_END) and out.seek(-1, os.SEEK_END) >= 0 and out.read(1) != b"\n":
                    line = b"\n" + line
                out.write(line)

    def forget(self, thread: str, holds: Callable[[str], bool]) -> int:
        """Take out every logged prompt of a thread with words to be forgotten, and give how many there were.

        Args:
            thread: whose prompts; other threads' files are not looked at.
            holds: whether a text holds the words.

        Raises:
            StorageError: a file cannot be written anew; it is as it was then.
        """
        file = self.file(thread)
        if not self._folder.exists():
            return 0
        with self._writing(file):
            return sum(_without(each, holds) for each in (file, _older(file)))

    def delete(self, thread: str) -> None:
        """Delete a thread's log.

        Raises:
            StorageError: it cannot be deleted.
        """
        file = self.file(thread)
        if not self._folder.exists():
            return
        with self._writing(file):
            for each in (file, _older(file)):
                each.unlink(missing_ok=True)
                _new(each).unlink(missing_ok=True)

    def rename(self, thread: str, new: str) -> None:
        """Give a thread's log to another name; its lines still say under which they were sent.

        Raises:
            StorageError: it cannot be moved.
        """
        old, file = self.file(thread), self.file(new)
        if not self._folder.exists():
            return
        with self._writing(old):
            for source, target in ((_older(old), _older(file)), (old, file)):
                target.unlink(missing_ok=True)
                if source.exists():
                    source.replace(target)

    @contextmanager
    def _writing(self, file: Path) -> Iterator[None]:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._lock:
                yield
        except OSError as error:
            raise StorageError(
                f"The prompt log {file} cannot be written: {error.strerror or error}.",
                "Make room or mend its permissions, or set `prompt_log: false`.",
            ) from error


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

    def __init__(self, assistant: CancellableAssistant, log: PromptLog, tools: Sequence[Schema]) -> None:
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

    async def acomplete(
        self, prompt: Sequence[BaseMessage], *, purpose: str, num_predict: int, schema: Schema | None = None
    ) -> str:
        """Complete as `complete` does; cancelling the task ends the server's work."""
        await asyncio.to_thread(self._log.write, purpose, prompt, self._tools, num_predict)
        return await self._assistant.acomplete(prompt, purpose=purpose, num_predict=num_predict, schema=schema)


def _older(file: Path) -> Path:
    return file.with_name(f"{file.stem}.1.jsonl")


def _new(file: Path) -> Path:
    """Give where a log is written anew before it takes its place."""
    return file.with_name(f"{file.name}.new")


def _without(file: Path, holds: Callable[[str], bool]) -> int:
    """Write a log anew without the lines that hold the words; the file is replaced whole or not at all."""
    new = _new(file)
    new.unlink(missing_ok=True)
    if not file.exists():
        return 0
    # Not splitlines: a person's text may hold a line separator of its own.
    lines = file.read_bytes().removesuffix(b"\n").split(b"\n")
    kept = [line for line in lines if not any(map(holds, _texts(line)))]
    if len(kept) == len(lines):
        return 0
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        out.write(b"".join(line + b"\n" for line in kept))
    new.replace(file)
    return len(lines) - len(kept)


def _texts(line: bytes) -> Iterator[str]:
    """Give what was said in a logged prompt: its messages and the arguments of their calls.

    Of half a line, which a process left that was killed, it is all there is.
    """
    try:
        entry: Mapping[str, Any] = json.loads(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        yield _ESCAPED.sub(lambda found: found[1] or " ", line.decode("utf-8", "replace"))
        return
    for message in entry["messages"]:
        yield "".join(layer["text"] for layer in message["layers"])
        for call in message.get("calls", ()):
            yield from _strings(call["args"])


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, item in cast("dict[str, Any]", value).items():
                yield key
                yield from _strings(item)
        case list():
            yield from (text for item in value for text in _strings(item))
        case int() | float():
            yield str(value)
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
