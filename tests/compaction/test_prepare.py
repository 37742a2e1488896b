"""A summary prepared in idle time is taken when the cut comes, or not at all (D1)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from langchain_core.messages import BaseMessage

from ninefold.policies.compaction import Completion, Summarise, prepare
from tests.compaction.session import TOKENS, Session, settings
from tests.compaction.talks import CHINESE, SMALL_TALK
from tests.compaction.test_transaction import Model


def _nothing(_: Sequence[BaseMessage]) -> str:
    return json.dumps({"decisions": [], "next_steps": [], "other_facts": ["介绍背景和做法"]}, ensure_ascii=False)


def _until_noted(session: Session) -> None:
    for said in CHINESE:
        session.say(said.words, said.reply)
        if session.state.next_cut:
            return
    raise AssertionError("no cut was noted")


def _until_cut(session: Session) -> None:
    for _ in range(12):
        session.say(SMALL_TALK["zh"].words, SMALL_TALK["zh"].reply)
        if session.state.counters.compactions:
            return
    raise AssertionError("nothing was cut")


def _prepare(session: Session, model: Model) -> bool:
    return prepare(
        session.state,
        tokens=TOKENS,
        archive=session.archive,
        assistant=Completion(model),
        settings=session.settings,
    )


def test_above_the_soft_mark_the_next_cut_is_noted_and_stays_the_same(tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=1000), strategies=(Summarise(),))
    _until_noted(session)
    noted = session.state.next_cut
    assert session.state.counters.compactions == 0
    session.say(SMALL_TALK["zh"].words, SMALL_TALK["zh"].reply)
    assert session.state.next_cut == noted
    _until_cut(session)
    left = {entry.message for entry in session.state.entries}
    assert not left & set(noted)
    assert session.state.next_cut != noted


def test_a_prepared_summary_needs_no_model_when_the_cut_comes(tmp_path: Path) -> None:
    model = Model(_nothing)
    session = Session(tmp_path, settings(summary_threshold_tokens=1000), assistant=model, strategies=(Summarise(),))
    _until_noted(session)
    before = session.state
    assert _prepare(session, model)
    assert session.state == before
    assert len(model.calls) == 1
    _until_cut(session)
    assert len(model.calls) == 1
    texts = [item.text for item in session.state.summary.items]
    assert "这里是一些说明文字，介绍背景和做法，没有需要记住的内容。" in texts


def test_a_prepared_summary_of_other_turns_is_never_taken(tmp_path: Path) -> None:
    model = Model(_nothing)
    session = Session(tmp_path, settings(summary_threshold_tokens=1000), assistant=model, strategies=(Summarise(),))
    _until_noted(session)
    _prepare(session, model)
    session.state = session.state.model_copy(update={"next_cut": ()})
    _until_cut(session)
    assert len(model.calls) >= 2
