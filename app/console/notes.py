"""What there is to say when a turn has ended, besides its reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ninefold.state import ChangeKind, OutcomeStatus

from ..translation import translated
from ..wording import Wording
from .happenings import Ended

_BAR = 20
"""Characters of the bar that shows how far the model has read."""


def notes(ended: Ended, wording: Wording) -> list[str]:
    """Give what was done less well than asked, and why a reply is missing."""
    outcome = ended.outcome
    said = [wording.say("chat.note", text=_told(note, wording)) for note in (outcome.notes if outcome else ())]
    if outcome and outcome.status is OutcomeStatus.OVER_BUDGET:
        said.append(wording.say("chat.over_budget", layer=wording.name("layer", outcome.layer or "")))
    elif ended.reply is None:
        said.append(wording.say("chat.no_reply"))
    return said


def rules(event: Mapping[str, Any], wording: Wording) -> list[str]:
    """Give which rules a step's event brought, and which it ended; what held for one turn alone ends unsaid."""
    said: list[str] = []
    for each in event["changes"] if event.get("kind") == "constraints_updated" else ():
        kind, words, old = ChangeKind(each["change"]), each["words"], each["replaces"]
        if kind is ChangeKind.CHANGED and old:
            said.append(wording.say("chat.replaced", words=words, old=old))
        elif kind is ChangeKind.REMOVED:
            said.append(wording.say("end.done", words=words))
        elif kind in (ChangeKind.ADDED, ChangeKind.CHANGED):
            said.append(wording.say("chat.heard", words=words))
    return said


def failed(ended: Ended) -> bool:
    """Tell whether the turn ended without a reply."""
    over = ended.outcome is not None and ended.outcome.status is OutcomeStatus.OVER_BUDGET
    return over or ended.reply is None


def progress(event: Mapping[str, Any], wording: Wording) -> str | None:
    """Give what a step's event tells of how far the turn is; None where it tells nothing of that."""
    match event.get("kind"):
        case "assembled":
            return wording.say("chat.reading_tokens", tokens=event["tokens"])
        case "prompt_read":
            return f"{_bar(event['done'], event['total'])} {event['done']}/{event['total']}"
        case "tool_called":
            return wording.say("chat.tool", name=event["name"])
        case _:
            return None


def _bar(done: int, total: int) -> str:
    filled = _BAR * done // max(total, 1)
    return "█" * filled + "░" * (_BAR - filled)


def _told(note: str, wording: Wording) -> str:
    """Give a note, which ends with its cause in brackets, all of it in the person's language."""
    what, opened, cause = note.partition(" (")
    if not opened or not cause.endswith(")"):
        return translated(note, wording.language)
    return f"{translated(what, wording.language)} ({translated(cause[:-1], wording.language)})"
