"""What is forgotten is gone from every thread of the person: nothing comes back, and no file holds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninefold.cli import run
from ninefold.graph.between_turns import pin
from ninefold.graph.forgetting import forget, forget_everywhere
from ninefold.reading import history
from ninefold.state import ConflictRule, Origin
from tests.turn.agents import agent, config, whole_prompt

from .test_forgetting import files_holding

TOLD = {
    "zh": ("我讨厌榴莲，也不吃香菜。", "以后推荐甜点都不要有榴莲。", "榴莲", "推荐一个甜点吧？", "香菜"),
    "en": (
        "I hate durian and I don't eat liver.",
        "From now on never suggest durian.",
        "durian",
        "Any dessert?",
        "liver",
    ),
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_is_forgotten_on_one_thread_is_gone_from_all_of_the_persons_and_from_every_file(
    tmp_path: Path, language: str
) -> None:
    told, rule, word, question, _ = TOLD[language]
    with agent(tmp_path, [f"{word}: OK."] * 4, default="OK.") as a:
        a.say(told, thread="a")
        a.say(rule, thread="a")
        a.say(question, thread="b")
        (standing,) = [each for each in a.values("b")["constraints"] if each.origin is Origin.PREFERENCE]
        assert word in standing.words
        a.say(told, thread="theirs", user="bob")
        gone = forget(a.graph, config("a"), word)
        assert gone.left == ()
        assert gone.constraints >= 2
        assert gone.messages >= 5
        assert a.values("b")["constraints"] == ()
        a.say(question, thread="b")
        assert word not in whole_prompt(a.wire.chats[-1])
        a.say(question, thread="c")
        assert word not in whole_prompt(a.wire.chats[-1])
        assert word in history(a.graph, config("theirs", "bob"))[0].text
        assert forget_everywhere(a.graph, "bob", word).messages == 2
        assert files_holding(tmp_path, word) == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_was_forgotten_without_a_chat_comes_back_by_no_recall_of_an_archive(tmp_path: Path, language: str) -> None:
    told, _, word, _, kept = TOLD[language]
    with agent(tmp_path, default="OK.", num_ctx=2600) as a:
        a.say(told)
        for number in range(9):
            a.say(f"{number} " + "lorem ipsum dolor sit amet " * 20)
        assert all(word not in m.text for m in a.values()["messages"])
        parts = a.graph._guard.parts
        assert parts is not None
        assert parts.memory is not None
        assert forget_everywhere(a.graph, "ann", word).memories
        a.say({"zh": f"我之前说过{word}什么？", "en": f"What did I say about {word} before?"}[language])
        prompt = whole_prompt(a.wire.chats[-1])
        assert prompt.count(word) == 1
        assert kept not in prompt.split("lorem")[0]
        assert parts.memory.records("ann") == ()


def test_a_thread_that_waits_for_an_answer_is_named_and_reached_when_it_is_done(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。", on_conflict=ConflictRule.ASK) as a:
        a.say("以后都用中文回答。榴莲很臭。", thread="b")
        a.graph.invoke({"messages": [{"role": "user", "content": "以后都用英文回答。"}]}, config("b"))
        assert a.graph.get_state(config("b")).next
        a.say("我讨厌榴莲。", thread="a")
        assert forget(a.graph, config("a"), "榴莲").left == ("b",)
        a.say("好，替换。", thread="b")
        assert forget(a.graph, config("a"), "榴莲").left == ()
        assert files_holding(tmp_path, "榴莲") == []


def test_a_thread_that_never_held_the_words_keeps_its_earlier_states(tmp_path: Path) -> None:
    with agent(tmp_path, default="好的。") as a:
        a.say("我讨厌榴莲。", thread="a")
        a.say("你好", thread="b")
        a.say("再见", thread="b")
        before = len([*a.graph.get_state_history(config("b"))])
        forget(a.graph, config("a"), "榴莲")
        assert len([*a.graph.get_state_history(config("b"))]) == before > 1


@pytest.mark.parametrize(
    ("told", "word"),
    [("My summary is late.", "summary"), ("memory_write 慢。", "memory_write"), ("摘要太长。", "摘要")],
)
def test_the_names_of_what_a_state_keeps_are_not_the_words_to_forget(tmp_path: Path, told: str, word: str) -> None:
    with agent(tmp_path, default="OK.") as a:
        a.say("Hello.", thread="b")
        a.say("你好", thread="b")
        a.say(told, thread="a")
        before = len([*a.graph.get_state_history(config("b"))])
        assert forget(a.graph, config("a"), word).messages
        assert len([*a.graph.get_state_history(config("b"))]) == before > 1


@pytest.mark.parametrize("word", [r"D:\pumps\notes", r"D:\水泵\笔记", "first line\nsecond line", "第一行\n第二行"])
def test_words_with_a_backslash_or_a_line_break_leave_the_states_of_other_threads(tmp_path: Path, word: str) -> None:
    with agent(tmp_path, default="OK.") as a:
        a.say("Hello.", thread="a")
        # A rule that came from elsewhere stands in no archive of its thread.
        a.say("Hello.", thread="b")
        pin(a.graph, config("b"), f"Keep {word} as it is.")
        assert forget(a.graph, config("a"), word).constraints == 1
        assert a.values("b")["constraints"] == ()


def test_the_command_reaches_the_sessions_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with agent(tmp_path, default="好的。", memory=True) as a:
        a.say("我讨厌榴莲。", thread="a")
        monkeypatch.setenv("NINEFOLD_HOME", str(tmp_path))
        monkeypatch.setenv("OLLAMA_HOST", a.wire.url)
        (tmp_path / "chat_history").write_text(
            "\n# 2030-01-01\n+我讨厌榴莲。\n\n# 2030-01-02\n+你好\n", encoding="utf-8"
        )
        assert run(["memory", "forget", "榴莲", "--user", "ann", "--lang", "zh"]) == 0
        assert "1 条消息" in capsys.readouterr().out
        assert files_holding(tmp_path, "榴莲") == []
