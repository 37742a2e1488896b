"""`ninefold chat` through a pipe: real processes, a real wire, a data folder that outlives them."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.wire.replies import Say
from tests.wire.server import Body, WireServer, nobody_there


def said(body: Body) -> str:
    return "\n".join(message["content"] for message in body["messages"])


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


def test_stdout_holds_the_replies_and_what_was_asked_for_and_nothing_else(tmp_path: Path) -> None:
    with WireServer([Say("# 好的\n\n林若。\n"), Say("18443")]) as wire:
        lines = ["我叫林若，项目端口是 18443，不要用红色。", "", "/constraints", "端口是多少？", "/quit", "不会说到"]
        ended = Shell(tmp_path, wire.url).run("chat", "--thread", "t1", "--lang", "zh", lines=lines)
    first, second = ended.stdout.split("约束\n")
    assert first == "# 好的\n\n林若。\n"
    assert second == "- 不要用红色  (禁止, 本次会话, 颜色)\n18443\n"
    chosen = (
        f"此数据文件夹今后使用 ollama:qwen2.5:14b（{tmp_path / 'provider.json'}）；可用 --model 或 agent.yaml 另选。\n"
    )
    assert (ended.returncode, ended.stderr) == (0, f"{chosen}规则生效：不要用红色\n")
    assert len(wire.chats) == 2


def test_a_session_goes_on_in_another_process_with_its_facts_and_rules(tmp_path: Path, wire: WireServer) -> None:
    shell = Shell(tmp_path, wire.url)
    shell.run("chat", "--thread", "t1", "--say", "我叫林若，项目端口是 18443，不要用红色。")
    assert shell.run("chat", "--thread", "t1", "--say", "端口是多少？").stdout == "OK.\n"
    prompt = said(wire.chats[-1])
    assert "18443" in prompt
    assert "不要用红色" in prompt
    listed = shell.run("sessions", "list").stdout
    assert listed.startswith("t1  ")
    assert listed.endswith("  端口是多少？\n")
    shown = shell.run("sessions", "show", "t1", "--lang", "zh").stdout
    assert shown.split("\n\n") == [
        "您: 我叫林若，项目端口是 18443，不要用红色。",
        "助手: OK.",
        "您: 端口是多少？",
        "助手: OK.",
        "",
    ]
    assert shell.run("sessions", "list", "--user", "someone").stdout.startswith("No session of the user someone is")
    assert shell.run("sessions", "show", "t1", "--user", "someone").returncode == 1


def test_in_a_pipe_a_conflict_follows_the_newest_wish(tmp_path: Path, wire: WireServer) -> None:
    shell = Shell(tmp_path, wire.url)
    (tmp_path / "agent.yaml").write_text("agent:\n  constraints: {on_conflict: ask}\n")
    wishes = ("--say", "所有金额都用人民币。", "--say", "所有金额都用美元。")
    ended = shell.run("chat", "--agent", str(tmp_path / "agent.yaml"), *wishes)
    assert (ended.returncode, ended.stdout) == (0, "OK.\nOK.\n")
    assert "美元" in said(wire.chats[-1])


def test_with_ollama_down_the_message_is_kept_and_the_turn_can_be_taken_again(tmp_path: Path, wire: WireServer) -> None:
    url = nobody_there()
    ended = Shell(tmp_path, url).run("chat", "--thread", "t1", "--say", "项目端口是 18443。")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert url in ended.stderr
    assert "ollama serve" in ended.stderr
    assert "Traceback" not in ended.stderr
    ended = Shell(tmp_path, wire.url).run("chat", "--thread", "t1", "--say", "/retry")
    assert (ended.returncode, ended.stdout) == (0, "OK.\n")
    assert [message["content"] for message in wire.chats[-1]["messages"][1:]] == ["项目端口是 18443。"]


def test_a_new_message_says_that_it_leaves_a_turn_unfinished(tmp_path: Path, wire: WireServer) -> None:
    Shell(tmp_path, nobody_there()).run("chat", "--thread", "t1", "--say", "项目端口是 18443。")
    ended = Shell(tmp_path, wire.url).run("chat", "--thread", "t1", "--say", "你好", "--say", "再见", "--lang", "zh")
    assert (ended.returncode, ended.stdout) == (0, "OK.\nOK.\n")
    assert ended.stderr.count("上一轮没有完成") == 1


def test_a_model_that_is_not_pulled_is_named_with_the_command_that_pulls_it(tmp_path: Path) -> None:
    with WireServer(models=["other"]) as wire:
        ended = Shell(tmp_path, wire.url).run("chat", "--model", "ollama:qwen2.5:7b", "--say", "hi")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "`ollama pull qwen2.5:7b`" in ended.stderr


def test_ctrl_c_ends_at_once_and_leaves_the_session_resumable(tmp_path: Path) -> None:
    with WireServer([Say("一二三四五" * 100, pieces=200, pause=0.1), Say("好")]) as wire:
        shell = Shell(tmp_path, wire.url)
        words = shell.command("chat", "--thread", "t1", "--say", "写一首长诗")
        running = subprocess.Popen(words, env=shell.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert running.stdout is not None
        first = running.stdout.read(3)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=60)
        assert running.returncode == 130
        assert first.decode() == "一", "a reply comes while it is written"
        assert len(output) < 5 * 100 * 3 / 2, "and ends when it is stopped"
        assert b"Traceback" not in errors
        assert shell.run("chat", "--thread", "t1", "--say", "/retry").stdout == "好\n"
    assert [m["content"] for m in wire.chats[-1]["messages"] if m["role"] == "user"] == ["写一首长诗"]


def test_a_data_folder_that_cannot_be_written_is_named(tmp_path: Path, wire: WireServer) -> None:
    (tmp_path / "file").touch()
    ended = Shell(tmp_path / "file" / "home", wire.url).run("chat", "--say", "hi")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert str(tmp_path / "file" / "home") in ended.stderr
    assert "NINEFOLD_HOME" in ended.stderr


def test_bad_lines_are_named_and_the_others_answered(tmp_path: Path, wire: WireServer) -> None:
    ended = Shell(tmp_path, wire.url).run("chat", lines=b"/dance\n\xff\xfe bad\n//etc\n")
    assert ended.stdout == "OK.\nOK.\n"
    assert "no command /dance" in ended.stderr
    assert "not valid UTF-8" in ended.stderr
    assert ended.returncode == 1
    assert "\n/etc" in said(wire.chats[-1])


def test_a_thread_without_a_name_is_refused(tmp_path: Path, wire: WireServer) -> None:
    ended = Shell(tmp_path, wire.url).run("chat", "--thread", "", "--say", "hi")
    assert (ended.returncode, ended.stdout, wire.chats) == (1, "", [])
    assert "thread_id" in ended.stderr
