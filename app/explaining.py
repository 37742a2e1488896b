"""Why words are, or are not, in the prompt of a session's turn, from what is kept; in a person's words or as data."""

from __future__ import annotations

from dataclasses import dataclass

from ninefold.policies.explaining import Evidence
from ninefold.policies.explaining import explain as found_by
from ninefold.state import Finding, InputError

from .kept_turns import moments, number, said
from .sessions import Place
from .wording import Wording


@dataclass(frozen=True)
class Explanation:
    """The answer to one question about a prompt."""

    thread: str
    turn: int
    """The number of the turn whose prompt is explained."""
    words: str
    findings: tuple[Finding, ...]
    """What became of the words, the most telling first; never empty."""
    oldest: int
    """The number of the oldest turn whose state is still kept: what ended before it is known from the archive only."""


def explain(place: Place, thread: str, user: str, words: str, turn: int | None = None) -> Explanation:
    """Give what became of words in the prompt of a turn.

    Args:
        place: where the sessions are kept.
        thread: the session.
        user: whose it is.
        words: what the person misses, or sees in the prompt.
        turn: the number of the turn; None is the last one.

    Raises:
        InputError: there is no such session or turn, or there are no words.
        StorageError: a database failed.
        MemoryStoreError: the memories cannot be read.
    """
    if not words.strip():
        raise InputError(*place.words.refusal("explain.no_words"))
    every = moments(place, thread, user)
    kept = [moment for moment in every if turn is None or number(moment) <= turn]
    if not kept or (turn is not None and number(kept[-1]) != turn):
        numbers = f"{number(every[0])}–{number(every[-1])}" if every else "–"
        raise InputError(*place.words.refusal("explain.no_turn", thread=thread, turn=turn or 0, turns=numbers))
    memory = place.memory(False)
    evidence = Evidence(
        moments=kept,
        said=tuple(said(place, thread, kept[-1])),
        memories=memory.records(user) if memory else (),
        minimum=memory.min_score if memory else None,
    )
    return Explanation(thread, number(kept[-1]), words, found_by(evidence, words), number(kept[0]))


def sentences(explanation: Explanation, wording: Wording) -> list[str]:
    """Give an explanation as lines, one for each finding."""
    title = wording.say("explain.title", words=explanation.words, turn=explanation.turn)
    return [title, *(f"- {_sentence(finding, wording)}" for finding in explanation.findings)]


def _sentence(finding: Finding, wording: Wording) -> str:
    facts = {name: "" if value is None else value for name, value in finding.model_dump(mode="json").items()}
    facts["layer"] = wording.say(f"layer.{finding.layer.value}") if finding.layer else ""
    facts["change"] = wording.say(f"explain.change.{finding.change.value}") if finding.change else ""
    when = finding.turn if finding.said is None else finding.said
    facts["when"] = "" if when is None else wording.say("explain.when", turn=when)
    facts["score"] = "" if finding.score is None else f"{finding.score:.2f}"
    facts["minimum"] = "" if finding.minimum is None else f"{finding.minimum:.2f}"
    behind = [
        wording.say(f"explain.{name}", **{name: value})
        for name in ("by", "strategy", "reference", "reason")
        if (value := facts[name])
    ]
    return " ".join([wording.say(f"explain.{finding.cause.value}", **facts), *behind])
