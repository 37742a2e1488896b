"""Structured extraction: old tool results as the fields that matter; what is dropped is listed and stays reachable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from ninefold.state import AgentSettings, Entry, Language, Proposal, Replacement, StrategyName, reference_id
from ninefold.state.turn_state import TurnState

from ..references import reference_marker
from ..render import as_sent
from ..text import plain_text
from ..window import Group, movable
from .extraction_html import is_html, page_lines
from .extraction_json import Extracted, extract_json, parsed
from .extraction_lines import extract_lines
from .strategy import Completion, Counter, Originals

OLD_RESULT = 320
"""Tokens that a tool result of an earlier turn may keep."""
WORTH = 0.7
"""A shorter text is proposed only when it takes at most this share of the longer one."""
LONG_JSON = 2000
"""Characters beyond which a structured result enters the window as an extract, however few tokens it has."""
JSON_SHARE = 0.30
"""Share of its characters that such an extract takes: what is asked for stands in less."""


class _Characters:
    """Counts characters, where a share of them is the limit."""

    def text(self, text: str) -> int:
        return len(text)

    def message(self, message: BaseMessage) -> int:
        return len(message.text)

    def prompt(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]] = ()) -> int:  # noqa: ARG002
        return sum(map(self.message, messages))

    def clip(self, text: str, limit: int, *, tail: bool = False) -> str:
        return text[-limit:] if tail else text[:limit]


def is_long_json(text: str) -> bool:
    """Whether a text is a structure of which the parts that are asked for stand in much less."""
    return len(text) > LONG_JSON and parsed(text) is not None


def arriving(text: str, *, room: int, beside: int, tokens: Counter, focus: str) -> Extracted:
    """Give a new result in at most `room` tokens, a structured one in its share of the characters too.

    Args:
        text: the whole result.
        room: tokens that the result may take.
        beside: characters that stand with it and count to its share.
        tokens: counts.
        focus: what the person asks for.
    """
    if is_long_json(text):
        limit = max(int(len(text) * JSON_SHARE) - beside, 1)
        found = extract(text, limit=limit, tokens=_Characters(), focus=focus)
        if tokens.text(found.text) <= room:
            return found
    return extract(text, limit=room, tokens=tokens, focus=focus)


def extract(text: str, *, limit: int, tokens: Counter, focus: str) -> Extracted:
    """Give a result in at most `limit` tokens: what the focus asks about first; what was left out is listed.

    JSON is cut by fields and rows, pages by what a reader sees, everything else by lines. `status` inside the data is
    data; only the call's own envelope is dropped without asking.
    """
    structured = extract_json(text, limit=limit, tokens=tokens, focus=focus)
    if structured is not None and structured.text:
        return structured
    return extract_lines(page_lines(text) if is_html(text) else text, limit=limit, tokens=tokens, focus=focus)


class Extraction:
    """Shortens the tool results of turns that may leave, each from its original."""

    name = StrategyName.EXTRACTION.value

    def propose(
        self,
        state: TurnState,
        *,
        tokens: Counter,
        archive: Originals,
        assistant: Completion | None,  # noqa: ARG002
        settings: AgentSettings,
    ) -> Proposal | None:
        """Give shorter texts for the long tool results, or None when there are none."""
        language = state.language or Language.ENGLISH
        replacements: list[Replacement] = []
        freed = 0
        for group in movable(state, settings):
            focus = focus_of(state, group)
            for message, entry in zip(group.messages, group.entries, strict=True):
                if not isinstance(message, ToolMessage) or entry.tokens <= OLD_RESULT:
                    continue
                replacement = _shorter(message, entry, focus, language, tokens, archive)
                if replacement is not None and replacement.tokens is not None:
                    replacements.append(replacement)
                    freed += entry.tokens - replacement.tokens
        if not replacements:
            return None
        return Proposal(
            strategy=self.name,
            span=tuple(replacement.message for replacement in replacements),
            replacements=tuple(replacements),
            freed=freed,
        )


def focus_of(state: TurnState, group: Group) -> str:
    """Give what a group's results were asked for: the task, the turn's own words, and the person's present words."""
    now = state.turn.id if state.turn else ""
    present = {entry.message for entry in state.entries if entry.turn == now}
    words = [state.task.words] if state.task else []
    words += [plain_text(message) for message in group.messages if isinstance(message, HumanMessage)]
    words += [plain_text(m) for m in state.messages if isinstance(m, HumanMessage) and m.id in present]
    return "\n".join(word[:2000] for word in words)


def _shorter(
    message: ToolMessage, entry: Entry, focus: str, language: Language, tokens: Counter, archive: Originals
) -> Replacement | None:
    original = archive.original(entry)
    if original is None:
        return None
    text = plain_text(original)
    reference = entry.reference or reference_id(entry.turn, entry.sequence)
    marker = reference_marker(reference, len(text), language)
    room = OLD_RESULT - tokens.message(as_sent(message.model_copy(update={"content": marker})))
    found = extract(text, limit=max(room, 24), tokens=tokens, focus=focus)
    shorter = f"{found.text}\n{marker}"
    count = tokens.message(as_sent(message.model_copy(update={"content": shorter})))
    if count > entry.tokens * WORTH:
        return None
    return Replacement(message=entry.message, text=shorter, reference=reference, dropped=found.dropped, tokens=count)
