"""What never gives way is watched: settings that can never fit are refused, crowding rules are told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninefold import build_graph
from ninefold.state import AgentSettings, ContextPolicy, ModelSettings, OutcomeStatus, SettingsError, StorageSettings
from tests.turn.agents import agent, config


def built(folder: Path, **changed: object) -> None:
    given = {"storage": StorageSettings(folder=str(folder)), "memory": "off", **changed}
    build_graph(AgentSettings.model_validate(given))


def test_a_system_prompt_over_its_share_is_refused_when_the_agent_is_built(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="fixed_tokens allows 1500"):
        built(tmp_path, system_prompt="请遵守以下规定。" * 400)


def test_settings_under_which_no_turn_can_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="never fit into num_ctx 1536"):
        built(tmp_path, model=ModelSettings(num_ctx=1536, num_predict=1024))


def test_the_defaults_and_a_small_window_are_accepted(tmp_path: Path) -> None:
    built(tmp_path)
    built(tmp_path, model=ModelSettings(num_ctx=4096), context_policy=ContextPolicy(fixed_tokens=900))


CROWDS = [("不要用第 {n} 种颜色", "请合并"), ("Don't use colour number {n}", "merge")]


@pytest.mark.parametrize(("rule", "told"), CROWDS)
def test_rules_that_crowd_the_window_are_told_of_and_the_turn_goes_on(tmp_path: Path, rule: str, told: str) -> None:
    with agent(tmp_path, memory=False, num_ctx=2000) as a:
        a.say("。".join(rule.format(n=n) for n in range(24)) + "。")
        result = a.graph.invoke({"messages": [{"role": "user", "content": "OK?"}]}, config())
    assert result["messages"][-1].text == "OK."
    assert result["outcome"].status is OutcomeStatus.DEGRADED
    assert any(told in note for note in result["outcome"].notes)


@pytest.mark.parametrize(
    ("word", "told"), [("很长的材料。", "只发送了开头和结尾"), ("a long text. ", "only its beginning")]
)
def test_a_message_that_is_too_long_is_answered_and_the_person_is_told(tmp_path: Path, word: str, told: str) -> None:
    with agent(tmp_path, memory=False) as a:
        result = a.graph.invoke({"messages": [{"role": "user", "content": word * 8000}]}, config())
    assert result["messages"][-1].text == "OK."
    assert any(told in note for note in result["outcome"].notes)
