"""The prompt log holds what left for the model, layer by layer, and nothing when it is off."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from ninefold import build_graph, forget
from ninefold.adapters.tokens import for_model
from ninefold.prompt_log import FOLDER, PromptLog
from ninefold.sessions import delete_session, opened, rename_session
from ninefold.state import AgentSettings, StorageError
from tests.turn.agents import MODEL, config, settings
from tests.wire.replies import Call, Say
from tests.wire.server import WireServer

ZH = ("以后所有金额都用人民币表示，不要用美元。", "现在几点？", "我的密码是 hunter2222，记一下。")
EN = ("From now on show amounts in euros, never in dollars.", "What time is it?", "My password is hunter2222, note it.")
ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}


def said(
    talk: tuple[str, ...], chosen: AgentSettings, wire: WireServer, thread: str = "t1", user: str = "ann"
) -> list[dict[str, Any]]:
    """Take the turns and give the bodies that were sent."""
    graph = build_graph(chosen, tokens=for_model("ollama", MODEL))
    for words in talk:
        graph.invoke({"messages": [{"role": "user", "content": words}]}, config(thread, user))
    return wire.chats


def log(folder: Path, thread: str = "t1") -> Path:
    return PromptLog(folder).file(thread)


def read(folder: Path, thread: str = "t1") -> list[dict[str, Any]]:
    return [json.loads(line) for line in log(folder, thread).read_text(encoding="utf-8").splitlines()]


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
    assert "hunter2222" not in log(tmp_path).read_text(encoding="utf-8")
    assert stat.S_IMODE(log(tmp_path).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / FOLDER).stat().st_mode) == 0o700


def test_nothing_is_logged_when_it_is_off(tmp_path: Path) -> None:
    with WireServer() as wire:
        said(EN[:1], settings(wire.url, tmp_path), wire)
    assert not (tmp_path / FOLDER).exists()


@pytest.mark.parametrize("still_on", [True, False])
def test_what_is_forgotten_is_forgotten_there_too(tmp_path: Path, still_on: bool) -> None:
    with WireServer() as wire:
        said(("项目端口是 18443。", "My sister Ann lives in Rome."), logged(tmp_path, wire.url), wire)
        assert len(read(tmp_path)) == 2
        chosen = settings(wire.url, tmp_path).model_copy(update={"prompt_log": still_on})
        forget(build_graph(chosen, tokens=for_model("ollama", MODEL)), config(), "Ann lives in Rome")
    assert len(read(tmp_path)) == 1
    assert "Rome" not in log(tmp_path).read_text(encoding="utf-8")


async def test_async_turns_are_logged_too(tmp_path: Path) -> None:
    with WireServer() as wire:
        graph = build_graph(logged(tmp_path, wire.url), tokens=for_model("ollama", MODEL))
        await graph.ainvoke({"messages": [{"role": "user", "content": EN[0]}]}, config())
    assert [line["thread"] for line in read(tmp_path)] == ["t1"]


def test_a_log_that_cannot_be_written_stops_the_prompt_and_is_named(tmp_path: Path) -> None:
    log(tmp_path).mkdir(parents=True)
    with WireServer() as wire:
        graph = build_graph(logged(tmp_path, wire.url), tokens=for_model("ollama", MODEL))
        with pytest.raises(StorageError, match="prompt log"):
            graph.invoke({"messages": [{"role": "user", "content": EN[0]}]}, config())
        assert wire.chats == []


def test_forgetting_goes_through_every_log_of_the_person_and_leaves_another_s_as_it_is(tmp_path: Path) -> None:
    words = ("My sister Ann lives in Rome.",)
    with WireServer() as wire:
        chosen = logged(tmp_path, wire.url, memory=False)
        for thread, user in (("t1", "ann"), ("T1", "ann"), ("../t1", "bob"), ("线程", "bob")):
            said(words, chosen, wire, thread, user)
        before = {file: file.read_bytes() for file in (tmp_path / FOLDER).glob("*.jsonl")}
        assert len(before) == 4
        assert all(b"Rome" in text for text in before.values())
        forget(build_graph(chosen, tokens=for_model("ollama", MODEL)), config(), "Rome")
    assert read(tmp_path) == []
    after = {file: file.read_bytes() for file in before}
    assert sorted(text == before[file] for file, text in after.items()) == [False, False, True, True]
    assert sum(b"Rome" in text for text in after.values()) == 2


@pytest.mark.parametrize("words", ["Rome", "罗马"])
def test_half_a_line_of_a_killed_process_is_forgotten_too_and_stops_nothing(tmp_path: Path, words: str) -> None:
    with WireServer() as wire:
        chosen = logged(tmp_path, wire.url, memory=False)
        said((f"My sister Ann lives in {words}.", "It rains."), chosen, wire)
        whole = log(tmp_path).read_bytes()
        half = whole[: whole.index(words.encode()) + len(words.encode())]
        harmless, cut = b'{"thread": "t1", "mess', '{"at": "罗'.encode()[:-1]
        log(tmp_path).write_bytes(whole + half + b"\n" + harmless + b"\n" + cut)
        said(("It snows.",), chosen, wire)
        forget(build_graph(chosen, tokens=for_model("ollama", MODEL)), config(), words)
        said(("It hails.",), chosen, wire)
    left = log(tmp_path).read_bytes().splitlines()
    assert left[:2] == [harmless, cut]
    assert ["It hails." in line.decode() for line in left[2:]] == [True]


def test_what_is_no_ones_words_takes_no_prompt_out_of_the_log(tmp_path: Path) -> None:
    with WireServer() as wire:
        chosen = logged(tmp_path, wire.url, memory=False)
        said(EN[:1], chosen, wire)
        assert "get_current_time" in str(read(tmp_path)[0]["tools"])
        assert PromptLog(tmp_path).forget("t1", lambda text: "get_current_time" in text) == 0
        assert PromptLog(tmp_path).forget("t1", lambda text: text in ("reply", "human", "message")) == 0
    assert len(read(tmp_path)) == 1


def test_a_full_log_takes_the_place_of_the_older_one_and_both_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ninefold.prompt_log.LARGEST", 1)
    with WireServer() as wire:
        chosen = logged(tmp_path, wire.url, memory=False)
        said(("Ann lives in Rome.", "It rains.", "It snows."), chosen, wire)
        assert len(read(tmp_path)) == 1
        forget(build_graph(chosen, tokens=for_model("ollama", MODEL)), config(), "Rome")
    assert all(b"Rome" not in file.read_bytes() for file in (tmp_path / FOLDER).iterdir())


def test_a_log_goes_with_its_session(tmp_path: Path) -> None:
    with WireServer() as wire:
        chosen = logged(tmp_path, wire.url, memory=False)
        said(EN[:1], chosen, wire)
        kept = log(tmp_path).read_bytes()
        with opened(chosen) as place:
            rename_session(place, "t1", "ann", new="t2")
            assert log(tmp_path, "t2").read_bytes() == kept
            delete_session(place, "t2", "ann")
    assert [*(tmp_path / FOLDER).glob("*.jsonl")] == []
