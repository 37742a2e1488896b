"""The four-field summary: the oldest turns leave, their decisions, steps and facts stay word for word."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from pydantic import ValidationError

from ninefold.state import (
    AgentSettings,
    Language,
    Missing,
    NinefoldError,
    Proposal,
    StrategyName,
    Summary,
)
from ninefold.state.turn_state import TurnState

from ..apply import over
from ..descent import A_TURN, Pressure, pressure
from ..keeping.kept import Kept, kept_in
from ..keeping.needs import later_in
from ..window import Group, movable, oldest
from .addresses import address, words_of
from .chronicle import Statement, statements
from .digest import Digest, cost, digest
from .model_summary import chosen_by_model
from .strategy import Completion, Counter, Originals

FORMAT = 2
"""Version of the prepared form; another one is never looked up."""
GROWTH = 0.7
"""Share of what leaves by which a summary may grow; the rest is what the cut frees."""


class Summarise:
    """Moves the oldest turns that may leave into the summary.

    Without a model it copies the sentences that carry a decision, a step, an exact value or a negation. A model only
    adds sentences that it copies from the same turns; what it cannot ground is dropped, and when it fails the rules
    stand alone.
    """

    name = StrategyName.SUMMARY.value

    def propose(
        self,
        state: TurnState,
        *,
        tokens: Counter,
        archive: Originals,
        assistant: Completion | None,
        settings: AgentSettings,
    ) -> Proposal | None:
        """Give the cut and the new summary, or None when nothing may leave or nothing would be freed."""
        now = over(state, state.proposals)
        leaving = to_leave(
            state, settings, is_there=lambda groups: _prepared(archive, _key(now, groups, (), archive, settings))
        )
        if not leaving:
            return None
        return fold_into_summary(
            self.name, state, leaving, tokens=tokens, archive=archive, assistant=assistant, settings=settings
        )


def fold_into_summary(
    name: str,
    state: TurnState,
    leaving: Sequence[Group],
    *,
    tokens: Counter,
    archive: Originals,
    assistant: Completion | None,
    settings: AgentSettings,
    conclusions: Sequence[Statement] = (),
) -> Proposal | None:
    """Give the proposal by which these turns leave for the archive and the summary takes what must stay of them."""
    now = over(state, state.proposals)
    removed = sum(group.tokens for group in leaving)
    language = state.language or Language.ENGLISH
    made, reason = _digest(now, leaving, conclusions, removed, tokens, archive, assistant, settings)
    freed = removed - (cost(made.summary, language, tokens) - cost(now.summary, language, tokens))
    if freed <= 0:
        return None
    ids = tuple(id_ for group in leaving for id_ in group.ids)
    return Proposal(
        strategy=name,
        span=ids,
        removed=ids,
        summary=made.summary,
        freed=freed,
        by_reference=made.by_reference,
        reason=reason[:400],
    )


def to_leave(
    state: TurnState, settings: AgentSettings, *, is_there: Callable[[Sequence[Group]], object] = bool
) -> tuple[Group, ...]:
    """Give the groups that leave: exactly those prepared for, where they still may, else the oldest that make room.

    A cut that was noted has to make half of the room that is needed, or the next turn would bring another; unless its
    summary is there already. Where `recent_keep` fires it has to make room for a turn.
    """
    now = over(state, state.proposals)
    may = movable(now, settings)
    full = pressure(state, settings)
    wanted = set(state.next_cut)
    if wanted and wanted.issubset(id_ for group in may for id_ in group.ids):
        prepared = tuple(group for group in may if wanted.issuperset(group.ids))
        left = full.messages - sum(group.counted for group in prepared)
        room = full.messages_to_leave == 0 or left <= settings.context_policy.recent_keep - A_TURN
        enough = sum(group.tokens for group in prepared) * 2 >= full.tokens_to_free or len(prepared) == len(may)
        if room and (enough or is_there(prepared)):
            return prepared
    return cut(may, full, settings)


def cut(may: Sequence[Group], full: Pressure, settings: AgentSettings) -> tuple[Group, ...]:
    """Give the oldest groups that free what must be freed, the growth of the summary counted in."""
    growth = min(settings.summary_limit, full.tokens_to_free // 2)
    return oldest(
        may, tokens=full.tokens_to_free + growth if full.tokens_to_free else 0, messages=full.messages_to_leave
    )


def prepare(
    state: TurnState, *, tokens: Counter, archive: Originals, assistant: Completion | None, settings: AgentSettings
) -> bool:
    """Make the summary of the next cut and keep it in the archive's cache; whether there was one to make.

    The state stays as it is: the cut finds the prepared text by the content it was made of, or not at all.
    """
    leaving = to_leave(state, settings) if state.next_cut else ()
    if not leaving:
        return False
    removed = sum(group.tokens for group in leaving)
    _digest(over(state, state.proposals), leaving, (), removed, tokens, archive, assistant, settings)
    return True


def _digest(
    now: TurnState,
    leaving: Sequence[Group],
    conclusions: Sequence[Statement],
    removed: int,
    tokens: Counter,
    archive: Originals,
    assistant: Completion | None,
    settings: AgentSettings,
) -> tuple[Digest, str]:
    """Give the new summary, prepared or made now, and why it was made without the model where it was."""
    key = _key(now, leaving, conclusions, archive, settings)
    # Where no model may be called in this turn, what one has prepared is as good as in any other.
    prepared = _prepared(archive, key)
    if prepared is not None:
        return prepared, ""
    ids = tuple(id_ for group in leaving for id_ in group.ids)
    rest = over(now, (Proposal(strategy=StrategyName.SUMMARY, span=ids, removed=ids),))
    kept = kept_in(rest, summary=False, recalled=False)
    language = now.language or Language.ENGLISH
    covers = leaving[-1].turns[-1]
    told, reason = [*conclusions], ""
    if settings.summary:
        told += statements(leaving, archive, kept, later_in(now))
        if assistant is not None:
            added, reason = _with_model(now, leaving, told, kept, tokens, archive, assistant, settings)
            told += added
    made = digest(
        now.summary,
        told,
        covers=covers,
        cap=settings.summary_limit,
        room=int(removed * GROWTH),
        kept=kept,
        language=language,
        tokens=tokens,
    )
    if assistant is not None and not reason:
        _keep(archive, key, made)
    return made, reason


def _with_model(
    now: TurnState,
    leaving: Sequence[Group],
    told: Sequence[Statement],
    kept: Kept,
    tokens: Counter,
    archive: Originals,
    assistant: Completion,
    settings: AgentSettings,
) -> tuple[Sequence[Statement], str]:
    try:
        return chosen_by_model(
            now, leaving, told, kept, tokens=tokens, archive=archive, assistant=assistant, settings=settings
        ), ""
    except NinefoldError as error:
        return (), str(error)


def _key(
    now: TurnState,
    leaving: Sequence[Group],
    conclusions: Sequence[Statement],
    archive: Originals,
    settings: AgentSettings,
) -> str:
    """Give the content address of a prepared summary: everything that it is made of, in its original words."""
    parts = [
        FORMAT,
        settings.summary_limit,
        now.language,
        now.summary.model_dump(mode="json"),
        words_of(leaving, archive),
        [statement.item.text for statement in conclusions],
    ]
    return address("summary", parts, settings)


def _prepared(archive: Originals, key: str) -> Digest | None:
    text = archive.cached(key)
    if text is None:
        return None
    try:
        found = json.loads(text)
        summary = Summary.model_validate(found["summary"])
        return Digest(summary, tuple(Missing.model_validate(item) for item in found["by_reference"]))
    except (ValueError, KeyError, TypeError, ValidationError):
        return None


def _keep(archive: Originals, key: str, made: Digest) -> None:
    text = {
        "summary": made.summary.model_dump(mode="json"),
        "by_reference": [missing.model_dump(mode="json") for missing in made.by_reference],
    }
    archive.cache(key, json.dumps(text, ensure_ascii=False))
