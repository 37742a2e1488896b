"""A server that is down, has no such model, fails or hangs is one named error with a next step, in time (BUG-32)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from ninefold import build_graph, history
from ninefold.state import (
    Degraded,
    ModelDown,
    ModelMissing,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    Step,
)
from tests.cli.shell import Shell
from tests.turn.agents import config, server_count, settings
from tests.wire.replies import EmbedReply, Fail, Hang, Reply, Say
from tests.wire.server import Body, WireServer, nobody_there

SAID = {"zh": "我的项目端口是多少？", "en": "Which port does my project use?"}
TIMEOUT = 0.7
TROUBLE: dict[str, tuple[Reply, type[ModelUnavailable], str]] = {
    "not pulled": (Fail(404), ModelMissing, "ollama pull"),
    "fails": (Fail(500, "out of memory"), ModelRefused, "out of memory"),
    "hangs": (Hang(5 * TIMEOUT), ModelTimeout, "timeout"),
}


def given(text: str) -> Any:
    return {"messages": [{"role": "user", "content": text}]}


@pytest.mark.parametrize("language", SAID)
@pytest.mark.parametrize("kind", ["down", *TROUBLE])
def test_it_is_one_named_error_and_the_same_turn_can_be_taken_again(tmp_path: Path, kind: str, language: str) -> None:
    trouble: list[Reply] = [TROUBLE[kind][0]] if kind != "down" else []
    with WireServer([*trouble, Say("18443")], default="OK.", count=server_count) as wire:
        chosen = settings(wire.url, tmp_path, memory=False)
        graph = build_graph(chosen.model_copy(update={"model": chosen.model.model_copy(update={"timeout": TIMEOUT})}))
        if kind == "down":
            wire.down()
        begun = time.monotonic()
        with pytest.raises(ModelDown if kind == "down" else TROUBLE[kind][1]) as raised:
            graph.invoke(given(SAID[language]), config())
        assert time.monotonic() - begun < 8
        assert (wire.url if kind == "down" else TROUBLE[kind][2]) in str(raised.value)
        assert raised.value.cause
        assert raised.value.next_step
        assert [m.text for m in graph.get_state(config()).values["messages"]] == [SAID[language]]
        if kind == "down":
            wire.up()
        assert graph.invoke(None, config())["messages"][-1].text == "18443"
        assert [m.text for m in history(graph, config())] == [SAID[language], "18443"]


@pytest.mark.parametrize("language", SAID)
@pytest.mark.parametrize("kind", ["not pulled", "fails", "hangs"])
def test_memories_that_cannot_be_looked_up_cost_no_turn_and_it_is_said(
    tmp_path: Path, kind: str, language: str
) -> None:
    def vectors(body: Body) -> EmbedReply | None:
        reply = TROUBLE[kind][0]
        return reply if isinstance(reply, Fail | Hang) else None

    with WireServer(count=server_count, embed=vectors) as wire:
        chosen = settings(wire.url, tmp_path)
        quick = chosen.embeddings.model_copy(update={"timeout": TIMEOUT})
        graph = build_graph(chosen.model_copy(update={"embeddings": quick}))
        assert graph.invoke(given(SAID[language]), config())["messages"][-1].text == "OK."
        values = graph.get_state(config()).values
        lost = [e for e in values["trace"] if isinstance(e, Degraded) and e.step is Step.MEMORY_RETRIEVAL]
        assert lost
        assert lost[0].cause
        assert any(lost[0].what in note for note in values["outcome"].notes)
        assert values["outcome"].status == "degraded"


@pytest.mark.parametrize("language", SAID)
def test_the_command_line_names_it_without_a_traceback(tmp_path: Path, language: str) -> None:
    shell = Shell(tmp_path, nobody_there())
    (tmp_path / "agent.yaml").write_text("agent:\n  memory: off\n", encoding="utf-8")
    words = ("chat", "--agent", str(tmp_path / "agent.yaml"), "--lang", language, "--say", SAID[language])
    ended = shell.run(*words)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    assert shell.environment["OLLAMA_HOST"] in ended.stderr
    assert "ollama serve" in ended.stderr
