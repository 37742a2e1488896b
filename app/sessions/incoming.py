"""An exported session's file, read and refused as a whole: by line, by version, by what no turn could go on from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import ValidationError

from ninefold.adapters.archive import keys
from ninefold.adapters.archive.message_json import from_json
from ninefold.adapters.checkpoints import PlainSerde
from ninefold.graph.migrations import Schema
from ninefold.state import InputError, MemoryRecord, NinefoldError, SchemaError, StorageError
from ninefold.state.turn_state import TurnState

from ..translation import translated
from ..wording import Wording
from .session_file import VERSIONS, Kind, Line

T = TypeVar("T")

LONGEST_TURN = 100_000
"""Messages of one turn; every one of them is looked for when the turn is read."""

_WRONG = (ValueError, TypeError, KeyError, AttributeError, RecursionError, NotImplementedError)
"""What a line of another shape raises where it is used."""


@dataclass
class Incoming:
    """The parts of a file that do not grow with the session."""

    thread: str = ""
    user: str = ""
    state: dict[str, Any] = field(default_factory=dict[str, Any])
    memories: list[MemoryRecord] = field(default_factory=list[MemoryRecord])
    turns: int = 0
    ended: bool = False

    def take(self, number: int, line: Line) -> None:
        """Take a line behind the first; it raises one of `_WRONG` for one that does not belong there."""
        if self.ended:
            raise ValueError("the file has ended before it")
        match Kind(line["kind"]):
            case Kind.TURN:
                _row(line["row"])
                _text(line["id"])
                _text(line["row"]["at"])
                _text(line["row"]["parent"] or "")
                if not 0 <= _whole(line["row"]["count"]) <= LONGEST_TURN:
                    raise ValueError(f"a turn of {line['row']['count']} messages")
                self.turns += 1
            case Kind.MESSAGE:
                _row(line["row"])
                _text(line["turn"])
                if self.turns == 0 or _whole(line["place"]) < 0:
                    raise ValueError("it stands in no turn")
                if "message" in line["row"]:
                    from_json(line["row"]["message"])
            case Kind.STATE:
                self.state[_text(line["field"])] = _value(line)
            case Kind.MEMORY:
                self.memories.append(MemoryRecord.model_validate(line["record"]))
            case Kind.END if line["lines"] == number - 1:
                self.ended = True
            case kind:
                raise ValueError(f"a line of the kind {kind.value!r} cannot stand there")


def checked(words: Wording, file: Path) -> Incoming:
    """Give what a file holds after every line of it was read; the archive in it is not kept in memory.

    Raises:
        InputError: a line is no part of a session, or lines are missing.
        SchemaError: it is of a version that this release does not know.
        StorageError: it cannot be read.
    """
    found = Incoming()
    number = 0
    for number, line in lines_of(words, file):
        if number == 1:
            _begin(words, file, line, found)
        else:
            _good(words, file, number, partial(found.take, number, line))
    if not found.ended:
        raise InputError(*words.refusal("sessions.import_cut", file=file, line=number))
    try:
        _check_state(found)
    except (NinefoldError, ValidationError, *_WRONG) as error:
        raise InputError(*words.refusal("sessions.import_state", file=file, why=_why(error))) from error
    return found


def lines_of(words: Wording, file: Path) -> Iterator[tuple[int, Line]]:
    """Give the lines of a file with their numbers, from 1.

    Raises:
        StorageError: it cannot be read.
        InputError: a line is no JSON object.
    """
    number = 0
    try:
        with file.open(encoding="utf-8") as lines:
            for number, text in enumerate(lines, 1):
                yield number, _good(words, file, number, partial(_object, text))
    except UnicodeDecodeError as error:
        cause = words.refusal("sessions.import_line", file=file, line=number + 1, why=_why(error))
        raise InputError(*cause) from error
    except OSError as error:
        why = translated(str(error.strerror), words.language)
        raise StorageError(*words.refusal("sessions.import_unread", file=file, why=why)) from error


def _begin(words: Wording, file: Path, line: Line, found: Incoming) -> None:
    versions = line.get("ninefold")
    if line.get("kind") != Kind.SESSION or not isinstance(versions, dict):
        raise InputError(*words.refusal("sessions.import_other", file=file))
    for name, known in VERSIONS.items():
        if (version := versions.get(name)) != known:
            values = {"file": file, "name": name, "found": version, "known": known}
            raise SchemaError(*words.refusal("sessions.import_version", **values))
    found.thread, found.user = _good(words, file, 1, lambda: (_text(line["thread"]), _text(line["user"])))


def _check_state(found: Incoming) -> None:
    """Refuse, with an error of some kind, a state that no turn could go on from."""
    state = TurnState.model_validate(Schema().typed(Schema().migrate(found.state)))
    # JSON has numbers, and text, that no checkpoint can hold.
    PlainSerde().dumps_typed(found.state)
    if state.owner not in (found.user, None) or any(record.user != found.user for record in found.memories):
        raise ValueError("its parts belong to different people")


def _good(words: Wording, file: Path, number: int, use: Callable[[], T]) -> T:
    """Give what a line gives, or name the line."""
    try:
        return use()
    except _WRONG as error:
        raise InputError(*words.refusal("sessions.import_line", file=file, line=number, why=_why(error))) from error


def _why(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error).split("\n", 1)[0][:200] or type(error).__name__


def _row(row: Any) -> None:
    if not isinstance(row, dict) or row.get("schema") != keys.SCHEMA:
        raise ValueError(f"it is no archive row of schema {keys.SCHEMA}")


def _value(line: Line) -> Any:
    value = line["value"]
    return [from_json(message) for message in value] if line["field"] == "messages" else value


def _object(text: str) -> Line:
    read = json.loads(text)
    if not isinstance(read, dict):
        raise ValueError("it is no JSON object")
    return cast("Line", read)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no whole number")
    return value
