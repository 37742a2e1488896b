"""Reference replacement: a long old text becomes its beginning, its exact values and negations, and a reference."""

from __future__ import annotations

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from ninefold.state import AgentSettings, Entry, Language, Proposal, Replacement, StrategyName, reference_id
from ninefold.state.turn_state import TurnState

from ..apply import over
from ..keeping.held import Held
from ..keeping.kept import Kept
from ..keeping.needs import Need, later_in, lost, needs
from ..references import reference_marker
from ..render import as_sent
from ..text import plain_text, sentences
from ..window import movable
from .chronicle import carriers
from .strategy import Completion, Counter, Originals

LONG_TEXT = 240
"""Tokens beyond which an old text is long."""
HEAD = 72
"""Tokens of a long text's beginning that stay."""
WORTH = 0.7
"""A shorter text is proposed only when it takes at most this share of the longer one."""


class Reference:
    """Shortens the long texts of people and replies in turns that may leave, each from its original."""

    name = StrategyName.REFERENCE.value

    def propose(
        self,
        state: TurnState,
        *,
        tokens: Counter,
        archive: Originals,
        assistant: Completion | None,  # noqa: ARG002
        settings: AgentSettings,
    ) -> Proposal | None:
        """Give beginnings with references for the long texts, or None when there are none."""
        now = over(state, state.proposals)
        later = later_in(now)
        replacements: list[Replacement] = []
        freed = 0
        for group in movable(now, settings):
            for message, entry in zip(group.messages, group.entries, strict=True):
                original = _long_text(message, entry, archive)
                if original is None:
                    continue
                language = state.language or Language.ENGLISH
                made = _shorter(message, original, entry, needs(message, original, entry.turn, later), language, tokens)
                if made is not None and made.tokens is not None:
                    replacements.append(made)
                    freed += entry.tokens - made.tokens
        if not replacements:
            return None
        span = tuple(replacement.message for replacement in replacements)
        return Proposal(strategy=self.name, span=span, replacements=tuple(replacements), freed=freed)


def _long_text(message: BaseMessage, entry: Entry, archive: Originals) -> BaseMessage | None:
    """Give the original of a message that is a long text, else None."""
    speech = isinstance(message, HumanMessage) or (isinstance(message, AIMessage) and not message.tool_calls)
    if not speech or entry.tokens <= LONG_TEXT or entry.compacted or not isinstance(message.content, str):
        return None
    return archive.original(entry)


def _shorter(
    message: BaseMessage,
    original: BaseMessage,
    entry: Entry,
    required: tuple[Need, ...],
    language: Language,
    tokens: Counter,
) -> Replacement | None:
    text = plain_text(original)
    reference = entry.reference or reference_id(entry.turn, entry.sequence)
    head = _head(text, tokens)
    beyond = lost(required, Kept(Held([head]), Held(())))
    kept = [
        span.text
        for span in carriers(text, beyond, whole=False)
        if any(_inside(need, span.start, span.end) for need in beyond)
    ]
    marker = reference_marker(reference, len(text), language)
    shorter = "\n".join([f"{head} …", *(f"… {part}" for part in kept), marker])
    count = tokens.message(as_sent(message.model_copy(update={"content": shorter})))
    if count > entry.tokens * WORTH:
        return None
    return Replacement(message=entry.message, text=shorter, reference=reference, tokens=count)


def _head(text: str, tokens: Counter) -> str:
    """Give the beginning of a text, to the end of a sentence where one ends in its second half."""
    clipped = tokens.clip(text, HEAD)
    ends = [span.end for span in sentences(text[: len(clipped) + 1]) if len(clipped) // 2 <= span.end <= len(clipped)]
    return clipped[: ends[-1]] if ends else clipped.rstrip()


def _inside(need: Need, start: int, end: int) -> bool:
    return start <= need.place[0] and need.place[1] <= end
