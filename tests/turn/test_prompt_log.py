"""The prompt log holds what left for the model, layer by layer, and nothing when it is off."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from ninefold import build_graph, forget
from ninefold.adapters.tokens import for_model
from ninefold.prompt_log import FILE
from ninefold.state import AgentSettings, StorageError
from tests.turn.agents import MODEL, config, settings
from tests.wire.replies import Call, Say
from tests.wire.server import WireServer

ZH = ("以后所有金额都用人民币表示，不要用美元。", "现在几点？", "我的密码是 hunter2222，记一下。")
EN = ("From now on show amounts in euros, never in dollars.", "What time is it?", "My password is hunter2222, note it.")
ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}


def said(talk: tuple[str, ...], chosen: AgentSettings, wire: WireServer) -> list[dict[str, Any]]:
    """Take the turns and give the bodies that were sent."""
    graph = build_graph(chosen, tokens=for_model("ollama", MODEL))
    for words in talk:
        graph.invoke({"messages": [{"role": "user", "content": words}]}, config())
    return wire.chats


def read(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / FILE).read_text(encoding="utf-8").splitlines()]


def logged(folder: Path, url: str, **options: Any) -> AgentSettings:
    return settings(url, folder, **options).model_copy(update={"prompt_log": True})


@pytest.mark.parametrize("talk", [ZH, EN], ids=["zh", "en"])
def test_what_was_sent_is_what_was_logged(tmp_path: Path, talk: tuple[str, ...]) -> None:
    with WireServer(["OK.", Call("get_current_time", {}), Say("Noon."), "OK."]) as wire:
        sent = said(talk[:2], logged(tmp_path, wire.url), wire)
    lines = read(tmp_path)
    assert len(lines) == len(sent) == 3
    for line, body in zip(lines, sent, strict=True):
        told = [(ROLES[m["role"]], "".join(part["text"] for part in m["layers"])) for m in line["messages"]]
        assert told == [(m["role"], m.get("content", "")) for m in body["messages"]]
        assert [t["function"]["name"] for t in line["tools"]] == [t["function"]["name"] for t in body["tools"]]
        assert line["num_predict"] == body["options"]["num_predict"]
        assert (line["thread"], line["purpose"]) == ("t1", "reply")
    assert len({line["turn"] for line in lines}) == 2
    rules = [part["text"] for m in lines[-1]["messages"] for part in m["layers"] if part["layer"] == "constraints"]
    assert len(rules) == 1
    assert talk[0].split("，")[-1].rstrip("。.") in rules[0] or "never in dollars" in rules[0]


def test_internal_calls_are_logged_with_their_purpose(tmp_path: Path) -> None:
    words = ("预算是 300 元，希望下周能完成，尽量别拖到六月。",)
    with WireServer(default="[]") as wire:
        sent = said(words, logged(tmp_path, wire.url, light_model="same"), wire)
    purposes = [line["purpose"] for line in read(tmp_path)]
    assert len(purposes) == len(sent) > 1
    assert purposes.count("reply") == 1


def test_secrets_are_masked_and_the_file_is_the_owner_s(tmp_path: Path) -> None:
    with WireServer() as wire:
        sent = said(ZH, logged(tmp_path, wire.url), wire)
    assert "hunter2222" in json.dumps(sent[-1])
    assert "hunter2222" not in (tmp_path / FILE).read_text(encoding="utf-8")
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_nothing_is_logged_when_it_is_off(tmp_path: Path) -> None:
    with WireServer() as wire:
        said(EN[:1], settings(wire.url, tmp_path), wire)
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("still_on", [True, False])
def test_what_is_forgotten_is_forgotten_there_too(tmp_path: Path, still_on: bool) -> None:
    with WireServer() as wire:
        said(("项目端口是 18443。", "My sister Ann lives in Rome."), logged(tmp_path, wire.url), wire)
        assert len(read(tmp_path)) == 2
        chosen = settings(wire.url, tmp_path).model_copy(update={"prompt_log": still_on})
        forget(build_graph(chosen, tokens=for_model("ollama", MODEL)), config(), "Ann lives in Rome")
    assert len(read(tmp_path)) == 1
    assert "Rome" not in (tmp_path / FILE).read_text(encoding="utf-8")


async def test_async_turns_are_logged_too(tmp_path: Path) -> None:
    with WireServer() as wire:
        graph = build_graph(logged(tmp_path, wire.url), tokens=for_model("ollama", MODEL))
        await graph.ainvoke({"messages": [{"role": "user", "content": EN[0]}]}, config())
    assert [line["thread"] for line in read(tmp_path)] == ["t1"]


def test_a_log_that_cannot_be_written_stops_the_prompt_and_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with WireServer() as wire:
        graph = build_graph(logged(tmp_path, wire.url), tokens=for_model("ollama", MODEL))
        with pytest.raises(StorageError, match="prompt log"):
            graph.invoke({"messages": [{"role": "user", "content": EN[0]}]}, config())
        assert wire.chats == []
