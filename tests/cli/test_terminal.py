"""`ninefold chat` in a terminal, key by key, against a real wire."""

from __future__ import annotations

import re
import stat
import time
from pathlib import Path

from tests.cli.screen import Screen
from tests.cli.shell import Shell
from tests.wire.replies import Hang, Reply, Say
from tests.wire.server import Body, WireServer


def test_a_person_decides_a_conflict_stops_a_reply_and_takes_it_up_again(tmp_path: Path) -> None:
    def reply(body: Body) -> Reply:
        last = body["messages"][-1]["content"]
        long = "长诗" in last and not any("长诗" in text for text in answered)
        answered.append(last)
        return Say("一二三四五\n\n" * 100, pieces=100, pause=0.1) if long else Say("**收到**。")

    answered: list[str] = []
    with WireServer(reply) as wire, Screen(Shell(tmp_path, wire.url), "chat", "--lang", "zh", columns=40) as screen:
        screen.wait_for("›", seconds=60)
        screen.type("所有金额都用人民币。\r")
        assert "**" not in screen.wait_for("收到。")
        screen.wait_for("规则生效：所有金额都用人民币")
        screen.wait_for("›")
        screen.type("所有金额都用美元。\r")
        question = screen.wait_for("[1-3]")
        assert "所有金额都用人民币" in question
        assert "所有金额都用美元" in question
        assert len(wire.chats) == 1, "the turn waits for the answer before it calls the model"
        screen.type("9\r")
        screen.wait_for("请回答")
        screen.wait_for("[1-3]")
        screen.type("1\r")
        screen.wait_for("收到。")
        screen.wait_for("›")
        screen.type("/constraints\r")
        screen.wait_for("约束\n")
        held = screen.wait_for("›")
        assert "所有金额都用美元" in held
        assert "人民币" not in held
        screen.type("写一首长诗\r")
        wire.wait_for_chats(3)
        screen.wait_for("一二三四五")
        began = time.monotonic()
        screen.type("\x03")
        screen.wait_for("已停止")
        assert time.monotonic() - began < 3
        screen.wait_for("›")
        screen.type("/retry\r")
        screen.wait_for("收到。")
        screen.wait_for("›")
        screen.type("/quit\r")
        screen.wait_for("--thread")
        assert screen.process.wait(timeout=30) == 0
    history = tmp_path / "chat_history"
    assert "写一首长诗" in history.read_text()
    assert stat.S_IMODE(history.stat().st_mode) == 0o600


def test_a_session_that_goes_on_says_how_far_it_is(tmp_path: Path) -> None:
    with WireServer(default="好的。") as wire:
        shell = Shell(tmp_path, wire.url)
        assert shell.run("chat", "--thread", "work", "--say", "第一句", "--say", "第二句").returncode == 0
        with Screen(shell, "chat", "--thread", "work", "--lang", "zh") as screen:
            screen.wait_for("此前已有 2 轮")


def test_forgetting_is_asked_about_and_takes_the_typed_lines_along_in_a_narrow_terminal_without_colours(
    tmp_path: Path,
) -> None:
    shell = Shell(tmp_path, "")
    with WireServer(default="**好的**。") as wire:
        shell.environment["OLLAMA_HOST"] = wire.url
        with Screen(shell, "chat", "--thread", "t1", "--lang", "zh", columns=40, NO_COLOR="1") as screen:
            screen.wait_for("›", seconds=60)
            screen.type("我的门禁密码是 778899。\r")
            screen.wait_for("好的。")
            screen.wait_for("›")
            asked = len(wire.chats)
            screen.type("/跳舞\r")
            screen.wait_for("没有命令")
            screen.wait_for("›")
            screen.type("/忘掉 778899\r")
            screen.wait_for("[y/N]")
            screen.type("n\r")
            screen.wait_for("没有忘掉任何内容")
            screen.wait_for("›")
            screen.type("/忘掉 778899\r")
            screen.wait_for("[y/N]")
            screen.type("y\r")
            screen.wait_for("已忘掉")
            screen.wait_for("›")
            screen.type("/退出\r")
            screen.wait_for("--thread")
            assert screen.process.wait(timeout=30) == 0
            # What sets a colour: 30 to 37 and 90 to 97, or 38 with one of its own.
            assert re.search(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|9[0-7])[;m]", screen.seen) is None
    assert len(wire.chats) == asked
    kept = (tmp_path / "chat_history").read_text()
    assert "778899" not in kept
    assert "/跳舞" in kept


def test_while_the_person_types_the_next_summary_is_made_and_no_turn_waits_for_it(tmp_path: Path) -> None:
    def is_summary(body: Body) -> bool:
        return "decisions" in (body.get("format") or {}).get("properties", {})

    def reply(body: Body) -> Reply:
        if not is_summary(body):
            return Say("收到。")
        summaries.append(body)
        return Hang(60) if len(summaries) == 1 else Say('{"decisions": [], "next_steps": [], "other_facts": []}')

    def wait_for_summaries(number: int) -> None:
        end = time.monotonic() + 60
        while len(summaries) < number:
            assert time.monotonic() < end
            time.sleep(0.05)

    summaries: list[Body] = []
    policy = "{summary_threshold_tokens: 700, key_turns: 0}"
    (tmp_path / "agent.yaml").write_text(f"agent: {{memory: 'off', context_policy: {policy}}}\n")
    with WireServer(reply) as wire:
        shell = Shell(tmp_path, wire.url)
        with Screen(shell, "chat", "--agent", str(tmp_path / "agent.yaml"), "--lang", "zh") as screen:
            screen.wait_for("›")
            for number in range(1, 20):
                screen.type(f"第 {number} 段说明：" + "这里写得更细一些，" * 8 + "图标用线条的。\r")
                screen.wait_for("收到。")
                screen.wait_for("›")
                if summaries:
                    break
            wait_for_summaries(1)
            screen.type("好，继续。\r")
            screen.wait_for("收到。", seconds=30)
            wait_for_summaries(2)
            screen.type("/quit\r")
            assert screen.process.wait(timeout=30) == 0
