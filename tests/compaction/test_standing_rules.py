"""Where a rule stands on the wire: with its message until the head is rewritten anyway, and nowhere once it ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.messages import BaseMessage, HumanMessage

from ninefold.policies.constraint_layer import read_constraints
from ninefold.policies.neutralise import anchors
from ninefold.policies.proof import unproven
from ninefold.policies.standing import with_rules
from ninefold.state import Entry, Language, Order
from tests.compaction.session import TOKENS, Session, settings
from tests.turn.agents import Body, agent, system_text, whole_prompt

TALK = {Language.CHINESE: "今天去了公园，看到很多花。", Language.ENGLISH: "Today we went to the park and saw flowers."}
RULES = {
    Language.CHINESE: ("不要用红色", "金额用人民币", "现在可以用红色了"),
    Language.ENGLISH: ("Don't use red", "All amounts must be in yuan", "You can use red again"),
}


def placed(body: Body, language: Language) -> list[str]:
    """Read back the rules that stand with messages of a request."""
    label = anchors(language).constraints
    texts = [f"\n{m['content']}" for m in body["messages"] if m["role"] == "user"]
    blocks = [part.split("\n\n", 1)[0] for text in texts for part in text.split(f"\n{label}\n")[1:]]
    return [words for block in blocks for words in read_constraints(block)]


@pytest.mark.parametrize("language", Language)
def test_a_later_rule_leaves_the_prompt_before_it_as_it_was_and_moves_into_the_head_with_the_cut(
    tmp_path: Path, language: Language
) -> None:
    first, later, _ = RULES[language]
    with agent(tmp_path, memory=False, recent_keep=10) as a:
        a.say(first)
        a.say(TALK[language])
        a.say(later)
        before, with_rule = a.wire.chats[-2], a.wire.chats[-1]
        assert with_rule["messages"][: len(before["messages"])] == before["messages"]
        assert placed(with_rule, language) == [later]
        a.say(TALK[language])
        assert a.wire.chats[-1]["messages"][: len(with_rule["messages"])] == with_rule["messages"]
        while not a.values()["counters"].compactions:
            assert placed(a.wire.chats[-1], language) == [later]
            a.say(TALK[language])
        cut = a.wire.chats[-1]
        assert placed(cut, language) == []
        assert all(words in system_text(cut) for words in (first, later))


@pytest.mark.parametrize("language", Language)
def test_a_rule_that_is_withdrawn_is_in_no_layer_of_the_next_prompt(tmp_path: Path, language: Language) -> None:
    rule, other, back = RULES[language]
    with agent(tmp_path, memory=False) as a:
        a.say(TALK[language])
        a.say(rule)
        a.say(other)
        assert placed(a.wire.chats[-1], language) == [rule, other]
        a.say(back)
        assert placed(a.wire.chats[-1], language) == [other]
        assert rule not in system_text(a.wire.chats[-1])


def test_a_head_that_changes_anyway_takes_in_the_rules_of_the_window(tmp_path: Path) -> None:
    with agent(tmp_path, memory=False) as a:
        a.say("不要用红色。")
        a.say("金额用人民币。")
        assert placed(a.wire.chats[-1], Language.CHINESE) == ["金额用人民币"]
        a.say("现在可以用红色了。")
        assert placed(a.wire.chats[-1], Language.CHINESE) == []
        assert "金额用人民币" in system_text(a.wire.chats[-1])


def test_in_the_other_order_every_rule_stands_in_the_head(tmp_path: Path) -> None:
    with agent(tmp_path, memory=False, order=Order.RECALL_FIRST) as a:
        a.say("你好。")
        a.say("金额用人民币。")
        assert placed(a.wire.chats[-1], Language.CHINESE) == []
        assert "金额用人民币" in system_text(a.wire.chats[-1])


def test_many_rules_at_once_stand_in_the_head(tmp_path: Path) -> None:
    colours = "红橙黄绿青蓝紫灰黑白粉棕"
    with agent(tmp_path, memory=False, constraint_tokens=50) as a:
        a.say("你好。")
        a.say("".join(f"不要用{colour}色。" for colour in colours))
        assert placed(a.wire.chats[-1], Language.CHINESE) == []
        assert all(f"不要用{colour}色" in system_text(a.wire.chats[-1]) for colour in colours)


def test_a_message_that_gives_way_leaves_its_rule_in_the_prompt(tmp_path: Path) -> None:
    with agent(tmp_path, memory=False, num_ctx=2048) as a:
        a.say("你好。")
        a.say("金额用人民币。" + "天气一直很好。" * 100)
        a.say("请看：" + "今天去了公园，看到很多花。" * 60)
        assert "金额用人民币" in whole_prompt(a.wire.chats[-1])
        assert "金额用人民币" not in whole_prompt({"messages": a.wire.chats[-1]["messages"][1:]})


def _planted(prompt: list[BaseMessage], old: str, new: str) -> list[BaseMessage]:
    texts = [message.text for message in prompt]
    assert any(old in text for text in texts[1:])
    return [
        HumanMessage(message.text.replace(old, new)) if isinstance(message, HumanMessage) else message
        for message in prompt
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('["金额用人民币"]', '["金额用美元"]'),
        ('["金额用人民币"]', ""),
        ("[约束]\n", "[约定]\n"),
        ('["金额用人民币"', '["允许红色","金额用人民币"'),
        ('["金额用人民币"', '["金额用人民币'),
    ],
)
def test_a_rule_beside_a_message_that_is_changed_gone_or_added_is_found(tmp_path: Path, old: str, new: str) -> None:
    session = Session(tmp_path)
    session.say("不要用红色。")
    session.say("金额用人民币。")

    def kinds(prompt: list[BaseMessage]) -> set[str]:
        found = unproven(
            prompt,
            session.state.constraints,
            Language.CHINESE,
            tokens=TOKENS,
            tools=(),
            reserve=1024,
            num_ctx=8192,
        )
        return {each.kind for each in found}

    assert kinds(session.prompts[-1]) == set()
    assert kinds(_planted(session.prompts[-1], old, new)) == {"constraint"}


def test_a_refuted_compaction_leaves_the_rules_where_they_stood(tmp_path: Path) -> None:
    class Nothing:
        name = "nothing"

        def propose(self, state: object, **_: object) -> None:
            return None

    session = Session(tmp_path, settings(recent_keep=4), strategies=(Nothing(),))
    session.say("你好。")
    session.say("金额用人民币。")
    session.say("谢谢。")
    session.say("好。")
    assert [len(entry.rules) for entry in session.state.entries if entry.rules] == [1]


def test_a_rule_is_placed_once_and_taken_off_when_it_ends(tmp_path: Path) -> None:
    session = Session(tmp_path)
    session.say("你好。")
    session.say("金额用人民币。")
    (rule,) = session.state.constraints
    entries = tuple(Entry(message=m, turn=t, sequence=0, tokens=1) for m, t in (("m1", "t1"), ("m2", rule.turn)))
    once = with_rules(entries, [rule], turn=rule.turn, message="m2", limit=400, tokens=TOKENS)
    assert [entry.rules for entry in once] == [(), (rule.id,)]
    assert with_rules(once, [rule], turn=rule.turn, message="m2", limit=400, tokens=TOKENS) == once
    assert with_rules(once, [rule], turn="next", message="m3", limit=400, tokens=TOKENS) == once
    assert with_rules(once, [], turn="next", message="m3", limit=400, tokens=TOKENS) == entries
