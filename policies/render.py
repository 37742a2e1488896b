"""The bytes of a prompt: a view and the window's messages become the messages that are sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from ninefold.state import Clip, Entry, Language, Layer, LayerName, Piece, Placed, Recalled, View

from .neutralise import anchors, neutralise
from .references import reference_marker
from .text import plain_text

_NOTES = {
    Language.CHINESE: ("助手所记", "取代 {date} 的说法"),
    Language.ENGLISH: ("noted by the assistant", "in place of what was said on {date}"),
}
_SAID = {
    Language.CHINESE: {
        "user": "用户说过，见 {reference}",
        "assistant": "助手说过，见 {reference}",
        "data": "附带的资料，不是谁说的，见 {reference}",
    },
    Language.ENGLISH: {
        "user": "the user said, {reference}",
        "assistant": "the assistant said, {reference}",
        "data": "data that came along, said by nobody, {reference}",
    },
}


def render(
    view: View, messages: Sequence[BaseMessage], entries: Sequence[Entry], *, fixed: str, language: Language
) -> list[BaseMessage]:
    """Give the messages of a call in the order of the view's layers.

    One system message first; no two neighbours of one role that a chat template would merge in a way of its own, except
    the results of parallel tool calls. Text of people, tools and models is neutralised; the layers' own text is made
    so that it needs none.
    """
    known = {message.id: message for message in messages if message.id is not None}
    placed = {entry.message: entry.placed for entry in entries}
    head: list[str] = [fixed]
    before: list[str] = []
    body: list[BaseMessage] = []
    window_seen = False
    for layer in view.layers:
        match layer.name:
            case LayerName.FIXED:
                pass
            case LayerName.CONSTRAINTS | LayerName.SUMMARY:
                head.append(block(layer.anchor, layer.text))
            case LayerName.MEMORIES | LayerName.TURN_CONSTRAINTS:
                (before if window_seen else head).append(block(layer.anchor, layer.text))
            case LayerName.WINDOW:
                window_seen = True
                body += _sent(layer.pieces, known, placed, language)
            case LayerName.CURRENT:
                body += _current(layer, known, before, language)
    return [SystemMessage("\n\n".join(head)), *join_neighbours(behind_their_calls(body))]


def label(layer: LayerName, language: Language) -> str:
    """Give the anchor that opens a layer."""
    return str(anchors(language)._asdict()[layer.value])


def block(anchor: str, text: str) -> str:
    """Give a layer's text under its anchor."""
    return f"{anchor}\n{text}"


def rule_block(piece: Piece, language: Language) -> tuple[str, ...]:
    """Give the rules that stand with a message as a block, or nothing."""
    return (block(label(LayerName.CONSTRAINTS, language), piece.rules),) if piece.rules else ()


def memory_block(placed: Sequence[Placed], language: Language) -> str:
    """Give the recalled memories as they stand in a message."""
    return block(label(LayerName.MEMORIES, language), memory_lines(placed))


def memory_lines(placed: Sequence[Placed]) -> str:
    """Give one line for each placed memory."""
    return "\n".join(neutralise(memory.text) for memory in placed)


def memory_line(memory: Recalled, language: Language) -> str:
    """Give a recalled memory as one line: when it was said, what kind it is, what it says, and what it replaced."""
    if memory.source == "turn":
        said = _SAID[language][memory.role].format(reference=memory.id)
        return f"- {memory.created[:10]} ({said}) {' '.join(memory.text.split())}"
    noted, replaced = _NOTES[language]
    kind = memory.kind.value if memory.role == "user" else f"{memory.kind.value}, {noted}"
    behind = f" ({replaced.format(date=memory.replaces[:10])})" if memory.replaces else ""
    return f"- {memory.created[:10]} ({kind}) {' '.join(memory.text.split())}{behind}"


def with_blocks(words: str, blocks: Sequence[str], language: Language) -> str:
    """Give the person's words under the anchor of the current request, when any block stands before them."""
    if not blocks:
        return words
    return "\n\n".join([*blocks, block(label(LayerName.CURRENT, language), words)])


def sent_text(message: BaseMessage, clip: Clip | None, language: Language) -> str:
    """Give a message's text as it is sent: clipped where the view says so, then neutralised."""
    text = plain_text(message)
    if clip is None:
        return neutralise(text)
    marker = reference_marker(clip.reference, len(text), language)
    tail = text[len(text) - clip.tail :] if clip.tail else ""
    between = [f"… {neutralise(text[start:end].strip())} …" for start, end in clip.kept]
    return "\n".join(part for part in (neutralise(text[: clip.head]), marker, *between, neutralise(tail)) if part)


def sent_message(message: BaseMessage, text: str) -> BaseMessage:
    """Give the message that carries this text over the wire: role, text, calls and nothing else.

    An AI message with calls is sent without its text: qwen2.5's template would render the text and drop the calls, and
    a neighbour that carries the text alone would be merged with it by the server.
    """
    match message:
        case AIMessage() if message.tool_calls:
            return AIMessage("", tool_calls=[_sent_call(call) for call in message.tool_calls])
        case AIMessage():
            return AIMessage(text)
        case ToolMessage():
            return ToolMessage(text, tool_call_id=message.tool_call_id, name=message.name)
        case _:
            return HumanMessage(text)


def as_sent(message: BaseMessage) -> BaseMessage:
    """Give a message whole as it is sent, the form in which it is counted: an escape costs tokens too."""
    return sent_message(message, neutralise(plain_text(message)))


def _sent_call(call: ToolCall) -> ToolCall:
    """Give a call as it is sent: its arguments are a model's words, which may be a tool's or a person's."""
    return {**call, "name": neutralise(call["name"]), "args": _neutral(call["args"])}


def _neutral(value: Any) -> Any:
    match value:
        case str():
            return neutralise(value)
        case dict():
            return {neutralise(key): _neutral(item) for key, item in cast("dict[str, Any]", value).items()}
        case list():
            return [_neutral(item) for item in value]
        case _:
            return value


def behind_their_calls(messages: Iterable[BaseMessage]) -> list[BaseMessage]:
    """Give the messages with each result right behind its call, in the order of the calls.

    The wire carries no call ids: a result is read as the answer to what stands before it, and of two messages with
    calls that stand side by side the server drops the second one's.
    """
    groups: list[dict[str, BaseMessage]] = []
    waiting: dict[str, dict[str, BaseMessage]] = {}
    for message in messages:
        if isinstance(message, ToolMessage) and message.tool_call_id in waiting:
            waiting.pop(message.tool_call_id)[message.tool_call_id] = message
            continue
        groups.append({"": message})
        if isinstance(message, AIMessage):
            waiting |= {call["id"] or "": groups[-1] for call in message.tool_calls}
    return [message for group in groups for message in _in_order(group)]


def _in_order(group: Mapping[str, BaseMessage]) -> list[BaseMessage]:
    first = group[""]
    calls = first.tool_calls if isinstance(first, AIMessage) else []
    return [first, *(group[call["id"]] for call in calls if call["id"] and call["id"] in group)]


def join_neighbours(messages: Iterable[BaseMessage]) -> list[BaseMessage]:
    """Give the messages with neighbouring messages of one speaker joined, as the server would join them.

    Words beside a call give way to it, as in `sent_message`.
    """
    joined: list[BaseMessage] = []
    for message in messages:
        last = joined[-1] if joined else None
        if isinstance(message, HumanMessage) and isinstance(last, HumanMessage):
            joined[-1] = HumanMessage(f"{last.text}\n\n{message.text}")
        elif _speaks(message) and _speaks(last):
            joined[-1] = AIMessage(f"{last.text}\n\n{message.text}")
        elif isinstance(message, AIMessage) and _speaks(last):
            joined[-1] = message
        else:
            joined.append(message)
    return joined


def _speaks(message: BaseMessage | None) -> TypeGuard[AIMessage]:
    return isinstance(message, AIMessage) and not message.tool_calls


def _sent(
    pieces: Sequence[Piece],
    known: Mapping[str, BaseMessage],
    placed: Mapping[str, tuple[Placed, ...]],
    language: Language,
) -> list[BaseMessage]:
    sent = []
    for piece in pieces:
        message = known[piece.message]
        text = sent_text(message, piece.clip, language)
        memories = placed.get(piece.message, ())
        blocks = [*rule_block(piece, language), *([memory_block(memories, language)] if memories else ())]
        sent.append(sent_message(message, with_blocks(text, blocks, language)))
    return sent


def _current(
    layer: Layer, known: Mapping[str, BaseMessage], blocks: Sequence[str], language: Language
) -> list[BaseMessage]:
    """Give the present turn: the blocks stand in its last message of the person, before the words.

    Rules stand first, then memories, then what holds for this turn only: so the message stays as it was sent when the
    last of them is gone.
    """
    last = max((i for i, p in enumerate(layer.pieces) if isinstance(known[p.message], HumanMessage)), default=None)
    sent = []
    for index, piece in enumerate(layer.pieces):
        message = known[piece.message]
        text = sent_text(message, piece.clip, language)
        before = [*rule_block(piece, language), *(blocks if index == last else ())]
        sent.append(sent_message(message, with_blocks(text, before, language)))
    return sent
