"""What there is to say when a turn has ended, besides its reply."""

from __future__ import annotations

from ninefold.state import OutcomeStatus

from ..translation import translated
from ..wording import Wording
from .happenings import Ended


def notes(ended: Ended, wording: Wording) -> list[str]:
    """Give what was done less well than asked, and why a reply is missing."""
    outcome = ended.outcome
    said = [wording.say("chat.note", text=_told(note, wording)) for note in (outcome.notes if outcome else ())]
    if outcome and outcome.status is OutcomeStatus.OVER_BUDGET:
        said.append(wording.say("chat.over_budget", layer=wording.name("layer", outcome.layer or "")))
    elif ended.reply is None:
        said.append(wording.say("chat.no_reply"))
    return said


def failed(ended: Ended) -> bool:
    """Tell whether the turn ended without a reply."""
    over = ended.outcome is not None and ended.outcome.status is OutcomeStatus.OVER_BUDGET
    return over or ended.reply is None


def _told(note: str, wording: Wording) -> str:
    """Give a note, which ends with its cause in brackets, with the cause in the person's language."""
    what, opened, cause = note.partition(" (")
    if not opened or not cause.endswith(")"):
        return translated(note, wording.language)
    return f"{what} ({translated(cause[:-1], wording.language)})"
