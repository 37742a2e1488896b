"""What a model adds to a summary: sentences it points at in the leaving turns; they are copied, never its words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ninefold.state import AgentSettings, Entry, InternalModelError, Item, Language, StepStatus, reference_id
from ninefold.state.turn_state import TurnState

from ..json_reply import parse_json
from ..keeping.cues import heard
from ..keeping.held import folded, same_values
from ..neutralise import neutralise
from ..prompt_files import prompt
from ..text import Span, plain_text, sentences
from ..window import Group
from .chronicle import Field, Statement, item_needs, kind, original_of
from .strategy import Completion, Counter, Originals

PROMPT_VERSION = 1
"""Version of summary.zh.md and summary.en.md; a summary prepared with another one is never looked up."""
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
_SHORTEST: Final = 4
"""Letters that a copied sentence has at least."""
_SPARE: Final = 0.9
"""Share of a light model's window that is used: its tokens are counted with the chat model's tokenizer."""


class _Source(NamedTuple):
    sentence: Span
    message: BaseMessage
    entry: Entry
    group: Group
    plain: str
    same: str


def chosen_by_model(
    now: TurnState,
    leaving: Sequence[Group],
    told: Sequence[Statement],
    *,
    tokens: Counter,
    archive: Originals,
    assistant: Completion,
    settings: AgentSettings,
) -> tuple[Statement, ...]:
    """Give the statements that a model adds to those the rules found.

    Every call's counted prompt and reply fit the model's window; what leaves is read in as many calls as that takes.

    Raises:
        NinefoldError: the model failed, or more than half of what it gave does not stand in the leaving turns.
    """
    language = now.language or Language.ENGLISH
    reserve = settings.context_policy.summary_tokens
    known = {folded(statement.item.text) for statement in told}
    sources = tuple(_sources(leaving, archive))
    found: list[Statement] = []
    for call in prompts(leaving, language, reserve=reserve, tokens=tokens, archive=archive, assistant=assistant):
        reply = assistant.complete(call, purpose=_PURPOSE, num_predict=reserve, schema=SCHEMA)
        found += grounded(_read(reply), sources)
    return tuple(
        statement
        for place, statement in enumerate(found)
        if folded(statement.item.text) not in known
        and statement.item.text not in {earlier.item.text for earlier in found[:place]}
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


def grounded(reply: Mapping[str, Any], sources: Sequence[_Source]) -> tuple[Statement, ...]:
    """Give the sentences that a reply points at, whole and as they were said.

    Raises:
        InternalModelError: more than half of its entries stand nowhere.
    """
    given = list(_entries(reply))
    found: list[Statement] = []
    strange = 0
    for field, text, status in given:
        source = _source_of(text, sources)
        if source is None:
            strange += 1
        else:
            found.append(_statement(field, status, source))
    if strange * 2 > len(given):
        raise InternalModelError(
            f"{strange} of {len(given)} entries of the model's summary stand nowhere in the turns it read.",
            "The rules stand alone for now.",
        )
    return tuple(found)


def _entries(reply: Mapping[str, Any]) -> Iterable[tuple[Field, str, StepStatus | None]]:
    fields: tuple[Field, ...] = ("decisions", "next_steps", "other_facts")
    for field in fields:
        items = reply.get(field)
        for item in items if isinstance(items, list) else []:
            text = item.get("text") if isinstance(item, dict) else item
            done = isinstance(item, dict) and item.get("status") == StepStatus.DONE
            if isinstance(text, str) and text.strip():
                yield field, text, (StepStatus.DONE if done else StepStatus.PENDING) if field == "next_steps" else None


def _source_of(text: str, sources: Sequence[_Source]) -> _Source | None:
    plain, same = folded(text), same_values(text)
    if len(plain) < _SHORTEST:
        return None
    for source in sources:
        if plain in source.plain or same in source.same or (len(source.plain) >= _SHORTEST and source.plain == plain):
            return source
    return None


def _statement(field: Field, status: StepStatus | None, source: _Source) -> Statement:
    spoken = isinstance(source.message, HumanMessage)
    told, rule = kind(source.sentence.text, source.message, source.group)
    if field == "next_steps" and (rule is StepStatus.DONE or heard("done", source.sentence.text)):
        status = StepStatus.DONE
    elif told == "next_steps":
        field, status = told, rule
    item = Item(
        text=source.sentence.text[:1000],
        sources=(source.entry.message,),
        status=status,
        reference=reference_id(source.entry.turn, source.entry.sequence),
    )
    return Statement(field, item, item_needs(item) if spoken else (), 55 if spoken else 45)


def _sources(leaving: Sequence[Group], archive: Originals) -> Iterable[_Source]:
    for group in leaving:
        for message, entry in zip(group.messages, group.entries, strict=True):
            original = original_of(message, entry, archive)
            if original is None or isinstance(message, ToolMessage):
                continue
            for sentence in sentences(plain_text(original)):
                yield _Source(sentence, message, entry, group, folded(sentence.text), same_values(sentence.text))


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
