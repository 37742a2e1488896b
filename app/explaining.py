"""Why words are, or are not, in the prompt of a session's turn, from what is kept; in a person's words or as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ninefold.graph.migrations import Schema
from ninefold.policies.explaining import Evidence, Said
from ninefold.policies.explaining import explain as found_by
from ninefold.state import Finding, InputError, StorageError
from ninefold.state.turn_state import TurnState

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
    moments = _moments(place, thread, user)
    kept = [moment for moment in moments if turn is None or _number(moment) <= turn]
    if not kept or (turn is not None and _number(kept[-1]) != turn):
        numbers = f"{_number(moments[0])}–{_number(moments[-1])}" if moments else "–"
        raise InputError(*place.words.refusal("explain.no_turn", thread=thread, turn=turn or 0, turns=numbers))
    memory = place.memory(False)
    evidence = Evidence(
        moments=kept,
        said=tuple(_said(place, thread, kept[-1])),
        memories=memory.records(user) if memory else (),
        minimum=memory.min_score if memory else None,
    )
    return Explanation(thread, _number(kept[-1]), words, found_by(evidence, words), _number(kept[0]))


def sentences(explanation: Explanation, wording: Wording) -> list[str]:
    """Give an explanation as lines, one for each finding."""
    title = wording.say("explain.title", words=explanation.words, turn=explanation.turn)
    return [title, *(f"- {_sentence(finding, wording)}" for finding in explanation.findings)]


def _sentence(finding: Finding, wording: Wording) -> str:
    facts = {name: "" if value is None else value for name, value in finding.model_dump(mode="json").items()}
    facts["layer"] = wording.say(f"layer.{finding.layer.value}") if finding.layer else ""
    facts["change"] = wording.say(f"explain.change.{finding.change.value}") if finding.change else ""
    said = finding.turn if finding.said is None else finding.said
    facts["when"] = "" if said is None else wording.say("explain.when", turn=said)
    facts["score"] = "" if finding.score is None else f"{finding.score:.2f}"
    facts["minimum"] = "" if finding.minimum is None else f"{finding.minimum:.2f}"
    behind = [
        wording.say(f"explain.{name}", **{name: value})
        for name in ("by", "strategy", "reference", "reason")
        if (value := facts[name])
    ]
    return " ".join([wording.say(f"explain.{finding.cause.value}", **facts), *behind])


def _moments(place: Place, thread: str, user: str) -> list[TurnState]:
    """Give the state at the end of each kept turn of the thread's branch, oldest first; a damaged one is left out."""
    from ninefold.adapters.checkpoints.lineage import branch_of

    schema = Schema()
    moments: dict[str, TurnState] = {}
    for row in branch_of(place.rows(thread, user)):
        if row.turn in moments:
            continue
        try:
            stored = place.tuple(thread, row.id)
        except StorageError:
            continue
        if stored is None:
            continue
        values = schema.typed(schema.migrate(stored.checkpoint["channel_values"]))
        moment = TurnState(**{name: values[name] for name in TurnState.model_fields if name in values})
        if moment.turn is not None:
            moments[moment.turn.id] = moment
    return [*reversed(moments.values())]


def _said(place: Place, thread: str, now: TurnState) -> Iterator[Said]:
    """Give every message of the branch up to a turn: the archive's, then what only the window holds."""
    from ninefold.adapters.archive import branch, turn_messages

    assert now.turn is not None
    seen: set[str | None] = set()
    for turn, row in branch(place.store, thread, now.turn.id, now.turn.parent):
        for message in turn_messages(place.store, thread, turn):
            seen.add(message.id)
            yield Said(int(row["number"]), turn, message)
    entries = {entry.message: entry for entry in now.entries}
    for message in now.messages:
        if message.id not in seen:
            entry = entries.get(message.id or "")
            yield Said(now.turn.number, entry.turn if entry else now.turn.id, message)


def _number(moment: TurnState) -> int:
    return moment.turn.number if moment.turn else 0
