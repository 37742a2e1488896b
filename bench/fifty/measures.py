"""What is read off the requests: tokens, what a server reads anew, facts that are missing, what no longer holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from ninefold.policies.constraint_layer import read_constraints
from ninefold.policies.neutralise import anchors
from ninefold.state import Language as Tongue

from ..prefix import common
from .conversation import Conversation, Fact, Language
from .server import encoded, read_by_server
from .systems import Played, Request


@dataclass
class Turn:
    """What a turn cost, and what its prompt held."""

    context: int = 0
    """Tokens of the prompt that the reply was written from."""
    prompt: int = 0
    """Tokens of every prompt for the reply; more than one where a tool ran."""
    evaluated: int = 0
    """Prompt tokens that a server with one slot reads anew, internal calls included."""
    internal: int = 0
    internal_tokens: int = 0
    internal_evaluated: int = 0
    """Of `evaluated`, what internal calls made the server read."""
    missing: list[str] = field(default_factory=list[str])
    """Facts that the prompt should hold and does not."""
    stale: list[str] = field(default_factory=list[str])
    """What no longer holds and stands there as if it did."""


@dataclass(frozen=True)
class Sent:
    """One request, and what of it a server with one slot reads anew."""

    request: Request
    tokens: int
    fresh: int
    before: int
    """Tokens of the request before, which the server has read."""


@dataclass(frozen=True)
class Measured:
    """The figures of one conversation through one system."""

    played: Played
    turns: tuple[Turn, ...]
    sent: tuple[Sent, ...]
    facts: int
    checks: dict[str, list[bool]]
    """For each fact whether the replies that were looked at were right."""

    @property
    def lost(self) -> dict[str, list[int]]:
        """The facts that were missing at a turn that needed them, with those turns."""
        found: dict[str, list[int]] = {}
        for number, turn in enumerate(self.turns, 1):
            for name in turn.missing:
                found.setdefault(name, []).append(number)
        return found

    @property
    def row(self) -> dict[str, Any]:
        """Give everything as plain data."""
        turns, count = self.turns, len(self.turns)
        right = [good for each in self.checks.values() for good in each]
        return {
            "system": self.played.system,
            "language": self.played.language,
            "num_ctx": self.played.num_ctx,
            "context": round(fmean(turn.context for turn in turns)),
            "largest": max(turn.context for turn in turns),
            "evaluated": round(fmean(turn.evaluated for turn in turns)),
            "internal calls a turn": round(sum(turn.internal for turn in turns) / count, 3),
            "internal share": round(
                sum(turn.internal_tokens for turn in turns) / sum(turn.prompt for turn in turns), 3
            ),
            "compactions": self.played.compactions,
            "facts": self.facts,
            "lost": self.lost,
            "stale": sum(len(turn.stale) for turn in turns),
            "internal evaluated share": round(
                sum(turn.internal_evaluated for turn in turns) / sum(turn.evaluated for turn in turns), 3
            ),
            "seconds": round(fmean(self.played.seconds), 3),
            "replies right": sum(right),
            "replies looked at": len(right),
            "turns": [vars(turn) for turn in turns],
        }


def measured(conversation: Conversation, played: Played) -> Measured:
    """Read the figures off a conversation that was played."""
    turns = [Turn() for _ in conversation.turns]
    slot: Sequence[int] = ()
    sent: list[Sent] = []
    for request in played.requests:
        turn, text = turns[request.turn - 1], read_by_server(request.body, played.num_ctx)
        prompt = encoded(text)
        fresh = len(prompt) - min(common(slot, prompt), len(prompt) - 1)
        turn.evaluated += fresh
        sent.append(Sent(request, len(prompt), fresh, len(slot)))
        slot = prompt
        if request.internal:
            turn.internal += 1
            turn.internal_tokens += len(prompt)
            turn.internal_evaluated += fresh
            continue
        turn.prompt += len(prompt)
        turn.context = len(prompt)
        turn.missing = [fact.id for fact in conversation.facts if fact.due(request.turn) and not _holds(text, fact)]
        turn.stale = list(_stale(conversation, request, text, played.language))
    checks = {
        fact.id: [fact.reply.holds(played.replies[turn - 1]) for turn in fact.replies if turn <= len(played.replies)]
        for fact in conversation.facts
        if fact.reply
    }
    checks |= {wish.words: [wish.reply.holds(played.replies[wish.said - 1])] for wish in conversation.once}
    return Measured(played, tuple(turns), tuple(sent), len(conversation.facts), checks)


def _holds(text: str, fact: Fact) -> bool:
    return all(word in text for word in fact.words)


def _stale(conversation: Conversation, request: Request, text: str, language: Language) -> Iterator[str]:
    """Give what is over and still stands there.

    That is a wish in the layer of what holds; or any replaced fact in a prompt that does not hold what replaced it.
    """
    rules = [words for layer in _layers(request, language) for words in read_constraints(layer)]
    known = {fact.id: fact for fact in conversation.facts}
    for fact in conversation.facts:
        if fact.replaced_by in known and request.turn > (fact.ends or 0):
            alone = _holds(text, fact) and not _holds(text, known[fact.replaced_by])
            if alone or any(_holds(rule, fact) for rule in rules):
                yield fact.id
    for wish in conversation.once:
        if request.turn > wish.said and any(wish.words in rule for rule in rules):
            yield wish.words


def _layers(request: Request, language: Language) -> Iterator[str]:
    """Give the layers of rules of a request; a system that keeps none has none."""
    label = anchors(Tongue(language))
    texts = [str(m.get("content", "")) for m in request.body["messages"] if m["role"] in ("system", "user")]
    for text in texts:
        for part in f"\n{text}".split(f"\n{label.constraints}\n")[1:]:
            yield part.split("\n\n", 1)[0]
    for part in f"\n{texts[-1]}".split(f"\n{label.turn_constraints}\n")[1:]:
        yield part.split("\n\n", 1)[0]
