"""`ninefold ledger` tells what each turn cost, and when the bare conversation would have filled the window."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from ninefold.adapters.tokens import for_model
from ninefold.cli import run
from ninefold.ledger import Ledger, ledger
from ninefold.policies.render import label
from ninefold.sessions import opened
from ninefold.state import AgentSettings, Language, LayerName
from tests.turn.agents import MODEL, agent, server_count

TURNS = 6
LONG = "数据库的端口和密码不要写进日志。" * 60


@pytest.fixture
def settings(tmp_path: Path) -> AgentSettings:
    """An agent with a session of six long turns."""
    with agent(tmp_path, memory=False, recent_keep=4, default="好的。") as talking:
        for number in range(TURNS):
            talking.say(f"第{number}段材料：{LONG}", "work", "local")
        sent = [server_count(body["messages"], body.get("tools") or ()) for body in talking.wire.chats]
    (tmp_path / "sent.json").write_text(json.dumps(sent))
    return talking.settings


def read(settings: AgentSettings) -> Ledger:
    with opened(settings) as place:
        return ledger(place, "work", "local", tokens=for_model("ollama", MODEL), num_ctx=settings.model.num_ctx)


def test_each_turn_has_the_tokens_that_were_on_the_wire(settings: AgentSettings, tmp_path: Path) -> None:
    sent = json.loads((tmp_path / "sent.json").read_text())
    rows = read(settings).rows
    assert [row.turn for row in rows] == [*range(1, TURNS + 1)]
    assert [row.prompt for row in rows] == sent
    assert all(row.calls == 1 for row in rows)
    assert [row for row in rows if abs(sum(row.layers.values()) - (row.prompt or 0)) > 40] == []
    assert any(row.compacted for row in rows)


def test_the_bare_conversation_grows_and_its_end_is_foretold(settings: AgentSettings) -> None:
    found = read(settings)
    bare = [row.bare or 0 for row in found.rows]
    grown = [after - before for before, after in pairwise(bare)]
    assert min(grown) > 500
    assert found.full_at is not None
    room = found.num_ctx - found.reserve
    over = [row.turn for row in found.rows if (row.bare or 0) > room]
    expected = over[0] if over else 1 + next(n for n in range(99) if bare[0] + n * grown[-1] > room)
    assert abs(found.full_at - expected) <= 1


@pytest.mark.parametrize(("lang", "word"), [("zh", "轮次"), ("en", "turn")])
def test_the_command_prints_a_line_for_each_turn_and_json(
    settings: AgentSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: str, word: str
) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text(f"agent: {{memory: 'off', storage: {{folder: '{tmp_path}'}}}}", encoding="utf-8")
    arguments = ["ledger", "work", "--agent", str(file), "--lang", lang]
    assert run(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert word in lines[0]
    assert len(lines) == TURNS + 2
    assert run([*arguments, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == TURNS


@pytest.mark.parametrize(
    ("language", "hello", "rule"),
    [
        (Language.CHINESE, "你好", "不要用红色，也不要用圆角。"),
        (Language.ENGLISH, "Hello", "Never use red or round corners."),
    ],
)
def test_rules_that_stand_with_a_message_are_counted_as_rules(
    tmp_path: Path, language: Language, hello: str, rule: str
) -> None:
    with agent(tmp_path, memory=False) as talking:
        for text in (hello, rule, hello):
            talking.say(text, "work", "local")
        (sent,) = (m["content"] for m in talking.wire.chats[-1]["messages"] if m["content"].endswith(rule))
        beside = sent.partition(label(LayerName.CURRENT, language))[0]
        rows = read(talking.settings).rows
    assert "[" in beside, "the rule stands with the message that brought it"
    cost = for_model("ollama", MODEL).text(beside)
    assert [row.layers.get("constraints", 0) for row in rows] == [0, cost, cost]
    assert [row for row in rows if abs(sum(row.layers.values()) - (row.prompt or 0)) > 40] == []
