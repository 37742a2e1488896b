"""Whatever the window is cut by, no result loses its call, no call its result, and the floor stays (BUG-01, H1, D3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from ninefold.policies.proof import unpaired
from ninefold.policies.window import groups, movable, oldest
from ninefold.state import Entry, Turn
from ninefold.state.turn_state import TurnState
from tests.compaction.session import Session, settings
from tests.compaction.talks import CHINESE
from tests.examples import examples

CHOSEN = settings(key_turns=2, key_turn_tokens=200)


@st.composite
def windows(draw: st.DrawFn) -> TurnState:
    """Give a window of turns with calls; some results come late, in a later turn, and some not at all."""
    messages: list[AnyMessage] = []
    entries: list[Entry] = []
    waiting: list[str] = []
    count = draw(st.integers(1, 7))
    for number in range(count):
        turn = f"t{number}"
        mine: list[AnyMessage] = [HumanMessage(f"问题 {number}", id=f"{turn}-u")]
        for late in [call for call in waiting if draw(st.booleans())]:
            waiting.remove(late)
            mine.append(ToolMessage("晚到的结果", id=f"{turn}-{late}", tool_call_id=late))
        for round_ in range(draw(st.integers(0, 3))):
            calls = [f"{turn}-{round_}-{place}" for place in range(draw(st.integers(1, 3)))]
            mine.append(
                AIMessage("", id=f"{turn}-c{round_}", tool_calls=[{"name": "f", "args": {}, "id": c} for c in calls])
            )
            for call in calls:
                if draw(st.integers(0, 4)):
                    mine.append(ToolMessage("结果", id=f"{call}-r", tool_call_id=call))
                else:
                    waiting.append(call)
        mine.append(AIMessage("答复", id=f"{turn}-a"))
        key = draw(st.integers(0, 5)) == 0
        archived = draw(st.integers(0, 9)) > 0
        entries += [
            Entry(
                message=m.id or "", turn=turn, sequence=i, tokens=draw(st.integers(5, 90)), archived=archived, key=key
            )
            for i, m in enumerate(mine)
        ]
        messages += mine
    now = Turn(id=f"t{count - 1}", parent=None, number=count, at="2026-01-01T00:00:00+00:00", user="ann")
    return TurnState(messages=messages, entries=tuple(entries), turn=now)


@examples(300)
@given(windows(), st.integers(0, 9))
def test_no_cut_splits_a_call_from_its_results(state: TurnState, place: int) -> None:
    leaving = {id_ for group in movable(state, CHOSEN)[:place] for id_ in group.ids}
    rest = [message for message in state.messages if message.id not in leaving]
    before = {(missing.kind, missing.span) for missing in unpaired(state.messages)}
    assert {(missing.kind, missing.span) for missing in unpaired(rest)} <= before


@examples(300)
@given(windows())
def test_groups_are_the_window_in_its_order(state: TurnState) -> None:
    assert [message.id for group in groups(state) for message in group.messages] == [m.id for m in state.messages]


@examples(300)
@given(windows())
def test_the_floor_never_leaves(state: TurnState) -> None:
    assert state.turn is not None
    may = {id_ for group in movable(state, CHOSEN) for id_ in group.ids}
    turns = list(dict.fromkeys(entry.turn for entry in state.entries))
    for entry in state.entries:
        if entry.turn in turns[-2:] or not entry.archived:
            assert entry.message not in may
    answered = {m.tool_call_id for m in state.messages if isinstance(m, ToolMessage)}
    waiting = {
        m.id for m in state.messages if isinstance(m, AIMessage) for call in m.tool_calls if call["id"] not in answered
    }
    assert not waiting & may


@examples(200)
@given(windows(), st.integers(0, 400), st.integers(0, 12))
def test_the_oldest_leave_and_no_more_than_needed(state: TurnState, tokens: int, messages: int) -> None:
    may = movable(state, CHOSEN)
    taken = oldest(may, tokens=tokens, messages=messages)
    assert taken == may[: len(taken)]
    if taken:
        assert sum(g.tokens for g in taken[:-1]) < tokens or sum(g.counted for g in taken[:-1]) < messages


@pytest.mark.parametrize("cut_after", range(1, 7))
def test_parallel_calls_in_two_messages_reach_the_model_whole_at_every_cut(cut_after: int, tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=120 * cut_after))
    for place, said in enumerate(CHINESE[:8]):
        results = [("look", {"q": "a"}, f"结果一 {place} " * 9), ("look", {"q": "b"}, f"结果二 {place} " * 9)]
        session.say(said.words, said.reply, results=results if place % 2 == 0 else ())
    assert session.state.counters.compactions
    assert [missing for prompt in session.prompts for missing in unpaired(prompt)] == []
