"""A rule for all time that one thread replaced or took back holds on no other, whichever process asks."""

import subprocess
import sys
from pathlib import Path

import pytest

from ninefold import explaining, kept_turns
from ninefold.correcting import corrected
from ninefold.graph.ending import end
from ninefold.graph.in_force import constraints_in_force
from ninefold.policies.memory_merge import is_replaced
from ninefold.sessions import opened
from ninefold.state import MemoryKind, MemoryRecord
from tests.turn.agents import Agent, agent, config, whole_prompt

RULE = "constraint:"

TURNS = """
import sys
from ninefold import build_graph
from tests.turn.agents import config, settings
from pathlib import Path

url, folder, thread, *said = sys.argv[1:]
graph = build_graph(settings(url, Path(folder)))
for text in said:
    graph.invoke({"messages": [{"role": "user", "content": text}]}, config(thread))
"""


def in_a_process(a: Agent, folder: Path, thread: str, *said: str) -> None:
    """Take turns in a process of their own."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", TURNS, a.wire.url, str(folder), thread, *said]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def held(a: Agent, thread: str) -> list[str]:
    """What holds on a thread, as /constraints shows it before its next turn."""
    return [each.words for each in constraints_in_force(a.graph, config(thread))]


@pytest.mark.parametrize(
    ("first", "before", "then", "after"),
    [
        (
            "以后金额用人民币，不要用美元",
            ["以后金额用人民币", "不要用美元"],
            "以后金额改用美元",
            ["以后金额改用美元"],
        ),
        (
            "From now on, show all amounts in euros, never in dollars",
            ["From now on, show all amounts in euros", "never in dollars"],
            "From now on, show all amounts in yen",
            ["From now on, show all amounts in yen", "never in dollars"],
        ),
        (
            "以后回答不要超过一百字",
            ["以后回答不要超过一百字"],
            "以后回答改成不超过三百字",
            ["以后回答改成不超过三百字"],
        ),
    ],
)
def test_a_replaced_rule_gives_way_on_every_thread(
    tmp_path: Path, first: str, before: list[str], then: str, after: list[str]
) -> None:
    with agent(tmp_path) as a:
        a.say(first, thread="a")
        assert held(a, "a") == before
        in_a_process(a, tmp_path, "b", then)
        assert sorted(held(a, "a")) == sorted(after)
        a.say("OK.", thread="a")
        assert sorted(each.words for each in a.values("a")["constraints"]) == sorted(after)
        prompt = whole_prompt(a.wire.chats[-1])
        asked = prompt.replace(first, "")
        assert all(words not in asked for words in set(before) - set(after))
        assert all(asked.count(words) == 1 for words in after)
        a.say("Hello.", thread="c")
        assert sorted(each.words for each in a.values("c")["constraints"]) == sorted(after)


def test_a_rule_that_is_taken_back_on_one_thread_holds_on_none(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        a.say("以后所有回复都用表格", thread="a")
        in_a_process(a, tmp_path, "b", "你好", "以后不用表格了")
        assert held(a, "a") == []
        a.say("好的", thread="a")
        assert a.values("a")["constraints"] == ()


def test_a_rule_said_again_after_it_was_replaced_holds(tmp_path: Path) -> None:
    with agent(tmp_path) as a:
        a.say("以后金额用人民币", thread="a")
        a.say("以后金额改用美元", thread="b")
        a.say("以后金额改用人民币", thread="c")
        assert held(a, "a") == held(a, "b") == ["以后金额改用人民币"]
        a.say("好的", thread="a")
        a.say("好的", thread="b")
        assert held(a, "a") == held(a, "b") == held(a, "c") == ["以后金额改用人民币"]


def rule(text: str, number: int, key: str = "currency") -> MemoryRecord:
    return MemoryRecord(
        id=f"m{number}",
        user="ann",
        kind=MemoryKind.PREFERENCE,
        text=text,
        subject=RULE + key,
        created="2026-03-01T10:00:00+08:00",
        thread=f"t{number}",
        turn=f"u{number}",
    )


@pytest.mark.parametrize(
    ("old", "new", "key", "gone"),
    [
        ("以后金额用人民币", "以后金额用美元", "currency", True),
        ("不要用美元", "以后金额用欧元", "currency", False),
        ("不要用美元", "以后金额改用美元", "currency", True),
        ("From now on, use euros", "Never use dollars", "currency", False),
        ("以后回答至少一百字", "以后回答最多五百字", "length", False),
        ("以后回答最多三百字", "以后回答最多五百字", "length", True),
    ],
)
def test_of_two_kept_rules_only_those_that_cannot_stand_together_replace_each_other(
    old: str, new: str, key: str, gone: bool
) -> None:
    assert is_replaced(rule(old, 1, key), rule(new, 2, key)) is gone


SAME = "以后所有回复都用表格"


@pytest.mark.parametrize(
    ("said", "again", "taken_back", "ends"),
    [
        (SAME, SAME, "以后不用表格了", "a"),
        (SAME, "以后所有的回复都用表格", None, "a"),
        ("From now on, answer in tables", "From now on, answer in tables", None, "b"),
        (
            "From now on, answer in tables",
            "From now on, please answer in tables",
            "You no longer need to answer in tables",
            "b",
        ),
    ],
)
def test_a_rule_that_two_threads_were_told_ends_on_both(
    tmp_path: Path, said: str, again: str, taken_back: str | None, ends: str
) -> None:
    with agent(tmp_path) as a:
        a.say("Hello.", thread="b")
        a.say(said, thread="a")
        a.say(again, thread="b")
        assert held(a, "a") == held(a, "b") == [again]
        if taken_back is None:
            (shown,) = constraints_in_force(a.graph, config(ends))
            assert end(a.graph, config(ends), shown.id).words == again
        else:
            a.say(taken_back, thread=ends)
        assert held(a, "a") == held(a, "b") == []
        for thread in ("a", "b", "c"):
            a.say("Hello.", thread=thread)
            assert a.values(thread)["constraints"] == ()


@pytest.mark.parametrize(
    ("rule", "withdrawal"), [("以后不要用{}。", "可以用{}了。"), ("From now on never use {}.", "You may use {} again.")]
)
def test_many_rules_that_are_taken_back_at_once_hold_on_no_other_thread(
    tmp_path: Path, rule: str, withdrawal: str
) -> None:
    words = [f"{colour}{shade}" for colour in ("mauve", "teal", "ochre") for shade in "abcdefghij"]
    with agent(tmp_path) as a:
        a.say(" ".join(map(rule.format, words)), thread="t1")
        assert len(held(a, "t1")) == len(words)
        a.say("1 + 1?", thread="t2")
        told = a.graph.get_state(config("t2")).values["outcome"].notes
        left = len(words) - len(held(a, "t2"))
        assert 0 < left < len(words)
        assert [note for note in told if str(left) in note]
        a.say(" ".join(map(withdrawal.format, words)), thread="t1")
        a.say("1 + 1?", thread="t3")
        assert [held(a, thread) for thread in ("t1", "t2", "t3")] == [[], [], []]


@pytest.mark.parametrize(
    ("for_all_time", "here", "filler", "question"),
    [
        ("以后回答都用表格", "还是改成项目符号列表吧", "今天说说第{}步怎么做。", "表格和列表的事怎么定的？"),
        (
            "From now on answer in a table",
            "Switch to a bullet list instead",
            "Now about step {}.",
            "What did we say about tables?",
        ),
    ],
)
def test_a_rule_for_all_time_that_gave_way_in_this_session_is_shown_in_it_as_nothing(
    tmp_path: Path, for_all_time: str, here: str, filler: str, question: str
) -> None:
    with agent(tmp_path, memory=True, recent_keep=4) as a:
        for text in (for_all_time, here, *(filler.format(number) for number in range(5)), question):
            a.say(text, thread="a")
        asked = whole_prompt(a.wire.chats[-1])
        assert f"({MemoryKind.PREFERENCE.value}) {for_all_time}" not in asked
        assert [each.words for each in a.values("a")["constraints"]] == [here]
        a.say(question, thread="b")
        assert [each.words for each in a.values("b")["constraints"]] == [for_all_time]


@pytest.mark.parametrize(
    ("rule", "allowed"),
    [
        ("From now on, no emojis and no tables", "You can use tables again"),
        ("从现在起，回答不要用表格和表情", "可以用表格了"),
    ],
)
def test_a_rule_for_all_time_outlives_the_permission_of_a_part(tmp_path: Path, rule: str, allowed: str) -> None:
    with agent(tmp_path, memory=True) as a:
        for text in (rule, allowed, "OK.", "Hello."):
            a.say(text, thread="a")
        assert [each.words for each in a.values("a")["constraints"]] == [rule, allowed]
        a.say("Hello.", thread="b")
        assert [each.words for each in a.values("b")["constraints"]] == [rule]


@pytest.mark.parametrize(
    ("rule", "again", "taken_back"),
    [
        ("以后所有回复都用表格", "以后请所有回复都用表格", "以后不用表格了"),
        ("以后不要用红色", "以后请不要用红色", "可以用红色了"),
        ("From now on, answer in tables", "From now on, please answer in tables", "You no longer need to use tables"),
        ("Never use red from now on", "Please never use red from now on.", "You may use red again"),
    ],
)
def test_a_rule_for_all_time_that_is_said_again_holds_on_and_is_kept_once(
    tmp_path: Path, rule: str, again: str, taken_back: str
) -> None:
    with agent(tmp_path, memory=True) as a:
        for text in (rule, again, "OK."):
            a.say(text, thread="a")
        assert held(a, "a") == [rule]
        a.say("Hello.", thread="b")
        assert held(a, "b") == [rule]
        a.say(taken_back, thread="a")
        a.say("Hello.", thread="c")
        assert held(a, "c") == []
        assert again.rstrip(".") not in whole_prompt(a.wire.chats[-1])


@pytest.mark.parametrize(
    ("rule", "corrected_to"),
    [
        ("以后所有回复都用表格", "以后所有回复都用列表"),
        ("From now on, answer in tables", "From now on, answer in lists"),
    ],
)
def test_a_rule_corrected_by_hand_is_not_told_as_another_threads_change(
    tmp_path: Path, rule: str, corrected_to: str
) -> None:
    with agent(tmp_path, memory=True) as a, opened(a.settings) as place:
        a.say(rule, thread="a")
        memory = place.memory(False)
        assert memory is not None
        (kept,) = memory.records("ann")
        corrected(memory, "ann", kept.id, corrected_to, "2026-03-02T10:00:00+08:00")
        a.say("OK.", thread="a")
        steps = explaining.overview(kept_turns.moments(place, "a", "ann")[-1], 8192, place.words)
        (step,) = (line for line in steps if corrected_to in line and rule in line)
        assert "its memory was replaced or taken back" in step


@pytest.mark.parametrize(
    ("rules", "ends", "hello"),
    [
        (["以后所有金额都用人民币", "以后不要用红色"], "红色", "你好"),
        (["From now on show all amounts in euros", "From now on never use red"], "red", "Hello."),
    ],
)
def test_a_new_thread_holds_the_rules_for_all_time_before_its_first_turn(
    tmp_path: Path, rules: list[str], ends: str, hello: str
) -> None:
    with agent(tmp_path, memory=True) as a:
        a.say("。".join(rules), thread="a")
        shown = held(a, "b")
        assert sorted(shown) == sorted(rules)
        a.say(hello, thread="b")
        assert [each.words for each in a.values("b")["constraints"]] == shown
        assert end(a.graph, config("c"), ends).words == rules[1]
        assert held(a, "c") == [rules[0]]
        a.say(hello, thread="c")
        assert [each.words for each in a.values("c")["constraints"]] == [rules[0]]
