"""Bounds of every compaction: progress, the summary's cap, the size of an internal call (BUG-07, -08, -09)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from ninefold.policies.compaction import Summarise
from ninefold.policies.compaction.digest import cost
from ninefold.policies.compaction.model_summary import chunks
from ninefold.policies.descent import pressure
from ninefold.state import Entry, Language, Proposal, View
from ninefold.state.turn_state import TurnState
from tests.compaction.session import TOKENS, Session, settings
from tests.compaction.talks import CHINESE, ENGLISH, SMALL_TALK, Said
from tests.compaction.test_transaction import Model
from tests.examples import examples


@pytest.mark.parametrize(("talk", "language"), [(CHINESE, "zh"), (ENGLISH, "en")], ids=["zh", "en"])
def test_ten_passes_lose_nothing_and_stay_under_the_cap(talk: Sequence[Said], language: str, tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=500, summary_tokens=600))
    for said in talk:
        session.say(said.words, said.reply)
    for _ in range(60):
        session.say(SMALL_TALK[language].words, SMALL_TALK[language].reply)
    assert session.state.counters.compactions >= 10
    assert cost(session.state.summary, Language(language), TOKENS) <= 600
    sent = session.prompt_text()
    assert [kept for said in talk for kept in said.kept if kept not in sent] == []
    assert session.state.summary.references == ()


def test_a_summary_without_room_says_which_values_stand_behind_a_reference(tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=500, summary_tokens=160))
    for round_ in range(3):
        for place, said in enumerate(CHINESE):
            session.say(f"{said.words}编号 K{round_}{place:02d}-77。", said.reply)
    assert session.state.counters.compactions >= 5
    assert all(
        cost(state.summary, Language.CHINESE, TOKENS) <= 160 for _, state in session.states if not state.summary.empty
    )
    references = session.state.summary.references
    assert references
    assert all(session.archive.expand(reference) for reference in references)
    events = [event for _, state in session.states for event in state.trace if event.kind == "compacted"]
    assert any("by reference" in event.reason for event in events)


def test_a_compaction_that_cannot_help_is_not_tried_again_every_turn(tmp_path: Path) -> None:
    session = Session(tmp_path, settings(num_ctx=1024, num_predict=256, summary_threshold_tokens=300))
    for turn in range(12):
        session.say("说一句。" if turn else "不要用红色，" + "所有内容都要写得很详细，还要配图表。" * 12, "好。")
    proposed = [event for _, state in session.states for event in state.trace if event.kind == "compacted"]
    steps = [step for step, _ in session.states]
    assert steps.count("compaction") <= steps.count("turn_start")
    assert len({event.model_dump_json() for event in proposed}) <= 12


def test_a_turn_whose_fixed_layers_cannot_fit_ends_with_the_layer_named(tmp_path: Path) -> None:
    session = Session(tmp_path, settings(num_ctx=512, num_predict=256))
    session.say("不要用红色。" + "不要用圆角，" * 3)
    for place in range(60):
        session.say(f"不要用第{place}号字体，也不要在第{place}页写字。", "好。")
        if session.state.outcome is not None:
            break
    assert session.state.outcome is not None
    assert session.state.outcome.status == "over_budget"
    assert session.state.outcome.layer == "constraints"
    assert [step for step, _ in session.states[-12:]].count("compaction") <= 1


def test_no_internal_call_is_larger_than_the_models_window(tmp_path: Path) -> None:
    def nothing(_: Sequence[BaseMessage]) -> str:
        return json.dumps({"decisions": [], "next_steps": [], "other_facts": []})

    model = Model(nothing, num_ctx=1400)
    session = Session(tmp_path, settings(summary_threshold_tokens=6000, summary_tokens=400), assistant=model)
    for place in range(12):
        session.say(f"第{place}段：" + "这里有一段很长的文字，没有标点也没有换行" * 40, "好的。" + "回复内容" * 120)
    assert len(model.calls) > 3
    assert all(TOKENS.prompt(prompt) + reserve <= model.num_ctx for prompt, reserve in model.calls)


@examples(100)
@given(st.lists(st.text(alphabet="一二三四 abcdefg，。\n", max_size=900), max_size=8), st.integers(200, 700))
def test_chunks_hold_everything_and_each_fits(pieces: list[str], room: int) -> None:
    made = chunks(pieces, "指令", room=room, tokens=TOKENS)
    assert all(TOKENS.prompt([SystemMessage("指令"), HumanMessage(chunk)]) <= room for chunk in made)
    assert "".join(made).replace("\n", "") == "".join(pieces).replace("\n", "")


@pytest.mark.parametrize(
    ("policy", "fires"),
    [({"summary_threshold_tokens": 700}, "window"), ({"recent_keep": 8}, "recent_keep")],
    ids=["window tokens", "recent_keep"],
)
def test_a_trigger_fires_at_its_number_and_not_before(policy: dict[str, Any], fires: str, tmp_path: Path) -> None:
    session = Session(tmp_path, settings(**policy))
    for said in CHINESE:
        session.say(said.words, said.reply)
    checked = [
        (state, pressure(state, session.settings)) for step, state in session.states if step == "threshold_check"
    ]
    assert any(fires in full.fired for _, full in checked)
    for state, full in checked:
        if state.proposals:
            continue
        number = full.window if fires == "window" else full.messages
        assert (fires in full.fired) == (
            number > policy["summary_threshold_tokens" if fires == "window" else "recent_keep"]
        )


def test_a_window_over_its_mark_alone_is_cut_only_for_half_and_then_the_prompt_goes_down_too() -> None:
    chosen = settings(summary_threshold_tokens=3500)
    sizes = {"old": 300, "before": 2000, "last": 1300}
    state = TurnState(
        messages=[HumanMessage("words", id=turn) for turn in sizes],
        entries=tuple(
            Entry(message=turn, turn=turn, sequence=0, tokens=size, archived=True) for turn, size in sizes.items()
        ),
    )
    soft = pressure(state, chosen).soft
    for needed in (soft - 50, soft + 50):
        full = pressure(state.model_copy(update={"view": View(layers=(), tokens=0, reserve=0, needed=needed)}), chosen)
        assert (full.fired, full.smallest_block, full.room_to_make, full.over) == (("window",), 875, 300, False)
    folded = Proposal(strategy="folding", span=("last",), freed=10)
    over_soft = View(layers=(), tokens=0, reserve=0, needed=soft + 50)
    begun = pressure(state.model_copy(update={"view": over_soft, "proposals": (folded,)}), chosen)
    assert (begun.fired, begun.over) == (("window",), True)


def test_the_window_is_cut_down_to_its_low_mark_in_one_go(tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=900))
    sizes: list[int] = []
    for said in (*CHINESE, *CHINESE):
        session.say(said.words, said.reply)
        sizes.append(sum(entry.tokens for entry in session.state.entries))
    cuts = [place for place in range(1, len(sizes)) if sizes[place] < sizes[place - 1]]
    assert cuts
    assert all(later - earlier >= 3 for earlier, later in pairwise(cuts))


def test_what_a_person_said_outlives_the_reply_that_echoed_it(tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=500), strategies=(Summarise(),))
    padding = SMALL_TALK["zh"].reply
    session.say("我的车牌是 K7731Z。", "好的，车牌 K7731Z。" + padding)
    for _ in range(20):
        session.say(SMALL_TALK["zh"].words, "（车牌 K7731Z）" + padding)
    for _ in range(20):
        session.say(SMALL_TALK["zh"].words, padding)
    assert session.state.counters.compactions >= 4
    assert "我的车牌是 K7731Z。" in session.prompt_text()
