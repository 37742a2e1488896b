"""The conversations of fifty turns, as zh.yaml and en.yaml tell them, checked as they are read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")
APART = 1009
"""Between the seeds of one run's results and of the next one's."""
Turn = Annotated[int, Field(ge=1)]


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Lookup(_Told):
    """A tool that a turn calls, and how its result is made."""

    name: str
    arguments: dict[str, str]
    kind: Literal["json", "log", "table"]
    seed: int
    tokens: int
    """How long the result is, about."""
    needle: dict[str, str | int] = Field(default_factory=dict[str, str | int])
    """What its middle row holds where something was asked for."""


class Said(_Told):
    """One turn of the person."""

    about: str
    say: str
    tool: Lookup | None = None
    answer: str = ""
    """What a scripted model answers first: the value that its tool's result holds."""


class Check(_Told):
    """What a reply must be like, as far as code can tell; every part that is given must hold."""

    has: str | None = None
    """A pattern that must be found."""
    lacks: str | None = None
    """A pattern that may not be found."""
    most: int | None = None
    """Chinese characters and words of other scripts at most."""

    def holds(self, reply: str) -> bool:
        """Tell whether a reply is like that; an empty one never is."""
        if not reply.strip():
            return False
        length = len(re.findall(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+", reply))
        return (
            (self.has is None or re.search(self.has, reply) is not None)
            and (self.lacks is None or re.search(self.lacks, reply) is None)
            and (self.most is None or length <= self.most)
        )


class Fact(_Told):
    """A planted fact."""

    id: str
    kind: Literal["rule", "preference", "number", "decision", "result", "done"]
    said: Turn
    words: tuple[str, ...]
    """All of them must stand in a prompt that holds the fact."""
    needed: tuple[Turn, ...] = ()
    """The turns whose question asks for it."""
    begins: Turn | None = Field(default=None, alias="from")
    """Of a rule: the first turn whose every prompt must hold it."""
    ends: Turn | None = Field(default=None, alias="to")
    """The last turn at which it holds; None for ever."""
    replaced_by: str | None = None
    """The fact that took its place after `ends`."""
    asked: tuple[Turn, ...] = ()
    """Turns at which the reply shows whether a rule was kept."""
    reply: Check | None = None

    def due(self, turn: int) -> bool:
        """Tell whether a turn's prompt must hold it."""
        always = self.begins is not None and self.begins <= turn <= (self.ends or turn)
        return always or turn in self.needed

    @property
    def replies(self) -> tuple[int, ...]:
        """The turns whose reply is checked."""
        return (self.needed or self.asked) if self.reply else ()


class Once(_Told):
    """What was asked for one turn alone."""

    said: Turn
    words: str
    reply: Check


class Conversation(_Told):
    """Fifty turns with their planted facts."""

    system: str
    """The system prompt of an agent that manages nothing; ninefold has its own."""
    replies: tuple[str, ...]
    """Paragraphs of a scripted model's answers; `{about}` is what the turn is about."""
    turns: tuple[Said, ...]
    facts: tuple[Fact, ...]
    once: tuple[Once, ...]

    @model_validator(mode="after")
    def _is_fair(self) -> Conversation:
        """Every fact is said where it says so, and no question gives its own answer away."""
        for fact in self.facts:
            told = self.turns[fact.said - 1]
            where = str(told.tool.needle) if fact.kind == "result" and told.tool else told.say
            if not all(word in where for word in fact.words):
                raise ValueError(f"{fact.id} is not said in turn {fact.said}")
            for number, turn in enumerate(self.turns, 1):
                if number != fact.said and all(word in turn.say for word in fact.words):
                    raise ValueError(f"turn {number} gives {fact.id} away")
            if any(all(word in reply for word in fact.words) for reply in self.replies):
                raise ValueError(f"a scripted reply gives {fact.id} away")
        return self

    def reply(self, turn: int) -> str:
        """Give the scripted model's answer in a turn: what it looked up, and two of its paragraphs."""
        said, count = self.turns[turn - 1], len(self.replies)
        told = (self.replies[place % count].format(about=said.about) for place in (turn, turn + 2))
        return "\n\n".join(part for part in (said.answer, *told) if part)

    def shortened(self, turns: int) -> Conversation:
        """Give the conversation up to a turn, with the facts that are said by then."""
        kept: dict[str, Any] = {
            "turns": self.turns[:turns],
            "facts": tuple(fact for fact in self.facts if fact.said <= turns),
            "once": tuple(wish for wish in self.once if wish.said <= turns),
        }
        return self.model_copy(update=kept)


def conversation(language: Language, seed: int = 0) -> Conversation:
    """Give the conversation in a language; the rows of its tools' results that nobody asks for differ by seed.

    Raises:
        ValueError: the file is wrong; the message says where.
    """
    told = yaml.safe_load((Path(__file__).parent / f"{language}.yaml").read_text(encoding="utf-8"))
    for turn in told["turns"]:
        if "tool" in turn:
            turn["tool"]["seed"] += seed * APART
    return Conversation.model_validate(told)
