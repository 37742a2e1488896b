"""A spoilt summary never becomes state, and an honest one that is written otherwise is not refused (BUG-12, X2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from ninefold.policies.apply import over
from ninefold.policies.proof import refuted
from ninefold.policies.proof.summary_laws import summary_faults
from ninefold.state import Item, Proposal, StepStatus, Summary
from ninefold.state.turn_state import TurnState
from tests.compaction.faults import Spoilt, harmless, spoilt
from tests.compaction.session import TOKENS, Session, settings
from tests.compaction.talks import CHINESE, ENGLISH, Said


class Case(NamedTuple):
    """An honest proposal of a session, over the window it was made for."""

    session: Session
    before: TurnState
    proposal: Proposal

    def missing(self, summary: Summary | None = None) -> Sequence[object]:
        """Give what a proof finds with this summary in the proposal's place."""
        changed = self.proposal if summary is None else self.proposal.model_copy(update={"summary": summary})
        archive, chosen = self.session.archive, self.session.settings
        return refuted(self.before, changed, tokens=TOKENS, archive=archive, settings=chosen).missing


@pytest.fixture(scope="module", params=[CHINESE, ENGLISH], ids=["zh", "en"])
def cases(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    talk: tuple[Said, ...] = request.param
    session = Session(tmp_path_factory.mktemp("faults"), settings(summary_threshold_tokens=700))
    for said in talk:
        session.say(said.words, said.reply)
    return list(_proposed(session))


def _proposed(session: Session) -> Iterator[Case]:
    for step, state in session.states:
        if step == "fidelity_check":
            for place, proposal in enumerate(state.proposals):
                if proposal.summary is not None:
                    yield Case(session, over(state, state.proposals[:place]), proposal)


def test_an_honest_summary_is_proven(cases: list[Case]) -> None:
    assert len(cases) >= 2
    assert [case.missing() for case in cases] == [()] * len(cases)


def test_every_spoilt_summary_is_refuted(cases: list[Case]) -> None:
    tried = [(case, bad) for case in cases for bad in spoilt(case.proposal.summary or Summary())]
    assert len({bad.fault for _, bad in tried}) >= 14
    assert [bad for case, bad in tried if not case.missing(bad.summary)] == []


def test_another_way_of_writing_the_same_is_no_fault(cases: list[Case]) -> None:
    tried: list[tuple[Case, Spoilt]] = [(c, good) for c in cases for good in harmless(c.proposal.summary or Summary())]
    assert tried
    assert [(good.fault, case.missing(good.summary)) for case, good in tried if case.missing(good.summary)] == []


@pytest.mark.parametrize("text", ["帮我看看这个可以吗？", "Can you help with that?"])
def test_a_step_that_is_asked_for_anew_may_be_pending_again(text: str) -> None:
    earlier = Item(text=text, sources=("t1-u",), status=StepStatus.DONE)
    leaving = {"t9-u": HumanMessage(text, id="t9-u")}
    old = Summary(next_steps=(earlier,))
    anew = Summary(next_steps=(Item(text=text, sources=("t9-u",), status=StepStatus.PENDING),))
    assert summary_faults(old, anew, leaving) == ()
    for sources in (("t1-u",), ("t1-u", "t9-u"), ("t8-u",), ()):
        reopened = Summary(next_steps=(Item(text=text, sources=sources, status=StepStatus.PENDING),))
        assert [fault.kind for fault in summary_faults(old, reopened, leaving)] == ["status"], sources


@pytest.mark.parametrize(
    "said",
    ["I managed to book the hotel, done!", "Did you book the hotel?", "We'll not book the hotel.", "Contest the test."],
)
def test_a_mention_of_a_finished_step_does_not_make_it_pending(said: str) -> None:
    text = "test" if "test" in said else "book the hotel"
    old = Summary(next_steps=(Item(text=text, sources=("t1-u",), status=StepStatus.DONE),))
    anew = Summary(next_steps=(Item(text=text, sources=("t9-u",), status=StepStatus.PENDING),))
    assert [fault.kind for fault in summary_faults(old, anew, {"t9-u": HumanMessage(said, id="t9-u")})] == ["status"]
    replied = {"t9-u": AIMessage(text, id="t9-u")}
    assert [fault.kind for fault in summary_faults(old, anew, replied)] == ["status"]
