"""What a model adds to a summary: sentences it points at in the leaving turns; they are copied, never its words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ninefold.state import AgentSettings, InternalModelError, Language
from ninefold.state.turn_state import TurnState

from ..json_reply import parse_json
from ..keeping.cues import heard
from ..keeping.held import Held, folded
from ..keeping.kept import Kept
from ..neutralise import neutralise
from ..prompt_files import prompt
from ..text import plain_text
from ..window import Group, groups
from .addresses import address
from .chronicle import Statement, original_of
from .copied import as_reply, grounded, sources_of
from .strategy import Completion, Counter, Originals

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "decisions": {"type": "array", "items": {"type": "string"}},
        "next_steps": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "status": {"enum": ["pending", "done"]}},
                "required": ["text", "status"],
            },
        },
        "other_facts": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["decisions", "next_steps", "other_facts"],
}
_PURPOSE: Final = "summary"
_SPARE: Final = 0.9
"""Share of a light model's window that is used: its tokens are counted with the chat model's tokenizer."""


def chosen_by_model(
    now: TurnState,
    leaving: Sequence[Group],
    told: Sequence[Statement],
    kept: Kept,
    *,
    tokens: Counter,
    archive: Originals,
    assistant: Completion,
    settings: AgentSettings,
) -> tuple[Statement, ...]:
    """Give the statements that a model adds to those the rules found.

    A model that is shown the whole window chooses from all of it: what it chose of turns that stay is kept, and when
    all that leaves was chosen from before, no call is made. Every call's counted prompt and reply fit the model's
    window; what leaves is read in as many calls as that takes.

    Raises:
        NinefoldError: the model failed, or more than half of what it gave does not stand in what it was shown.
    """
    known = {folded(statement.item.text) for statement in told}
    found = _chosen_before(leaving, archive, settings)
    if found is None:
        found = _chosen_now(now, leaving, kept, tokens, archive, assistant, settings)
    return tuple(
        statement
        for place, statement in enumerate(found)
        if folded(statement.item.text) not in known
        and statement.item.text not in {earlier.item.text for earlier in found[:place]}
    )


def _chosen_now(
    now: TurnState,
    leaving: Sequence[Group],
    kept: Kept,
    tokens: Counter,
    archive: Originals,
    assistant: Completion,
    settings: AgentSettings,
) -> list[Statement]:
    language = now.language or Language.ENGLISH
    reserve = settings.summary_limit
    staying = _staying(now, leaving) if assistant.shares_prefix else ()
    sources = tuple(sources_of((*leaving, *staying), archive))
    summarised = Held(item.text for item in now.summary.items)
    found: list[Statement] = []
    for call in prompts(leaving, language, reserve=reserve, tokens=tokens, archive=archive, assistant=assistant):
        reply = assistant.complete(call, purpose=_PURPOSE, num_predict=reserve, schema=SCHEMA)
        found += grounded(_read(reply), sources, stands=lambda text: kept.lasting.words(text) or summarised.words(text))
    for message, words in _said(staying, archive):
        chosen = [statement for statement in found if statement.item.sources[0] == message]
        archive.cache(_address(message, words, settings), json.dumps(as_reply(chosen), ensure_ascii=False))
    left = {id_ for group in leaving for id_ in group.ids}
    return [statement for statement in found if statement.item.sources[0] in left]


def _chosen_before(leaving: Sequence[Group], archive: Originals, settings: AgentSettings) -> list[Statement] | None:
    """Give what a model chose of these turns while they stayed; None where it was not asked of all they said."""
    sources = tuple(sources_of(leaving, archive))
    spoken = {message.id for group in leaving for message in group.messages if isinstance(message, HumanMessage)}
    found: list[Statement] = []
    for message, words in _said(leaving, archive):
        reply = parse_json(archive.cached(_address(message, words, settings)) or "")
        if isinstance(reply, dict):
            found += grounded(reply, tuple(source for source in sources if source.message.id == message))
        elif message in spoken:
            return None
    return found


def _said(turns: Sequence[Group], archive: Originals) -> Iterable[tuple[str, str]]:
    """Give the id and the original words of what people and replies said."""
    for group in turns:
        for message, entry in zip(group.messages, group.entries, strict=True):
            called = isinstance(message, ToolMessage) or (isinstance(message, AIMessage) and message.tool_calls)
            original = None if called else original_of(message, entry, archive)
            if original is not None and message.id is not None:
                yield message.id, plain_text(original)


def _address(message: str, words: str, settings: AgentSettings) -> str:
    return address("chosen", [message, words], settings)


def _staying(now: TurnState, leaving: Sequence[Group]) -> tuple[Group, ...]:
    """Give the turns that a call behind the chat's prompt shows beside those that leave, the present one too."""
    gone = {turn for group in leaving for turn in group.turns}
    return tuple(
        group
        for group in groups(now)
        if len(group.entries) == len(group.messages) and not gone.intersection(group.turns)
    )


def prompts(
    leaving: Sequence[Group],
    language: Language,
    *,
    reserve: int,
    tokens: Counter,
    archive: Originals,
    assistant: Completion,
) -> tuple[list[BaseMessage], ...]:
    """Give the prompts that show the model everything that leaves, each with its reserve within its window.

    Raises:
        InternalModelError: the model shares the chat's prefix and its tail does not fit.
    """
    instruction = prompt("summary", language)
    if assistant.shares_prefix:
        call = [*assistant.prefix, HumanMessage(instruction)]
        if tokens.prompt(call, assistant.tools) + reserve > assistant.num_ctx:
            raise InternalModelError(
                "The summary has no room behind the chat's prompt.", "The rules stand alone for now."
            )
        return (call,)
    room = int(assistant.num_ctx * _SPARE) - reserve
    pieces = [piece for group in leaving for piece in _transcript(group, archive)]
    return tuple(
        [SystemMessage(instruction), HumanMessage(chunk)]
        for chunk in chunks(pieces, instruction, room=room, tokens=tokens)
    )


def chunks(pieces: Sequence[str], instruction: str, *, room: int, tokens: Counter) -> tuple[str, ...]:
    """Give the pieces joined into texts whose prompt takes at most `room` tokens; a longer piece is split.

    Raises:
        InternalModelError: not even the instruction fits.
    """
    free = room - tokens.prompt([SystemMessage(instruction), HumanMessage("")]) - 8
    if free < 64:
        raise InternalModelError(
            f"The light model's window leaves {max(free, 0)} tokens for what is to be summarised.", "Raise its num_ctx."
        )
    made: list[str] = []
    current = ""
    for piece in _split(pieces, free, tokens):
        joined = f"{current}\n{piece}" if current else piece
        if current and tokens.text(joined) > free:
            made.append(current)
            joined = piece
        current = joined
    return (*made, current) if current else tuple(made)


def _read(reply: str) -> Mapping[str, Any]:
    """Give the reply's object.

    Raises:
        InternalModelError: it is empty, a refusal, or breaks off before its last field.
    """
    found = parse_json(reply)
    if isinstance(found, dict) and all(field in found for field in SCHEMA["required"]):
        return found
    why = (
        "is empty"
        if not reply.strip()
        else "is a refusal"
        if heard("refusal", reply)
        else "is not the whole object asked for"
    )
    raise InternalModelError(f"The model's reply for the summary {why}.", "The rules stand alone for now.")


def _transcript(group: Group, archive: Originals) -> Iterable[str]:
    for message, entry in zip(group.messages, group.entries, strict=True):
        original = original_of(message, entry, archive)
        if (
            original is None
            or isinstance(message, ToolMessage)
            or (isinstance(message, AIMessage) and message.tool_calls)
        ):
            continue
        who = "user" if isinstance(message, HumanMessage) else "assistant"
        yield f"{who}: {neutralise(plain_text(original))}"


def _split(pieces: Sequence[str], limit: int, tokens: Counter) -> Iterable[str]:
    for piece in pieces:
        rest = piece
        while rest and tokens.text(rest) > limit:
            head = tokens.clip(rest, limit) or rest[:1]
            yield head
            rest = rest[len(head) :]
        if rest:
            yield rest
