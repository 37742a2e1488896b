"""Two wishes that cannot both hold: who is asked, how the answer is read, what holds afterwards."""

import pytest

from ninefold.policies.constraint_layer import render_constraints
from ninefold.policies.constraints import answer_of
from ninefold.state import Conflict, ConflictAnswer, ConflictRule, Degraded, Scope
from tests.constraints.conversation import Conversation

INCOMPATIBLE = [
    ("输出成 JSON", "输出成表格"),
    ("用英文回答", "请用中文回答"),
    ("所有金额用人民币", "所有金额用美元"),
    ("不要用红色", "主色用红色"),
    ("回答不超过100字", "回答不超过300字"),
    ("Output as JSON", "Output as a table"),
    ("Answer in English", "Answer in French"),
    ("All amounts must be in yuan", "All amounts must be in dollars"),
    ("Don't use red", "Please use red"),
    ("Keep it under 100 words", "Keep it under 300 words"),
]


@pytest.mark.parametrize(("old", "new"), INCOMPATIBLE)
def test_one_question_carries_old_new_and_the_three_answers(old: str, new: str) -> None:
    talk = Conversation().say(old).say(new)
    (question,) = talk.questions
    assert question["kind"] == "constraint_conflict"
    assert [(each["old"], each["new"]) for each in question["conflicts"]] == [(old, new)]
    assert question["answers"] == ["replace", "keep", "this_turn"]


@pytest.mark.parametrize(("old", "new"), INCOMPATIBLE)
def test_replace_puts_the_new_in_the_place_of_the_old(old: str, new: str) -> None:
    talk = Conversation(answer="replace").say(old).say(new)
    assert talk.words == [new]
    assert talk.answered == [("replace", "person")]
    assert talk.say("谢谢").words == [new]


@pytest.mark.parametrize(("old", "new"), INCOMPATIBLE)
def test_keep_leaves_the_old(old: str, new: str) -> None:
    talk = Conversation(answer="keep").say(old).say(new)
    assert talk.words == [old]
    assert talk.answered == [("keep", "person")]


@pytest.mark.parametrize(("old", "new"), INCOMPATIBLE)
def test_this_turn_gives_the_new_one_turn(old: str, new: str) -> None:
    talk = Conversation(answer="this_turn").say(old).say(new)
    assert talk.words == [old, new]
    assert talk.one(new).scope is Scope.TURN
    assert talk.say("谢谢").words == [old]


@pytest.mark.parametrize(("old", "new"), INCOMPATIBLE)
def test_newest_replaces_at_once_and_says_so_in_this_turns_prompt(old: str, new: str) -> None:
    talk = Conversation(ConflictRule.NEWEST).say(old).say(new)
    assert talk.questions == []
    session = [each for each in talk.state.constraints if each.scope is Scope.SESSION]
    once = [each for each in talk.state.constraints if each.scope is Scope.TURN]
    assert [each.words for each in session] == [new]
    assert [(each.words, each.overrules) for each in once] == [(new, old)]
    assert "overrules" in render_constraints(once)
    assert talk.say("谢谢").words == [new]


@pytest.mark.parametrize(("old", "new"), INCOMPATIBLE)
def test_keep_by_setting_refuses_the_new_and_says_so_in_this_turns_prompt(old: str, new: str) -> None:
    talk = Conversation(ConflictRule.KEEP).say(old).say(new)
    assert talk.questions == []
    once = [each for each in talk.state.constraints if each.scope is Scope.TURN]
    assert [(each.words, each.overrules) for each in once] == [(old, new)]
    assert talk.say("谢谢").words == [old]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("不要用红色", "不要用蓝色"),
        ("输出成 JSON", "用中文回答"),
        ("不要用圆角", "不要用红色"),
        ("用英文回答", "这次用中文回答"),
        ("Don't use red", "Don't use blue"),
        ("Output as JSON", "Answer in English"),
        ("I don't eat meat", "I prefer short answers"),
        ("Answer in English", "Just this once, answer in French"),
        ("主色用蓝色", "按钮用绿色"),
    ],
)
def test_wishes_that_can_stand_together_are_never_put_as_a_question(one: str, other: str) -> None:
    talk = Conversation().say(one).say(other)
    assert talk.questions == []
    assert one in talk.words


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("replace", "replace"),
        ("Replace it.", "replace"),
        ("替换", "replace"),
        ("用新的！", "replace"),
        ("1", "replace"),
        ("keep", "keep"),
        ("KEEP", "keep"),
        ("保留", "keep"),
        ("不换", "keep"),
        ("2", "keep"),
        ("this_turn", "this_turn"),
        ("this turn only", "this_turn"),
        ("只这次", "this_turn"),
        ("仅此一次。", "this_turn"),
        ("what do you mean?", None),
        ("", None),
        ("不要用红色", None),
        ("帮我写一首诗", None),
    ],
)
def test_a_persons_words_are_read_as_an_answer_only_when_they_are_one(said: str, answer: str | None) -> None:
    assert answer_of(said) == answer


def two_conflicts(answer: object) -> Conversation:
    talk = Conversation(answer=answer)
    return talk.say("输出成 JSON，用英文回答").say("输出成表格，请用中文回答")


def by_id(first: object, second: object) -> object:
    return lambda question: {
        question["conflicts"][0]["id"]: first,
        question["conflicts"][1]["id"]: second,
    }


@pytest.mark.parametrize(
    "answer",
    [
        ["replace", "keep"],
        by_id("replace", "keep"),
        by_id({"answer": "replace"}, {"answer": "keep"}),
        lambda q: {"answers": {q["conflicts"][0]["id"]: "替换", q["conflicts"][1]["id"]: "保留"}},
        lambda q: [
            {"id": each["id"], "answer": a} for each, a in zip(q["conflicts"], ("replace", "keep"), strict=True)
        ],
        '["replace", "keep"]',
    ],
)
def test_each_conflict_takes_its_own_answer_in_any_form(answer: object) -> None:
    talk = two_conflicts(answer)
    assert len(talk.questions) == 1
    assert sorted(talk.words) == sorted(["用英文回答", "输出成表格"])


@pytest.mark.parametrize("answer", ["replace", ["replace"], {"answer": "replace"}, '"replace"'])
def test_one_answer_serves_all(answer: object) -> None:
    assert two_conflicts(answer).words == ["输出成表格", "请用中文回答"]


@pytest.mark.parametrize(
    "answer", [None, "", "hm", 7, 3.5, True, [], {}, {"x": "replace"}, [None, None], "{half", b"replace"]
)
def test_an_unreadable_answer_keeps_what_held_and_says_so(answer: object) -> None:
    talk = two_conflicts(answer)
    assert talk.words == ["输出成 JSON", "用英文回答"]
    assert len([event for event in talk.state.trace if isinstance(event, Degraded)]) == 2


def test_a_conflict_left_open_by_a_new_message_keeps_what_held() -> None:
    talk = Conversation().say("输出成 JSON")
    (old,) = talk.state.constraints
    new = old.model_copy(update={"id": "c2", "words": "输出成表格", "value": "表格"})
    talk.state = talk.state.model_copy(update={"conflicts": (Conflict(id="k", old=old, new=new),)})
    talk.say("谢谢")
    assert talk.questions == []
    assert talk.words == ["输出成 JSON"]
    assert talk.answered == [(ConflictAnswer.KEEP.value, "new_message")]
