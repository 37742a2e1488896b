"""Forgetting on request: what of a thread holds the words, and the state without it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from enum import Enum
from typing import Any, NamedTuple, cast

from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, ToolMessage
from pydantic import BaseModel

from ninefold.state import Constraint, Entry, Event, Forgot, InputError, Item, Summary, Turn, TurnStarted, reference_id
from ninefold.state.turn_state import REMOVE_ALL, TurnState, Update

from .notices import notice
from .secrets import MASK, masked
from .text import plain_text

SHORTEST = 2
"""Characters, blanks aside, that words to forget have at least: a single letter stands in every message."""
_BLANK = re.compile(r"\s+")

_OURS = frozenset({"id", "key", "kind", "name", "owner", "reason", "step", "strategy", "thread", "turn", "user"})
"""Fields of what a state keeps that hold no words of a person or a model."""

Holds = Callable[[str], bool]
"""Whether a text holds what is to be forgotten."""


class Found(NamedTuple):
    """What of a state went."""

    constraints: int
    items: int
    """Statements of the summary."""
    messages: frozenset[str]
    """Ids of window messages whose words went now."""


def holding(words: str) -> Holds:
    """Give the test for a text that holds the words, in either width or case; English words are matched whole.

    Words in which a secret is masked are held by a text that has the secret itself in that place.

    Raises:
        InputError: the words are too few to forget by.
    """
    wanted = _plain(words)
    if len(wanted.replace(" ", "")) < SHORTEST:
        raise InputError(
            f"The words to forget, {words.strip()!r}, are too short: they would stand everywhere.",
            f"Give at least {SHORTEST} characters, or the id of a memory or constraint.",
        )
    pattern = r"\s*".join(re.escape(part) for part in wanted.split(" "))
    before = r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", wanted) else ""
    behind = r"(?![a-z0-9])" if re.search(r"[a-z0-9]\Z", wanted) else ""
    found = re.compile(before + pattern + behind)
    if MASK in words:
        return lambda text: any(found.search(_plain(each)) for each in (text, masked(text)))
    return lambda text: found.search(_plain(text)) is not None


def message_holds(message: BaseMessage, holds: Holds) -> bool:
    """Whether a message holds what is to be forgotten: in its text, in the arguments of its calls, beside them."""
    calls = message.tool_calls if isinstance(message, AIMessage) else ()
    data = [*(call["args"] for call in calls), message.additional_kwargs, message.response_metadata]
    return holds(plain_text(message)) or any(_data_holds(each, holds) for each in data)


def kept_holds(value: Any, holds: Holds) -> bool:
    """Whether what a state keeps holds what is to be forgotten, in any text that may be a person's or a model's.

    Names of fields, kinds and steps are ours and are not looked at.
    """
    match value:
        case Enum():
            return False
        case BaseMessage():
            return message_holds(value, holds)
        case BaseModel():
            return any(kept_holds(each, holds) for name, each in value if name not in _OURS)
        case dict():
            texts = cast("dict[str, Any]", value).items()
            return any(kept_holds(each, holds) for name, each in texts if name not in _OURS)
        case list() | tuple() | set() | frozenset():
            return any(kept_holds(each, holds) for each in cast("list[Any]", value))
        case _:
            return _data_holds(value, holds)


def forgotten(
    state: TurnState,
    turn: Turn,
    holds: Holds,
    tokens: Callable[[BaseMessage], int],
    places: Collection[tuple[str, int]] = (),
    but: Collection[str] = (),
) -> tuple[Update, Found]:
    """Give the state without what holds the words, and what went.

    A message keeps its place and its call ids, and none of its words. What the last turn noted down (view, recall,
    trace) begins anew: it quotes.

    Args:
        state: the thread as it stands.
        turn: its last turn.
        holds: tells what is to be forgotten.
        tokens: counts a message as it is sent.
        places: turn and place of messages whose originals hold the words or are forgotten; the window may hold less of
            them.
        but: ids of messages that stay as they are.
    """
    constraints = tuple(each for each in state.constraints if not _said(each, holds))
    conflicts = tuple(each for each in state.conflicts if not _said(each.old, holds) and not _said(each.new, holds))
    summary = _summary(state, holds, frozenset(reference_id(*place) for place in places))
    gone = {entry.message for entry in state.entries if (entry.turn, entry.sequence) in places}
    gone |= {message.id or "" for message in state.messages if message_holds(message, holds)}
    gone -= {*but}
    window = [_emptied(message, state) if message.id in gone else message for message in state.messages]
    entries = tuple(_entry(entry, window, gone, holds, tokens) for entry in state.entries)
    emptied = {new.id or "" for old, new in zip(state.messages, window, strict=True) if new != old}
    found = Found(
        len(state.constraints) - len(constraints), len(state.summary.items) - len(summary.items), frozenset(emptied)
    )
    notes = state.outcome and tuple(each for each in state.outcome.notes if not holds(each))
    task = None if state.task and holds(state.task.words) else state.task
    unwritten = tuple(each for each in state.unwritten if not _any(holds, each.text, each.description))
    taken = tuple(each for each in state.taken_back if not _any(holds, each.words, each.replaces))
    return Update(
        messages=[RemoveMessage(id=REMOVE_ALL), *window],
        entries=entries,
        constraints=constraints,
        conflicts=conflicts,
        summary=summary,
        task=task,
        unwritten=unwritten,
        taken_back=taken,
        view=None,
        recalled=(),
        intent=None,
        verdict=None,
        outcome=state.outcome and state.outcome.model_copy(update={"notes": notes}),
        proposals=(),
        struck=(),
        next_cut=(),
        trace=(TurnStarted(turn=turn.id, number=turn.number, at=turn.at), *_counts(state.trace)),
    ), found


def _counts(trace: Iterable[Event]) -> Iterator[Event]:
    """What a trace tells of forgetting, without what was forgotten."""
    return (each.model_copy(update={"what": ""}) for each in trace if isinstance(each, Forgot))


def _said(constraint: Constraint, holds: Holds) -> bool:
    """Whether a constraint holds the words in any text that is the person's own; its key is one of ours."""
    return _any(holds, constraint.words, constraint.overrules, constraint.condition, constraint.about, constraint.value)


def _summary(state: TurnState, holds: Holds, references: frozenset[str]) -> Summary:
    def without(items: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(item for item in items if not holds(item.text))

    old = state.summary
    return old.model_copy(
        update={
            "decisions": without(old.decisions),
            "next_steps": without(old.next_steps),
            "other_facts": without(old.other_facts),
            "references": tuple(each for each in old.references if each not in references),
        }
    )


def _emptied(message: BaseMessage, state: TurnState) -> BaseMessage:
    """Give a message of the same kind and id that says only that its words were forgotten."""
    words = notice("forgotten", state.language)
    match message:
        case AIMessage():
            calls = [{**call, "args": {}} for call in message.tool_calls]
            return AIMessage(words, id=message.id, name=message.name, tool_calls=calls)
        case ToolMessage():
            return ToolMessage(words, id=message.id, name=message.name, tool_call_id=message.tool_call_id)
        case _:
            return type(message)(words, id=message.id, name=message.name)


def _entry(
    entry: Entry, window: list[BaseMessage], gone: set[str], holds: Holds, tokens: Callable[[BaseMessage], int]
) -> Entry:
    """Give the entry without memories that hold the words; an emptied message is counted anew."""
    change: dict[str, Any] = {}
    placed = tuple(each for each in entry.placed if not holds(each.text))
    if placed != entry.placed:
        change["placed"] = placed
    if entry.message in gone:
        message = next(each for each in window if each.id == entry.message)
        change |= {"tokens": tokens(message), "reference": None, "compacted": False}
    return entry.model_copy(update=change) if change else entry


def _data_holds(value: Any, holds: Holds) -> bool:
    match value:
        case str():
            return holds(value)
        case dict():
            return any(_data_holds(key, holds) or _data_holds(item, holds) for key, item in value.items())
        case list() | tuple():
            return any(_data_holds(item, holds) for item in value)
        case int() | float():
            return holds(str(value))
        case _:
            return False


def _any(holds: Holds, *texts: str | None) -> bool:
    return any(text is not None and holds(text) for text in texts)


def _plain(text: str) -> str:
    return _BLANK.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()
