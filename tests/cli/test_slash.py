"""What a line typed into a chat is: a command or a message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ninefold.console.slash import CHINESE, Slash, known, message_of, slash
from tests.cli.shell import Shell
from tests.wire.server import Body, WireServer


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("/help", Slash("help", "")),
        ("  /WHY  ", Slash("why", "")),
        ("/compact the prices\n", Slash("compact", "the prices")),
        ("/帮助", Slash("help", "")),
        ("／约束", Slash("constraints", "")),
        ("/忘掉 我的电话", Slash("forget", "我的电话")),
        ("/忘掉我的电话", Slash("forget", "我的电话")),
        ("/固定不要用红色，不要用圆角", Slash("pin", "不要用红色，不要用圆角")),
        ("/pin: no red", Slash("pin", "no red")),
        ("/帮助！", Slash("help", "！")),
        ("/固定　不要用红色，不要用圆角", Slash("pin", "不要用红色，不要用圆角")),
        ("/约束力", Slash("约束力", "")),
        ("/dance now", Slash("dance", "now")),
        ("/etc/hosts holds the names", None),
        ("/README.md, please", None),
        ("/", None),
        ("//help", None),
        ("1/2", None),
    ],
)
def test_a_command_is_a_slash_and_a_word(line: str, command: Slash | None) -> None:
    assert slash(line) == command


def test_every_command_has_a_chinese_name() -> None:
    for name, others in CHINESE.items():
        for word in (name, *others):
            assert slash(f"/{word}") == Slash(name, "")
            assert known(Slash(name, ""))
    names = [word for others in CHINESE.values() for word in others]
    assert len(names) == len(set(names))


def test_two_slashes_begin_a_message_with_one() -> None:
    assert message_of("//help me\n") == "/help me"
    assert message_of(" /etc/hosts ") == "/etc/hosts"


def test_an_unknown_word_is_no_command() -> None:
    assert known(Slash("quit", ""))
    assert not known(Slash("quti", ""))


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


def system_of(body: Body) -> str:
    return str(body["messages"][0]["content"])


def test_a_session_is_changed_between_two_turns_through_a_pipe(tmp_path: Path, wire: WireServer) -> None:
    said = [f"第 {number} 句，编号 {number}00。" for number in range(1, 7)]
    lines = [
        "/钉住 一律用蓝色按钮",
        *said,
        "/压缩 编号",
        "/撤销",
        "/撤销",
        "/忘掉 编号 300",
        "/跳舞",
        "/约束",
        "编号是多少？",
    ]
    ended = Shell(tmp_path, wire.url).run("chat", "--thread", "t1", "--lang", "zh", lines=lines)
    pinned, *replies, compacted, undone, forgotten, title, rule, reply = ended.stdout.splitlines()
    assert pinned == "从现在起生效：一律用蓝色按钮"
    assert [*replies, reply] == ["OK."] * 7
    assert compacted.startswith("8 条消息移入存档")
    assert undone.startswith("8 条消息已回到窗口")
    assert forgotten.startswith("已忘掉：")
    assert forgotten.endswith("1 条消息。含有它的会话不能再回到之前的轮次。")
    assert (title, rule) == ("约束", "- 一律用蓝色按钮  (要求, 本次会话, 颜色)")
    assert ended.stderr.splitlines()[1:] == [
        "没有可撤销的压缩。/压缩 会做一次压缩。",
        "没有命令 /跳舞。/帮助 列出命令；//跳舞 会把这段文字作为消息发送。",
    ]
    assert ended.returncode == 1
    assert "跳舞" not in str(wire.chats)
    assert all("一律用蓝色按钮" in system_of(body) for body in wire.chats)
    last = "\n".join(message["content"] for message in wire.chats[-1]["messages"])
    assert "编号 200" in last
    assert "编号 300" not in last


@pytest.mark.parametrize(
    ("language", "rules", "lines", "shown", "refused"),
    [
        (
            "zh",
            ("以后不要用红色。", "不要用表格。"),
            ["/结束", "/结束 蓝色", "/结束 红色", "/约束"],
            ["不再有效：以后不要用红色", "约束"],
            [
                "没有写明哪一条规则。请写明：/结束 规则的原话；/约束 列出规则。/退出 离开对话。",
                "有效的约束中没有一条含有 '蓝色'。对话中 /约束 列出它们。",
            ],
        ),
        (
            "en",
            ("From now on never use red.", "Never use tables."),
            ["/end", "/end blue", "/end red", "/constraints"],
            ["Holds no longer: From now on never use red", "Constraints"],
            [
                "No rule is named. Say which: /end WORDS of the rule; /constraints shows them. /quit leaves the chat.",
                "No constraint that holds has the words 'blue'. In a chat /constraints lists them.",
            ],
        ),
    ],
)
def test_a_rule_is_ended_by_its_words_and_other_words_are_refused_while_the_chat_goes_on(
    tmp_path: Path,
    wire: WireServer,
    language: str,
    rules: tuple[str, str],
    lines: list[str],
    shown: list[str],
    refused: list[str],
) -> None:
    ended = Shell(tmp_path, wire.url).run("chat", "--lang", language, lines=[*rules, *lines, "?"])
    assert ended.stdout.splitlines()[2:4] == shown
    left, reply = ended.stdout.splitlines()[4:]
    assert left.startswith(f"- {rules[1][:-1]}  (")
    assert reply == "OK."
    assert ended.stderr.splitlines()[-2:] == refused
    assert ended.returncode == 1


def test_a_session_is_changed_in_english_too(tmp_path: Path, wire: WireServer) -> None:
    lines = [
        "/undo",
        "The code is 4711.",
        "/pin",
        "/pin Never use red",
        "/forget",
        "/forget 4711",
        "/compact",
        "/context",
    ]
    ended = Shell(tmp_path, wire.url).run("chat", "--thread", "t1", "--lang", "en", lines=lines)
    assert (
        ended.stderr.partition("\n")[2]
        == "There is no compaction to take back. In a chat /compact makes one, in code compact(graph, config).\n"
        "Nothing is named that is to be forgotten. "
        "Say what: /forget WORDS, or the id of a memory (ninefold memory list).\n"
    )
    shown = ended.stdout.splitlines()
    assert shown[:3] == ["OK.", "Holds from now on: The code is 4711.", "Holds from now on: Never use red"]
    assert "1 constraint, 0 statements of summaries, 1 message." in shown[3]
    assert shown[4].startswith("There was nothing to compact: ")
    assert shown[5].startswith("The last prompt is not kept")


@pytest.mark.parametrize(
    ("language", "rule", "shown"),
    [
        ("zh", "以后不要用红色。", "约束\n- 以后不要用红色  (禁止, 来自之前的会话, 颜色)\n"),
        (
            "en",
            "From now on never use red.",
            "Constraints\n- From now on never use red  (forbidden, from an earlier session, colour)\n",
        ),
    ],
)
def test_a_new_session_shows_what_will_hold_from_earlier_ones(
    tmp_path: Path, wire: WireServer, language: str, rule: str, shown: str
) -> None:
    shell = Shell(tmp_path, wire.url)
    shell.run("chat", "--thread", "before", "--say", rule)
    assert shell.run("chat", "--lang", language, lines=["/constraints"]).stdout == shown
