"""Whether a turn needs the memories, and what to ask them: by rules, or by any object with `judge`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Protocol

from ninefold.state import Intent

from .cues import cues, ends
from .text import clauses, sentences

QUERY_CHARACTERS = 400
"""What one search is asked with at most."""

_FOLLOW_UP = 12
"""A question with fewer letters and words than this says too little alone; the message before it comes along."""

_MARKS = re.compile(r"[^\w\s'’]+|_")


class IntentPolicy(Protocol):
    """Decides whether this turn searches the memories. Small talk must cost no search."""

    def judge(self, words: str, *, before: Sequence[str] = ()) -> Intent:
        """Give the decision, with the query where one is made.

        Args:
            words: what the person wrote in this turn.
            before: what the person wrote in the turns before, oldest first.
        """
        ...


class RuleIntent:
    """Searches for whatever asks, wants something done, or points back; never for small talk and plain telling."""

    def judge(self, words: str, *, before: Sequence[str] = ()) -> Intent:
        """Give the decision of the rules; the reason names what decided."""
        kept = tuple(sentence for part in ends(words) for sentence in without_small_talk(part))
        if not kept:
            return Intent(search=False, reason="small talk" if words.strip() else "no words")
        cue = _cue([_told(sentence) for sentence in kept])
        if cue is None:
            return Intent(search=False, reason="it asks for nothing")
        return Intent(search=True, query=_query(kept, before), reason=cue)


def without_small_talk(words: str) -> tuple[str, ...]:
    """Give the sentences that hold more than greetings, thanks, chat about the weather and the like."""
    small_talk = cues("intent")["small_talk"]
    kept = []
    for sentence in sentences(words):
        if small_talk.fullmatch(_bare(sentence.text)):
            continue
        if any(_bare(part.text) and not small_talk.fullmatch(_bare(part.text)) for part in clauses(sentence.text)):
            kept.append(sentence.text)
    return tuple(kept)


def asks_for_a_reply(question: str) -> bool:
    """Whether a question is for what the assistant said: "what did you recommend", 你给我推荐过什么."""
    return cues("intent")["reply"].search(question) is not None


def _cue(kept: Sequence[str]) -> str | None:
    for name, reason in (
        ("reference", "it points back"),
        ("question", "it asks"),
        ("request", "it wants something done"),
    ):
        if any(cues("intent")[name].search(sentence) for sentence in kept):
            return reason
    return None


def _told(sentence: str) -> str:
    """Give a sentence without the words that ask to keep what it tells: who tells something asks for nothing."""
    return cues("intent")["telling"].sub("", sentence, count=1)


def _query(kept: Sequence[str], before: Sequence[str]) -> str:
    """The sentences that ask, or else all; a short follow-up carries the message before it."""
    asking = [sentence for sentence in kept if cues("intent")["question"].search(sentence)] or list(kept)
    query = " ".join(asking)
    if len(query) > QUERY_CHARACTERS:
        half = QUERY_CHARACTERS // 2
        query = f"{query[:half].rstrip()} {query[-half:].lstrip()}"
    if before and _weight(query) < _FOLLOW_UP:
        query = f"{before[-1][-QUERY_CHARACTERS // 2 :].strip()} {query}"
    return query


def _bare(text: str) -> str:
    """The clause as small talk is written in the cue file: no marks, single blanks, one width."""
    return " ".join(_MARKS.sub(" ", unicodedata.normalize("NFKC", text)).split())


def _weight(text: str) -> int:
    return len(re.findall(r"[\u3400-\u9fff]", text)) + 3 * len(re.findall(r"[A-Za-z0-9]+", text))
