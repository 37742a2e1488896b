"""What goes wrong around a chat is named, and ends no session."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.turn.agents import server_count
from tests.wire.replies import Say
from tests.wire.server import WireServer

LONG_REPLY = Say("一二三四五" * 100, pieces=200, pause=0.1)


@pytest.mark.parametrize("said_next", ["/retry", "短一点"])
def test_a_chat_killed_in_the_middle_of_a_reply_keeps_the_message_for_the_next_process(
    tmp_path: Path, said_next: str
) -> None:
    with WireServer([LONG_REPLY, Say("好")]) as wire:
        shell = Shell(tmp_path, wire.url)
        words = shell.command("chat", "--thread", "t1", "--say", "写一首长诗")
        running = subprocess.Popen(words, env=shell.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wire.wait_for_chats(1, seconds=60)
        running.send_signal(signal.SIGKILL)
        running.communicate(timeout=60)
        assert "写一首长诗" in shell.run("sessions", "show", "t1").stdout
        assert shell.run("chat", "--thread", "t1", "--say", said_next).stdout == "好\n"
    sent = [message["content"] for message in wire.chats[-1]["messages"] if message["role"] == "user"]
    assert "写一首长诗" in sent[0]
    assert (said_next in sent[-1]) is (said_next != "/retry")


def test_two_chats_on_one_thread_take_their_turns_one_after_the_other(tmp_path: Path) -> None:
    with WireServer(default=Say("好", pieces=1, pause=1)) as wire:
        shell = Shell(tmp_path, wire.url)
        running = [
            subprocess.Popen(
                shell.command("chat", "--thread", "t1", "--say", text),
                env=shell.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for text in ("端口是 18443。", "服务器叫 kiwi。")
        ]
        ended = [(chat.communicate(timeout=100)[0], chat.returncode) for chat in running]
    assert ended == [("好\n".encode(), 0)] * 2
    assert wire.most_at_once == 1
    later = "\n".join(message["content"] for message in wire.chats[-1]["messages"])
    assert "18443" in later
    assert "kiwi" in later


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF" + bytes(range(256)) * 64], ids=["empty", "head", "noise"])
def test_a_broken_model_file_is_named_without_a_traceback(tmp_path: Path, content: bytes) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `embedded` is not installed")
    file = tmp_path / "broken.gguf"
    file.write_bytes(content)
    ended = Shell(tmp_path, "").run("chat", "--model", f"embedded:{file}", "--thread", "t1", "--say", "你好")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert str(file) in ended.stderr
    assert "ninefold models pull" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "你好" in Shell(tmp_path, "").run("sessions", "show", "t1").stdout


def test_a_message_longer_than_the_window_is_answered_from_what_fits(tmp_path: Path) -> None:
    with WireServer() as wire:
        (tmp_path / "agent.yaml").write_text(
            "agent:\n  model: {num_ctx: 2048}\n  context_policy: {fixed_tokens: 900}\n  tools: []\n"
        )
        arguments = ["chat", "--agent", str(tmp_path / "agent.yaml"), "--thread", "t1"]
        ended = Shell(tmp_path, wire.url).run(*arguments, lines=["数据，" * 3000, "你好"])
    assert (ended.returncode, ended.stdout) == (0, "OK.\nOK.\n"), ended.stderr
    for body in wire.chats:
        assert server_count(body["messages"], ()) + body["options"]["num_predict"] <= 2048


@pytest.mark.parametrize("encoding", ["ascii", "gbk"])
def test_a_terminal_that_cannot_show_a_reply_gets_what_it_can(tmp_path: Path, encoding: str) -> None:
    with WireServer(["好的，10 €。", "。"]) as wire:
        shell = Shell(tmp_path, wire.url)
        shell.environment |= {
            "LC_ALL": "C",
            "PYTHONIOENCODING": encoding,
            "PYTHONUTF8": "0",
            "PYTHONCOERCECLOCALE": "0",
        }
        ended = subprocess.run(
            shell.command("chat", "--thread", "t1", "--say", "你好", "--say", "不要用红色"),
            env=shell.environment,
            capture_output=True,
            check=False,
            timeout=100,
        )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.decode(encoding) == "好的，10 €。\n。\n".encode(encoding, "backslashreplace").decode(encoding)
    assert b"Traceback" not in ended.stderr
    sent = [m["content"] for m in wire.chats[-1]["messages"] if m["role"] == "user"]
    assert sent[0] == "你好"
    assert sent[1].endswith("不要用红色")
