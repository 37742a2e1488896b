"""A model on the chat's own server is asked in tails of the chat's prompt, which fit its window or are not sent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from langchain_core.messages import BaseMessage, HumanMessage

from ninefold.policies.prompt_files import prompt
from ninefold.state import Language
from tests.compaction.session import FIXED, TOKENS, Session, settings
from tests.compaction.talks import CHINESE
from tests.compaction.test_transaction import Model


class ChatModel(Model):
    """The chat model itself, asked internally."""

    shares_prefix = True


def _answer(prompt_sent: Sequence[BaseMessage]) -> str:
    if "supported" in prompt_sent[-1].text:
        return '{"supported": true, "missing": ""}'
    return json.dumps({"decisions": [], "next_steps": [], "other_facts": []})


def _bytes(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    return [(message.type, message.text) for message in messages]


def test_summary_and_veto_are_tails_of_a_rendered_prompt(tmp_path: Path) -> None:
    model = ChatModel(_answer)
    session = Session(tmp_path, settings(summary_threshold_tokens=700, veto=True), assistant=model)
    for said in CHINESE:
        session.say(said.words, said.reply)
    summaries = [call for call, _ in model.calls if call[-1].text == prompt("summary", Language.CHINESE)]
    vetoes = [call for call, _ in model.calls if call[-1].text == prompt("veto", Language.CHINESE)]
    assert summaries
    assert vetoes
    sent = [_bytes(request) for request in session.prompts]
    for call in vetoes:
        assert isinstance(call[-1], HumanMessage)
        assert _bytes(call[:-1]) in sent
    for call in summaries:
        # The agent's own fixed text and the window go out as in the turn before, byte for byte, the new message behind.
        assert call[0].text.startswith(FIXED)
        assert any(len(before) > 3 and _bytes(call)[1 : len(before)] == before[1:] for before in sent)


def test_a_summary_behind_a_milder_proposal_is_a_tail_of_the_prompt_without_it(tmp_path: Path) -> None:
    model = ChatModel(_answer)
    session = Session(tmp_path, settings(summary_threshold_tokens=900), assistant=model)
    rows = json.dumps([{"id": f"K-{n}", "price": 100 + n, "meta": {"page": 1, "took": 4}} for n in range(30)])
    for said in CHINESE:
        session.say(said.words, said.reply, results=[("look", {"q": "price"}, rows)])
    both = [p.strategy for _, state in session.states if len(state.proposals) > 1 for p in state.proposals]
    assert {"extraction", "summary"} <= set(both)
    sent = [_bytes(request) for request in session.prompts]
    summaries = [call for call, _ in model.calls if call[-1].text == prompt("summary", Language.CHINESE)]
    assert summaries
    for call in summaries:
        assert any(len(before) > 3 and _bytes(call)[1 : len(before)] == before[1:] for before in sent)


def test_a_tail_that_does_not_fit_is_not_asked(tmp_path: Path) -> None:
    model = ChatModel(_answer, num_ctx=900)
    session = Session(tmp_path, settings(summary_threshold_tokens=700, summary_tokens=400), assistant=model)
    for said in CHINESE:
        session.say(said.words, said.reply)
    assert session.state.counters.compactions
    assert all(TOKENS.prompt(call) + reserve <= 900 for call, reserve in model.calls)
    reasons = [event.cause for _, state in session.states for event in state.trace if event.kind == "degraded"]
    assert any("no room behind the chat's prompt" in reason for reason in reasons)
