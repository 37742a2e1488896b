"""A compaction is proven or it never was: the state is as before, the turn is answered, the trace says why (BUG-04)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from ninefold.policies.apply import over
from ninefold.policies.compaction import Completion, Counter, Originals, Summarise
from ninefold.policies.keeping.needs import needs
from ninefold.state import AgentSettings, InternalModelError, Item, ModelTimeout, Proposal, Replacement, Summary
from ninefold.state.turn_state import TurnState
from tests.compaction.session import Session, settings
from tests.compaction.talks import CHINESE, ENGLISH, Said

Words = Callable[[Sequence[BaseMessage]], str]


class Model:
    """A model whose words are scripted; it notes every call."""

    shares_prefix = False

    def __init__(self, words: Words, num_ctx: int = 8192) -> None:
        self.num_ctx = num_ctx
        self.calls: list[tuple[list[BaseMessage], int]] = []
        self._words = words

    def complete(
        self, prompt: Sequence[BaseMessage], *, purpose: str, num_predict: int, schema: Mapping[str, Any] | None = None
    ) -> str:
        """Give the scripted words."""
        self.calls.append((list(prompt), num_predict))
        return self._words(prompt)


class Reckless:
    """A strategy that proposes whatever a test wants."""

    name = "summary"

    def __init__(self, spoil: Callable[[TurnState, Proposal], Proposal]) -> None:
        self._spoil = spoil

    def propose(
        self,
        state: TurnState,
        *,
        tokens: Counter,
        archive: Originals,
        assistant: Completion | None,
        settings: AgentSettings,
    ) -> Proposal | None:
        """Give the honest proposal, spoilt."""
        honest = Summarise().propose(state, tokens=tokens, archive=archive, assistant=assistant, settings=settings)
        return self._spoil(state, honest) if honest else None


def _fail(error: Exception) -> Words:
    def words(_: Sequence[BaseMessage]) -> str:
        raise error

    return words


def _talk(session: Session, talk: Sequence[Said]) -> None:
    for said in talk:
        session.say(said.words, said.reply)


def _events(session: Session, kind: str) -> list[Any]:
    return [event for _, state in session.states for event in state.trace if event.kind == kind]


BAD: dict[str, Words] = {
    "times out": _fail(ModelTimeout("No answer within 5 s.", "Try again.")),
    "cut off": _fail(InternalModelError("The reply was cut by num_predict.", "Raise it.")),
    "empty": lambda _: "",
    "refused": lambda _: "抱歉，我无法总结这段对话。",
    "refused in English": lambda _: "I'm sorry, but I can't help with that.",
    "half": lambda _: '{"decisions": ["我们决定采用方案B，部署到 v2.3.1。"], "next_st',
    "wrong types": lambda _: '{"decisions": 3, "next_steps": "x", "other_facts": null}',
    "prose": lambda _: "用户想要一个蓝色的网站，预算待定。",
    "another language": lambda _: json.dumps(
        {"decisions": ["Der Preis ist offen."], "next_steps": [], "other_facts": []}
    ),
    "invented": lambda _: json.dumps({"decisions": ["决定用红色"], "next_steps": [], "other_facts": ["预算八万元"]}),
    "only thinking": lambda _: '<think>{"decisions": ["决定用红色"], "next_steps": [], "other_facts": []}',
}


@pytest.mark.parametrize("talk", [CHINESE, ENGLISH], ids=["zh", "en"])
@pytest.mark.parametrize("words", BAD.values(), ids=BAD.keys())
def test_a_model_that_fails_changes_nothing_of_what_the_rules_keep(
    words: Words, talk: Sequence[Said], tmp_path: Path
) -> None:
    chosen = settings(summary_threshold_tokens=700)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    rules = Session(tmp_path / "a", chosen)
    _talk(rules, talk)
    model = Model(words)
    session = Session(tmp_path / "b", chosen, assistant=model)
    _talk(session, talk)
    assert model.calls
    assert len(session.prompts) == len(talk)
    assert session.state.summary == rules.state.summary
    assert session.state.messages == rules.state.messages
    assert session.state.entries == rules.state.entries
    if words not in (BAD["wrong types"],):
        assert any(event.step == "compaction" for event in _events(session, "degraded"))


def test_a_model_adds_whole_sentences_and_never_its_own_words(tmp_path: Path) -> None:
    def points(_: Sequence[BaseMessage]) -> str:
        return (
            "```json\n"
            + json.dumps(
                {"decisions": [], "next_steps": [], "other_facts": ["介绍背景和做法", "好的，记住了。"]},
                ensure_ascii=False,
            )
            + "\n```"
        )

    session = Session(tmp_path, settings(summary_threshold_tokens=700), assistant=Model(points))
    _talk(session, CHINESE[:8])
    texts = [item.text for item in session.state.summary.items]
    assert "这里是一些说明文字，介绍背景和做法，没有需要记住的内容。" in texts


def _forgetful(state: TurnState, honest: Proposal) -> Proposal:
    return honest.model_copy(update={"summary": Summary(covers=honest.summary.covers if honest.summary else None)})


def _inventive(state: TurnState, honest: Proposal) -> Proposal:
    item = Item(text="用户要红色和圆角，预算八万元。", sources=honest.removed[:1])
    return honest.model_copy(update={"summary": Summary(other_facts=(item,))})


def _splitting(state: TurnState, honest: Proposal) -> Proposal:
    return honest.model_copy(update={"removed": honest.removed[1:]})


def _greedy(state: TurnState, honest: Proposal) -> Proposal:
    ids = tuple(entry.message for entry in over(state, state.proposals).entries)
    return honest.model_copy(update={"removed": ids[:-1], "span": ids[:-1]})


def _growing(state: TurnState, honest: Proposal) -> Proposal:
    longer = tuple(Replacement(message=id_, text="很长" * 500, reference="r00000000") for id_ in honest.removed)
    return honest.model_copy(update={"removed": (), "replacements": longer, "summary": None})


def _all_by_reference(state: TurnState, honest: Proposal) -> Proposal:
    texts = {message.id: message for message in state.messages}
    named = tuple(need.missing for id_ in honest.removed for need in needs(texts[id_], texts[id_]))
    return honest.model_copy(update={"summary": Summary(references=("r00000000",)), "by_reference": named})


@pytest.mark.parametrize("spoil", [_inventive, _greedy, _growing], ids=lambda f: f.__name__)
def test_a_refuted_proposal_is_rolled_back_and_struck_out(
    spoil: Callable[[TurnState, Proposal], Proposal], tmp_path: Path
) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=700), strategies=(Reckless(spoil),))
    _talk(session, CHINESE)
    assert len(session.prompts) == len(CHINESE)
    refuted = [event for event in _events(session, "fidelity_checked") if event.strategy == "summary"]
    assert refuted
    assert all(event.missing for event in refuted)
    assert session.state.summary == Summary()
    assert session.state.counters.compactions == 0
    assert len(session.state.messages) == 2 * len(CHINESE)
    for said in CHINESE:
        assert any(message.text == said.words for message in session.state.messages)


@pytest.mark.parametrize("spoil", [_forgetful, _all_by_reference], ids=lambda f: f.__name__)
def test_what_a_proposal_lost_is_put_back_word_for_word(
    spoil: Callable[[TurnState, Proposal], Proposal], tmp_path: Path
) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=700), strategies=(Reckless(spoil),))
    _talk(session, CHINESE[:8])
    assert any("put back" in event.reason for event in _events(session, "fidelity_checked"))
    assert session.state.counters.compactions >= 1
    sent = session.prompt_text()
    assert [kept for said in CHINESE[:7] for kept in said.kept if kept not in sent] == []


def test_a_refusal_leaves_the_state_byte_equal_but_for_verdict_strike_and_trace(tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=700), strategies=(Reckless(_inventive),))
    _talk(session, CHINESE)
    turn_fields = {"view", "proposals", "struck", "verdict", "candidates", "trace", "next_cut"}
    pairs = [
        (before, after)
        for (step, before), (_, after) in zip(session.states, session.states[1:], strict=False)
        if step == "compaction" or (step == "fidelity_check" and after.verdict is not None and not after.verdict.proven)
    ]
    assert pairs
    for before, after in pairs:
        assert before.model_dump_json(exclude=turn_fields) == after.model_dump_json(exclude=turn_fields)


def test_a_veto_rolls_back_and_a_yes_overrules_no_proof(tmp_path: Path) -> None:
    def no(_: Sequence[BaseMessage]) -> str:
        return '{"supported": false, "missing": "预算"}'

    def yes(_: Sequence[BaseMessage]) -> str:
        return '{"supported": true, "missing": ""}'

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    chosen = settings(summary_threshold_tokens=700, veto=True)
    vetoed = Session(tmp_path / "a", chosen, assistant=Model(no))
    _talk(vetoed, CHINESE)
    assert vetoed.state.counters.compactions == 0
    assert any(m.kind == "veto" for e in _events(vetoed, "fidelity_checked") for m in e.missing)
    fooled = Session(tmp_path / "b", chosen, assistant=Model(yes), strategies=(Reckless(_inventive),))
    _talk(fooled, CHINESE)
    assert fooled.state.counters.compactions == 0
