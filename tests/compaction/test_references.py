"""What leaves the window or is shortened in it stays reachable, byte for byte (D9, H2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninefold.policies.compaction import Extraction, Reference
from ninefold.policies.references import parts, references_in
from ninefold.state import reference_id
from tests.compaction.session import TOKENS, Session, settings
from tests.compaction.talks import CHINESE, ENGLISH, SMALL_TALK, Said

LONG = {
    "zh": "项目说明："
    + "这一段介绍背景，没有什么特别的内容。" * 40
    + "请记下服务器地址 10.0.0.17 和端口 8443。"
    + "后面还是背景。" * 40
    + "机房从来没有断过电。",
    "en": "About the project: "
    + "This part is background and nothing special. " * 40
    + "The server is db-7731 on port 8443. "
    + "More background follows here. " * 30
    + "The machine room has never lost power.",
}


@given(st.text(max_size=300), st.integers(1, 40))
def test_parts_are_the_text_and_none_is_too_long(text: str, size: int) -> None:
    cut = parts(text, size)
    assert "".join(cut) == text
    assert all(len(part) <= size for part in cut)


def test_a_reference_is_the_same_in_every_process_and_is_found_in_text() -> None:
    reference = reference_id("turn-1", 3)
    assert reference == "rc90ced483a28"
    assert references_in(f"见 {reference} 和 {reference}。") == (reference,)
    assert reference_id("turn-1", 4) != reference


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_long_text_keeps_its_beginning_its_values_and_its_negations(language: str, tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=900), strategies=(Reference(),))
    session.say(LONG[language], "好的。" if language == "zh" else "All right.")
    for _ in range(6):
        session.say(SMALL_TALK[language].words, SMALL_TALK[language].reply)
    shortened = [entry for entry in session.state.entries if entry.compacted]
    assert len(shortened) == 1
    text = next(message.text for message in session.state.messages if message.id == shortened[0].message)
    assert TOKENS.text(text) < TOKENS.text(LONG[language]) / 2
    assert text.startswith(LONG[language][:20])
    for kept in ("8443", "从来没有断过电" if language == "zh" else "has never lost power"):
        assert kept in text
    (reference,) = references_in(text)[:1]
    assert session.archive.expand(reference) == LONG[language]


def test_compacting_unchanged_text_again_changes_nothing(tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=900), strategies=(Reference(), Extraction()))
    session.say(
        LONG["zh"], "好的。", results=[("look", {}, json.dumps([{"id": i, "city": f"城市{i}"} for i in range(80)]))]
    )
    for _ in range(12):
        session.say(SMALL_TALK["zh"].words, SMALL_TALK["zh"].reply)
    kinds = [event.strategy for _, state in session.states for event in state.trace if event.kind == "compacted"]
    assert "reference" in kinds
    assert session.state.counters.compactions == 2
    for strategy in (Reference(), Extraction()):
        again = strategy.propose(
            session.state, tokens=TOKENS, archive=session.archive, assistant=None, settings=session.settings
        )
        assert again is None


@pytest.mark.parametrize("talk", [CHINESE, ENGLISH], ids=["zh", "en"])
def test_every_message_is_in_the_window_or_the_archive_after_every_step(talk: tuple[Said, ...], tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=600))
    spoken: dict[str, tuple[str, str, int]] = {}
    for said in talk * 2:
        session.say(said.words, said.reply)
        for _, state in session.states:
            for message in state.messages:
                entry = next((e for e in state.entries if e.message == message.id), None)
                if entry is not None and not entry.compacted:
                    spoken[entry.message] = (message.text, entry.turn, entry.sequence)
        window = {message.id: message.text for message in session.state.messages}
        for id_, (text, turn, sequence) in spoken.items():
            assert window.get(id_) == text or session.archive.expand(reference_id(turn, sequence)) == text
    assert session.state.counters.compactions >= 2


def test_a_finished_order_is_kept_as_done_and_a_promise_as_pending(tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=500))
    for said in (*CHINESE, *CHINESE[:3]):
        session.say(said.words, said.reply)
    for _ in range(3):
        session.say(SMALL_TALK["zh"].words, SMALL_TALK["zh"].reply)
    status = {item.text: item.status for item in session.state.summary.next_steps}
    assert status["帮我写一封给老板的邮件，说明交付时间是下周三。"] == "done"
    assert status["记得提醒我十二天后续签合同，电话 13800138000。"] == "pending"
    summary = session.prompts[-1][0].text.split("[摘要]\n")[1]
    assert '"已完成":["帮我写一封' in summary


def test_a_confirmed_proposal_becomes_its_conclusion(tmp_path: Path) -> None:
    session = Session(tmp_path, settings(summary_threshold_tokens=400))
    session.say(
        "找一班周五去北京的航班。", "我找到了几班。" + "这是说明。" * 30 + "订 HAT139 航班，票价299元，可以吗？"
    )
    session.say("好的，就这个。", "已经订好，订单号是 O77123。" + "这是说明。" * 30)
    for _ in range(4):
        session.say(SMALL_TALK["zh"].words, SMALL_TALK["zh"].reply)
    assert "folding" in {
        event.strategy for _, state in session.states for event in state.trace if event.kind == "compacted"
    }
    decided = [item.text for item in session.state.summary.decisions]
    assert "订 HAT139 航班，票价299元，可以吗？" in decided
    assert "已经订好，订单号是 O77123。" in decided
