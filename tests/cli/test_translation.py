"""What the code says in English is said in Chinese where a person reads Chinese."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ninefold.adapters.models.errors import Server, model_error
from ninefold.adapters.weights.catalogue import DEFAULT_MODEL, find_weights
from ninefold.cli import run
from ninefold.cli.commands import application
from ninefold.console.happenings import Ended
from ninefold.console.notes import notes
from ninefold.policies.notices import notice
from ninefold.settings_file import load_settings
from ninefold.state import Language, ModelDown, Outcome, OutcomeStatus, SettingsError
from ninefold.translation import PLACE, chinese, told, translated
from ninefold.wording import Wording
from tests.cli.shell import Shell
from tests.wire.server import WireServer, nobody_there

ROOT = Path(__file__).resolve().parents[2]
REASONS = (
    *(ROOT / "nodes").glob("*.py"),
    *(ROOT / "policies" / name for name in ("intent.py", "window.py", "descent.py")),
)
TOLD_AT_THE_COMMAND_LINE = (
    "adapters/models/errors.py",
    "adapters/embedded/chat.py",
    "adapters/embedded/server.py",
    "adapters/embedded/embedder.py",
    "adapters/weights",
    "graph/between_turns.py",
    "graph/ending.py",
    "graph/forgetting.py",
    "policies/forgetting.py",
    "policies/pinning.py",
    "app/budget.py",
    "app/first_start.py",
    "app/home.py",
    "app/own_policies.py",
    "app/settings_file.py",
    "app/memories.py",
    "app/memory_server",
    "app/cli",
)
ONLY_FROM_CODE = (
    "A call asked for num_ctx {}; this model is loaded with {}.",
    "Make another EmbeddedChat for another context: it costs a second copy in memory.",
)


def template(node: ast.AST) -> str | None:
    """Give a literal text with {} for every value in it."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
        case _:
            return None


def plain(english: str) -> str:
    return PLACE.sub("{}", english)


def errors(file: Path) -> Iterator[str]:
    """Give the causes and next steps that a file's named errors are made of."""
    family = ast.parse((ROOT / "state/errors.py").read_text(encoding="utf-8"))
    names = {node.name for node in ast.walk(family) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield from filter(None, map(template, node.args[:2]))


def reasons(file: Path) -> Iterator[str]:
    """Give the texts that a step's events name as their reason: handed to it, or given by a function for one."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == "reason":
            yield from literals(node.value)
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "reason" for t in node.targets):
            yield from literals(node.value)
        if isinstance(node, ast.FunctionDef) and node.name in ("_reason", "_nothing"):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return) and inner.value is not None:
                    yield from literals(inner.value)


def literals(node: ast.expr) -> Iterator[str]:
    """Give the texts that an expression can be."""
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*literals(body), *literals(orelse))
        case ast.BoolOp(values=values):
            for value in values:
                yield from literals(value)
        case _:
            if (found := template(node)) and re.search("[A-Za-z]", PLACE.sub("", found)):
                yield found


def test_every_reason_of_a_step_has_its_chinese() -> None:
    found = {reason for file in REASONS for reason in reasons(file)}
    assert len(found) > 20
    known = {plain(english) for english in chinese()}
    assert sorted(found - known) == []


def test_every_error_that_a_command_can_tell_has_its_chinese() -> None:
    files = [
        file
        for name in TOLD_AT_THE_COMMAND_LINE
        for file in ([ROOT / name] if name.endswith(".py") else (ROOT / name).glob("*.py"))
    ]
    found = {text for file in files for text in errors(file) if PLACE.sub("", text).strip(" .")}
    known = {plain(english) for english in chinese()}
    assert sorted(found - known - set(ONLY_FROM_CODE)) == []


def test_every_option_of_a_command_explains_itself_in_chinese() -> None:
    def explained(command: Any) -> Iterator[str]:
        yield from (option.help for option in command.params if getattr(option, "help", None))
        for below in getattr(command, "commands", {}).values():
            yield from explained(below)

    english, in_chinese = ([*explained(application(language))] for language in (Language.ENGLISH, Language.CHINESE))
    assert len(english) == len(in_chinese) > 40
    assert [one for one, other in zip(english, in_chinese, strict=True) if one == other] == []


def test_both_languages_have_the_same_places() -> None:
    for english, words in chinese().items():
        places = PLACE.findall(words)
        numbers = sorted(int(place[1:-1]) for place in places if place != "{}")
        assert numbers in ([], [*range(len(places))]), english
        assert len(PLACE.findall(english)) == len(places), english


def test_values_and_reasons_are_put_in_their_places() -> None:
    zh = Language.CHINESE
    assert (
        translated("over recent_keep, but only 12 tokens may leave", zh)
        == "超过 recent_keep，但只有 12 个 token 可以移出"
    )
    assert translated("2 values by reference; no wish found", zh) == "2 个值改为引用；没有找到要求"
    assert translated("nobody knows this", zh) == "nobody knows this"
    assert translated("no wish found", Language.ENGLISH) == "no wish found"
    error = SettingsError("There is no room for the weights a in /b: full.", "Send the message again.")
    assert told(error, zh) == "/b 中放不下权重 a：full。请再发一次。"
    assert told(error, Language.ENGLISH) == str(error)
    assert told(ModelDown("a.", "b."), zh) == "a. b."
    reached = "a.b cannot be reached ([Errno 111] Connection refused)"
    assert told(ModelDown(f"The weights x could not be fetched: {reached}; {reached}.", ""), zh) == (
        "权重 x 下载失败：a.b 连接不上（连接被拒绝（错误号 111））；a.b 连接不上（连接被拒绝（错误号 111））。"
    )


def test_a_server_that_is_down_is_told_with_a_command_that_runs() -> None:
    error = model_error(ConnectionError(), Server("qwen2.5:14b", "http://localhost:11434", ollama=True))
    assert f"--model embedded:{DEFAULT_MODEL}" in str(error)
    assert find_weights(DEFAULT_MODEL)
    assert told(error, Language.CHINESE) == (
        "http://localhost:11434 没有应答，模型 qwen2.5:14b 应在那里。"
        "您的消息已保留：可以重新进行这一轮（对话中用 /重试）。"
        "用 `ollama serve` 启动它，或设置 OLLAMA_HOST；也可以不用它：先 `ninefold models pull`，"
        f"再用 `--model embedded:{DEFAULT_MODEL}`。"
    )


@pytest.mark.parametrize("asked", [["--lang", "zh"], ["--lang=zh"], []])
def test_a_command_tells_its_error_in_the_persons_language(tmp_path: Path, asked: list[str]) -> None:
    shell = Shell(tmp_path, nobody_there())
    shell.environment["LC_ALL"] = "C.UTF-8" if asked else "zh_CN.UTF-8"
    (tmp_path / "agent.yaml").write_text("agent:\n  modle: {}\n")
    ended = shell.run("chat", *asked, "--agent", str(tmp_path / "agent.yaml"), "--say", "你好")
    assert ended.returncode == 1
    assert '第 2 行：未知的键 "modle"（在 agent 之下）。是不是 "model"？可用的键：' in ended.stderr


SPOILED = (
    "modle: {}",
    "context_policy: {recent_kep: 2}",
    "context_policy: {soft_threshold: 0.9, hard_threshold: 0.5}",
    "context_policy: {soft_threshold: 2}",
    "model: 5",
    "model: {num_ctx: 12}",
    "model: {num_ctx: abc}",
    "model: {num_ctx: 5.5}",
    "model: {num_ctx: 1024}",
    "model: {temperature: -1}",
    "model: {provider: openai}",
    "model: {model_name: [a]}",
    "memory: maybe",
    "tools: [foo]",
    "name: ''",
    "prompt_log: 12",
    "policies: {strategies: 5}",
    "model: *x",
    "model: {}}",
    "model: {",
    "model: a: b",
    "name: 'x",
    "name: @x",
    "name: !foo x",
)


@pytest.mark.parametrize("line", SPOILED)
def test_what_is_wrong_in_an_agents_file_is_told_in_one_language(tmp_path: Path, line: str) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text(f"agent:\n  {line}\n")
    with pytest.raises(SettingsError) as refused:
        load_settings(file)
    said = told(refused.value, Language.CHINESE).replace(str(file), "")
    words = r"\b(?:should|must|found|expected|allowed|here|line|not|under|keys|key|valid|leave|tokens|read|missing)\b"
    assert re.findall(words, said) == [], said
    assert re.search("第 \\d+ 行", said)
    assert "请" in said


def test_a_keys_own_path_stays_whole_beside_the_hint(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text("agent:\n  context_policy: {recent_kep: 2}\n")
    with pytest.raises(SettingsError) as refused:
        load_settings(file)
    assert '未知的键 "recent_kep"（在 agent.context_policy 之下）。是不是 "recent_keep"？可用的键：' in told(
        refused.value, Language.CHINESE
    )


def test_what_a_step_told_in_its_threads_language_is_told_in_the_readers() -> None:
    chinese_thread = notice("memories_given_up", Language.CHINESE, count=40, lost=3)
    english_thread = notice("memories_given_up", Language.ENGLISH, count=40, lost=3)
    assert translated(chinese_thread, Language.ENGLISH) == english_thread
    assert translated(english_thread, Language.CHINESE) == chinese_thread
    assert translated(english_thread, Language.ENGLISH) == english_thread
    ended = Ended(None, Outcome(status=OutcomeStatus.DEGRADED, notes=("回复被截断，没有写完 (length)",)))
    assert notes(ended, Wording(Language.ENGLISH))[0] == "Note: the reply was cut off and is not complete (length)"


def test_why_the_steps_did_what_they_did_is_told_in_chinese(tmp_path: Path) -> None:
    with WireServer() as wire:
        shell = Shell(tmp_path, wire.url)
        ended = shell.run("chat", "--lang", "zh", lines=["不要用红色。", "/为什么", "/上下文", "/约束"])
    assert ended.returncode == 0
    assert "意图判断   没有提出问题或要求" in ended.stdout
    assert "阈值检查   低于所有阈值" in ended.stdout
    assert "当前请求" in ended.stdout
    assert "- 不要用红色  (禁止, 本次会话, 颜色)" in ended.stdout


def test_what_has_no_chinese_stays_letter_by_letter() -> None:
    for text in ('unknown words "a; b" here', "it asks for nothing; nobody knows this", "a; b"):
        assert translated(text, Language.CHINESE) == text


WRONG = (
    "nope",
    "chat --nope",
    "chat --thread",
    "chat --model foo --say x",
    "chat --lang fr",
    "draw --format jpg",
    "sessions show",
    "sessions list extra",
    "explain t --turn x",
)


@pytest.mark.parametrize("words", [*WRONG, "-h", "chat --help", "sessions -h", "memory forget -h"])
def test_wrong_usage_and_help_are_told_in_one_language(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    status = 2 if words in WRONG else 0
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert run(words.split()) == status
    chinese_said = "".join(capsys.readouterr())
    assert re.search("[一-鿿]", chinese_said)
    english = r"\b(?:Usage|Options?|Commands?|Arguments?|Error|Invalid|Missing|No such|Show|Try|default|explains)\b"
    assert re.findall(english, chinese_said) == []
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert run(words.split()) == status
    said = "".join(capsys.readouterr())
    assert "Usage: " in said or "requires an argument" in said
    assert re.search("[一-鿿]", said) is None


def test_a_command_speaks_its_agents_language_also_where_it_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
    file = tmp_path / "agent.yaml"
    file.write_text("agent: {language: zh}\n")
    for words, said in (
        ("sessions list", "中没有用户 local 的会话。"),
        ("memory list", "没有记忆。"),
        ("sessions show t1", "没有会话 t1。"),
        ("sessions show", "缺少参数 'THREAD'。"),
        ("chat --profile nope --say x", "没有配置档 'nope'。"),
    ):
        run([*words.split(), "--agent", str(file)])
        assert said in "".join(capsys.readouterr()), words
