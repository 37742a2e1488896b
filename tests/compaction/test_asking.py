"""A model is asked for a summary no more often than it helps, and behind what its server has read (M7)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from langchain_core.messages import BaseMessage

from ninefold.nodes.compaction import SELDOM_ASKED
from ninefold.policies.compaction import Completion, Summarise, prepare
from ninefold.policies.spending import PATIENCE
from ninefold.state import Compacted
from tests.compaction.session import TOKENS, Session, settings
from tests.compaction.test_transaction import Model

WHO = {"zh": "赵钱孙李周吴郑王冯陈褚卫", "en": ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jim")}
TOLD = {"zh": "老{who}最会修水车。", "en": "Old {who} mends every water wheel in the valley. "}
MORE = {"zh": "院子里很热闹，大家都在说这件事。" * 8, "en": "The yard was lively and everybody talked of it. " * 10}


class Tail(Model):
    """A model on the chat's own server."""

    shares_prefix = True


def sentence(who: str, language: str) -> str:
    return TOLD[language].format(who=who).strip()


def points(prompt: Sequence[BaseMessage]) -> str:
    """Point at every sentence about a mender that the prompt holds."""
    seen = "\n".join(message.text for message in prompt)
    told = [sentence(who, language) for language in WHO for who in WHO[language]]
    return json.dumps({"decisions": [], "next_steps": [], "other_facts": [s for s in told if s in seen]})


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_a_model_chose_of_turns_that_stayed_is_taken_without_a_call(tmp_path: Path, language: str) -> None:
    model = Tail(points)
    chosen = settings(summary_threshold_tokens=900, num_ctx=8192)
    session = Session(tmp_path, chosen, assistant=model, strategies=(Summarise(),))
    for who in WHO[language]:
        session.say(TOLD[language].format(who=who) + MORE[language], "OK. " + MORE[language])
    cuts = session.state.counters.compactions
    assert cuts >= 2
    assert len(model.calls) <= (cuts + 1) // 2
    window = session.prompt_text()
    assert [who for who in WHO[language] if sentence(who, language) not in window] == []


def test_a_call_stands_behind_what_was_sent_whatever_is_proposed_before_it(tmp_path: Path) -> None:
    model = Tail(points)
    session = Session(tmp_path, settings(summary_threshold_tokens=900, num_ctx=8192), assistant=model)
    rows = json.dumps([{"id": n, "note": "left at the gate and signed by the driver"} for n in range(30)])
    for who in WHO["en"]:
        asked = len(model.calls)
        sent = session.prompts[-1] if session.prompts else []
        session.say(TOLD["en"].format(who=who), "OK. " + MORE["en"], results=[("orders", {"who": who}, rows)])
        for call, _ in model.calls[asked:]:
            assert [m.text for m in call[: len(sent)]] == [m.text for m in sent]
    assert model.calls


def test_a_model_whose_summaries_are_refused_is_asked_seldom_and_the_trace_says_so(tmp_path: Path) -> None:
    model = Tail(lambda _: "I am sorry, but I cannot help with that.")
    session = Session(tmp_path, settings(summary_threshold_tokens=500), assistant=model, strategies=(Summarise(),))
    for turn in range(6 * len(WHO["en"])):
        session.say(TOLD["en"].format(who=WHO["en"][turn % 10]) + MORE["en"], "OK.")
    cuts = session.state.counters.compactions
    assert cuts > 2 * PATIENCE + 4
    assert PATIENCE < len(model.calls) < cuts // 2
    events = [event for _, state in session.states for event in state.trace if isinstance(event, Compacted)]
    assert any(SELDOM_ASKED in event.reason for event in events)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_cut_by_recent_keep_takes_what_was_prepared(tmp_path: Path, language: str) -> None:
    model = Model(points)
    chosen = settings(recent_keep=8, key_turns=0)
    session = Session(tmp_path, chosen, assistant=model, strategies=(Summarise(),))
    for who in WHO[language]:
        session.say(TOLD[language].format(who=who), "OK.")
        if session.state.counters.compactions:
            break
        if session.state.next_cut:
            assert prepare(
                session.state,
                tokens=TOKENS,
                archive=session.archive,
                assistant=Completion(model),
                settings=chosen,
            )
            assert len(model.calls) == 1
    assert session.state.counters.compactions == 1
    assert len(model.calls) == 1
