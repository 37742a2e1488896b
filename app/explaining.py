"""Why words are, or are not, in the prompt of a session's turn, from what is kept; in a person's words or as data."""

from __future__ import annotations

from dataclasses import dataclass

from ninefold.policies.explaining import Evidence
from ninefold.policies.explaining import explain as found_by
from ninefold.state import Finding, InputError, Recalled
from ninefold.state.turn_state import TurnState

from .console import reports
from .kept_turns import moments_until, number, said
from .sessions import Place
from .translation import translated
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
    kept = moments_until(place, thread, user, turn)
    memory = place.memory(False)
    evidence = Evidence(
        moments=kept,
        said=tuple(said(place, thread, kept[-1])),
        memories=memory.records(user) if memory else (),
        minimum=memory.min_score if memory else None,
    )
    return Explanation(thread, number(kept[-1]), words, found_by(evidence, words), number(kept[0]))


def overview(moment: TurnState, num_ctx: int, wording: Wording) -> list[str]:
    """Give everything that is kept of a turn, in lines: its prompt by layers, what recall weighed, what each step did.

    Args:
        moment: the state at the turn's end.
        num_ctx: the agent's window, in tokens.
        wording: the language.
    """
    title = wording.say("explain.turn", turn=number(moment), at=moment.turn.at[:16] if moment.turn else "")
    shown = [reports.prompt(moment.view, num_ctx, wording)] if moment.view else []
    recalled = [_candidate(each, wording) for each in moment.recalled]
    if recalled:
        recalled = [wording.say("explain.recalled"), *recalled]
    return [title, *shown, *recalled, wording.say("explain.steps"), *reports.steps(moment.trace, wording)]


def _candidate(candidate: Recalled, wording: Wording) -> str:
    score = "" if candidate.score is None else f" {candidate.score:.2f}"
    text = " ".join(candidate.text.split())
    return f"  {wording.name('fate', candidate.fate.value)}{score}  {candidate.created[:10]}  {text}"


def sentences(explanation: Explanation, wording: Wording) -> list[str]:
    """Give an explanation as lines, one for each finding."""
    title = wording.say("explain.title", words=explanation.words, turn=explanation.turn)
    return [title, *(f"- {_sentence(finding, wording)}" for finding in explanation.findings)]


def _sentence(finding: Finding, wording: Wording) -> str:
    facts = {name: "" if value is None else value for name, value in finding.model_dump(mode="json").items()}
    facts["layer"] = wording.name("layer", finding.layer.value) if finding.layer else ""
    facts["change"] = wording.say(f"explain.change.{finding.change.value}") if finding.change else ""
    when = finding.turn if finding.said is None else finding.said
    facts["when"] = "" if when is None else wording.say("explain.when", turn=when)
    facts["score"] = "" if finding.score is None else f"{finding.score:.2f}"
    facts["minimum"] = "" if finding.minimum is None else f"{finding.minimum:.2f}"
    facts["reason"] = translated(finding.reason, wording.language)
    behind = [
        wording.say(f"explain.{name}", **{name: value})
        for name in ("by", "strategy", "reference", "reason")
        if (value := facts[name])
    ]
    return " ".join([wording.say(f"explain.{finding.cause.value}", **facts), *behind])
