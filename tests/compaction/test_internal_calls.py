"""Every internal call is told in the trace and counted, whether the model answered or failed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ninefold.state import Language, ModelCalled, Step
from tests.bugs.test_limits_on_the_wire import PLAIN, purpose
from tests.turn.agents import Agent, Body, agent, server_count
from tests.wire.replies import Fail, Reply, Say

SUMMARY: dict[str, list[str]] = {"decisions": [], "next_steps": [], "other_facts": []}


def answered(body: Body) -> Reply:
    """Answer as each call wants to be answered."""
    match purpose(body):
        case "extract_constraints":
            return Say('{"constraints": []}')
        case "summary":
            return Say(json.dumps(SUMMARY))
        case "reply":
            return Say("OK.")
        case other:
            raise AssertionError(other)


def told(a: Agent) -> list[ModelCalled]:
    """Give the last turn's internal calls."""
    calls = [event for event in a.values()["trace"] if isinstance(event, ModelCalled)]
    return [call for call in calls if call.step is not Step.MODEL_CALL]


@pytest.mark.parametrize("language", Language)
def test_each_internal_call_is_told_with_its_tokens_and_counted(tmp_path: Path, language: Language) -> None:
    with agent(tmp_path, answered, memory=False, light_model="same", summary_threshold_tokens=1500) as a:
        found: list[ModelCalled] = []
        for number in range(10):
            a.say(f"{number}. {PLAIN[language]}")
            found += told(a)
        sent = [body for body in a.wire.chats if purpose(body) != "reply"]
        assert {call.purpose for call in found} >= {"summary"}
        assert [call.prompt_tokens for call in found] == [
            server_count(body["messages"], body.get("tools") or ()) for body in sent
        ]
        assert all(call.reply_tokens for call in found)
        assert a.values()["counters"].internal_calls == len(sent)


def test_a_call_that_fails_is_told_with_its_cause(tmp_path: Path) -> None:
    def failing(body: Body) -> Reply:
        return answered(body) if purpose(body) == "reply" else Fail(500, "out of memory")

    with agent(tmp_path, failing, memory=False, light_model="same", summary_threshold_tokens=1500) as a:
        calls: list[ModelCalled] = []
        while not calls:
            a.say(PLAIN[Language.ENGLISH])
            calls = told(a)
        assert calls[0].reply_tokens is None
        assert "out of memory" in calls[0].reason
        assert a.values()["counters"].internal_calls == len(calls)
