"""A chat through a pipe, and what is told of a session that was changed, with the real graph in this process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ninefold import build_graph
from ninefold.cli import run
from ninefold.console.conversation import Conversation
from ninefold.console.plain import converse
from ninefold.console.reports import commands
from ninefold.console.slash import CHINESE
from ninefold.sessions import opened
from ninefold.state import AgentSettings, Language, ThreadBusy
from ninefold.translation import told
from ninefold.wording import Wording
from tests.cli.shell import Shell
from tests.turn.agents import Agent, agent
from tests.wire.replies import Say


def conversation(of: Agent) -> Conversation:
    folder = Path(of.settings.storage.folder or "")
    return Conversation(of.graph, "t1", "local", num_ctx=of.settings.model.num_ctx, folder=folder)


@pytest.mark.parametrize(
    ("reply", "printed"),
    [
        ("\n好的。\n\n- 一\n- 二\n\n", "\n好的。\n\n- 一\n- 二\n"),
        ("<think>先想一想，<b>再想</b>。</think>\n\n好的。", "好的。\n"),
        ("a <b> c\n<thinking about it", "a <b> c\n<thinking about it\n"),
    ],
)
def test_what_is_written_piece_by_piece_is_the_reply_without_thoughts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reply: str, printed: str
) -> None:
    with agent(tmp_path, [Say(reply, pieces=len(reply))], memory=False) as a:
        assert converse(conversation(a), ["你好"], Wording(Language.CHINESE)) == 0
    assert capsys.readouterr() == (printed, "")


@pytest.mark.parametrize(
    ("language", "cause", "back"),
    [
        (
            Language.CHINESE,
            "另一轮正占用会话 't1'，已等待 0.2 秒。请等它结束，或停止它，或换一个会话。",
            "您的消息没有发出",
        ),
        (
            Language.ENGLISH,
            "Another turn has held the thread 't1' for 0.2 s. Wait for it",
            "Your message was not taken",
        ),
    ],
)
def test_a_message_that_a_busy_thread_did_not_take_is_given_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: Language, cause: str, back: str
) -> None:
    with agent(tmp_path, memory=False) as a:
        storage = a.settings.storage.model_copy(update={"lock_timeout": 0.2})
        settings = a.settings.model_copy(update={"storage": storage})
        talking = Conversation(build_graph(settings), "t1", "local", num_ctx=8192, folder=tmp_path)
        with opened(settings) as place, place.held("t1"), pytest.raises(ThreadBusy) as busy:
            converse(talking, ["端口是 18443。"], Wording(language))
        assert a.wire.chats == []
    out, errors = capsys.readouterr()
    assert out == ""
    assert back in errors
    assert "端口是 18443。" in errors
    assert told(busy.value, language).startswith(cause)


@pytest.mark.parametrize(
    ("language", "title"), [("zh", "上一次提示之后会话有过改动"), ("en", "The last prompt is not kept")]
)
def test_a_prompt_that_forgetting_dropped_is_told_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, language: str, title: str
) -> None:
    monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
    with agent(tmp_path, memory=False) as a:
        wording = Wording(Language(language))
        converse(conversation(a), ["门禁码是 778899。", "你好", "/forget 778899", "/context"], wording)
        assert capsys.readouterr().out.splitlines()[-1].startswith(title)
        assert run(["ledger", "t1", "--lang", language]) == 0
    _, row, mark, _ = capsys.readouterr().out.splitlines()
    assert row.split()[:3] == ["2", "–", "–"]
    assert mark.startswith("–")


def test_a_list_of_sessions_in_a_pipe_is_cut_to_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
    with agent(tmp_path, memory=False) as a:
        a.say("第一行\n" + "很长的话，" * 100, "t1", "local")
    assert run(["sessions", "list"]) == 0
    out = capsys.readouterr().out
    assert "第一行 很长的话" in out
    assert out.endswith("…\n")
    assert len(out) < 200


@pytest.mark.parametrize("words", [["--lang", "zh", "sessions", "list"], ["sessions", "list", "--lang", "zh"]])
def test_the_language_is_named_before_a_command_or_behind_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
    assert run(words) == 0
    assert capsys.readouterr().out == f"{tmp_path} 中没有用户 local 的会话。\n"


def test_saying_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["chat", "--say", " ", "--lang", "zh"]) == 1
    assert capsys.readouterr().err == "消息是空的。请说点什么：消息至少要有一个字。\n"


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (Language.CHINESE, "/忘掉 内容|编号 在各处忘掉所写的话，或按编号忘掉一条记忆"),
        (Language.ENGLISH, "/forget WORDS|ID forget WORDS, or"),
    ],
)
def test_help_shows_what_a_command_takes(language: Language, line: str) -> None:
    wording = Wording(language)
    assert line.split() in [shown.split()[: len(line.split())] for shown in commands(wording, CHINESE).splitlines()]
    assert "/help" not in wording.say("chat.hint") or language is Language.ENGLISH


@pytest.mark.parametrize(("lang", "kind"), [("zh", "配置"), ("en", "config")])
def test_memories_are_listed_with_their_kind_in_the_persons_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, lang: str, kind: str
) -> None:
    monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
    with agent(tmp_path) as a:
        a.say("记住：项目端口是 18443。", user="local")
    assert run(["memory", "list", "--lang", lang]) == 0
    assert f"  {kind} " in capsys.readouterr().out


def test_a_command_in_a_hint_can_be_run_as_it_stands(tmp_path: Path) -> None:
    own = tmp_path / ".venv" / "bin" / "ninefold"
    own.parent.mkdir(parents=True)
    own.write_text(f"#!{sys.executable}\nfrom ninefold.cli import main\nmain()\n")
    own.chmod(0o755)
    shell = Shell(tmp_path, "")
    for path, named in (("/usr/bin:/bin", ".venv/bin/ninefold"), (f"{own.parent}:/bin", "ninefold")):
        refused = subprocess.run(
            [str(own), "sessions", "show", "t1"],
            env={**shell.environment, "PATH": path},
            cwd=tmp_path,
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert f"`{named} sessions list` shows the sessions.".encode() in refused.stderr


EVERY_REPORT = """
import sys
from ninefold import cli
for words in (
    "sessions list", "sessions show t1", "sessions fork t1 --as 端口", "sessions rename 端口 t3", "sessions delete t3",
    "explain t1", "explain t1 --about 端口", "ledger t1", "models list", "doctor", "memory search 端口", "memory list",
    "sessions show 没有", "chat --help", "--help",
):
    sys.argv = ["ninefold", *words.split(), *(["--lang", "zh"] if "help" not in words else [])]
    try:
        cli.main()
    except SystemExit as left:
        assert left.code in (0, 1), (words, left.code)
"""


def session(folder: Path) -> AgentSettings:
    with agent(folder, memory=False) as a:
        a.say("端口是 18443。" * 20, "t1", "local")
        return a.settings


def test_no_command_chokes_on_a_terminal_that_knows_ascii_only(tmp_path: Path) -> None:
    session(tmp_path)
    shell = Shell(tmp_path, "")
    shell.environment |= {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    script = tmp_path / "every.py"
    script.write_text(EVERY_REPORT, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, str(script)], env=shell.environment, capture_output=True, check=False, timeout=300
    )
    assert ended.returncode == 0, ended.stderr
    assert b"Traceback" not in ended.stderr
    assert b"18443" in ended.stdout
    assert ended.stdout.isascii()
    command = shell.command("explain", "t1", "--about", "端口", "--lang", "zh")
    about = subprocess.run(command, env=shell.environment, capture_output=True, check=True, timeout=100)
    assert "“端口”与第 1 轮的提示词".encode("ascii", "backslashreplace") in about.stdout


def test_a_reader_who_leaves_early_gets_no_complaint(tmp_path: Path) -> None:
    session(tmp_path)
    shell = Shell(tmp_path, "")
    running = subprocess.Popen(
        shell.command("sessions", "show", "t1"), env=shell.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    running.stdout.close()
    assert running.stderr is not None
    errors = running.stderr.read()
    running.stderr.close()
    assert (running.wait(timeout=60), errors) == (1, b"")


@pytest.mark.parametrize(
    ("language", "said", "told_so"),
    [
        (
            Language.CHINESE,
            ["所有金额都用人民币。", "所有金额都用美元。", "取消金额的要求。"],
            "规则生效：所有金额都用人民币\n规则生效：所有金额都用美元（取代：所有金额都用人民币）\n不再有效：所有金额都用美元\n",
        ),
        (
            Language.ENGLISH,
            ["Give all amounts in euros.", "Give all amounts in yen.", "Forget about the currency rule."],
            "A rule holds: Give all amounts in euros\n"
            "A rule holds: Give all amounts in yen (in the place of: Give all amounts in euros)\n"
            "Holds no longer: Give all amounts in yen\n",
        ),
    ],
)
def test_a_rule_that_comes_and_one_that_gives_way_are_named_where_nobody_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: Language, said: list[str], told_so: str
) -> None:
    with agent(tmp_path, memory=False, on_conflict="newest") as a:
        assert converse(conversation(a), said, Wording(language)) == 0
    shown = capsys.readouterr()
    assert shown.out == "OK.\n" * 3
    assert shown.err == told_so


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        (
            Language.CHINESE,
            ["不要用表格和表情。", "可以用表格了。"],
            [
                "- 不要用表格和表情  (禁止, 本次会话, 风格)",
                "- 可以用表格了  (重新允许：规则“不要用表格和表情”中的“不要用表格”, 本次会话)",
            ],
        ),
        (
            Language.ENGLISH,
            ["No emojis and no tables.", "You can use tables again."],
            [
                "- No emojis and no tables  (forbidden, this session, style)",
                "- You can use tables again"
                "  (allowed again: “no tables” of the rule “No emojis and no tables”, this session)",
            ],
        ),
        (
            Language.CHINESE,
            ["所有金额都用人民币。", "这份报告用美元。"],
            [
                "- 所有金额都用人民币  (要求, 本次会话, 货币)",
                "- 这份报告用美元  (要求, 本次会话, 货币, 优先于“所有金额都用人民币”)",
            ],
        ),
        (
            Language.ENGLISH,
            ["Give all amounts in euros.", "For this report use dollars."],
            [
                "- Give all amounts in euros  (required, this session, currency)",
                "- For this report use dollars  (required, this session, currency, before “Give all amounts in euros”)",
            ],
        ),
    ],
)
def test_what_a_constraint_goes_before_is_shown_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: Language, said: list[str], shown: list[str]
) -> None:
    with agent(tmp_path, memory=False) as a:
        converse(conversation(a), [*said, "/constraints"], Wording(language))
    assert capsys.readouterr().out.splitlines()[len(said) + 1 :] == shown
