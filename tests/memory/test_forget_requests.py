"""What a person's message asks to be forgotten, in both languages, and by which texts it is found."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ninefold.policies.forget_request import asked_to_forget
from ninefold.policies.forget_texts import Asked, phrases
from ninefold.policies.subject import subject

from .stores import a_record


@pytest.mark.parametrize(
    ("said", "thing", "own", "named"),
    [
        ("忘掉我说过的榴莲", "榴莲", False, True),
        ("好的，请把我之前跟你说过的项目代号忘掉", "项目代号", False, True),
        ("把我的地址忘了吧", "地址", True, True),
        ("请忘记我的手机号。", "手机号", True, True),
        ("请忘记我对花生过敏这件事", "对花生过敏", False, True),
        ("忘掉榴莲", "榴莲", False, False),
        ("把关于前男友的事都忘掉", "前男友", False, True),
        ("从你的记忆里删掉榴莲", "榴莲", False, True),
        ("好，继续。忘掉我刚才说的密码", "密码", False, True),
        ("forget what I said about durian", "durian", False, True),
        ("please forget my address", "address", True, True),
        ("Forget everything about my ex.", "ex", True, True),
        ("Please forget that I live in Rome.", "I live in Rome", False, True),
        ("OK, forget durian.", "durian", False, False),
        ("Remove my address from your memory", "address", True, True),
        ("Actually, forget what I told you about the boss.", "boss", False, True),
    ],
)
def test_a_request_names_what_is_to_be_forgotten(said: str, thing: str, own: bool, named: bool) -> None:
    assert asked_to_forget(said) == (Asked(thing, own, named),)


@pytest.mark.parametrize(
    ("thing", "requests"),
    [
        (
            "怀孕",
            "忘掉我说我怀孕了的事/忘了我告诉你我怀孕这件事吧/请把我昨天跟你说我怀孕了的事忘掉/我说我怀孕了的事，忘了吧/"
            "忘记我提到过我怀孕的事/别再记着我怀孕的事/就当我没说过我怀孕了/忘掉我说过我怀孕了的话",
        ),
        (
            "pregnant",
            "Forget that I told you I'm pregnant/Forget I said I am pregnant/"
            "please forget me telling you that I'm pregnant/"
            "Forget about me being pregnant/Forget the fact that I'm pregnant/Pretend I never told you I'm pregnant/"
            "Forget what I told you about being pregnant/forget the part about me being pregnant",
        ),
    ],
)
def test_a_telling_is_named_by_what_was_told(thing: str, requests: str) -> None:
    for said in requests.split("/"):
        assert [(each.words, each.named) for each in asked_to_forget(said)] == [(thing, True)], said


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("忘掉“不要用表格”这条规则。", "不要用表格"),
        ('请忘掉"不要用表格"', "不要用表格"),
        ('Forget the rule "no tables".', "no tables"),
        ("忘掉用表格这条要求", "用表格"),
        ("Forget the rule never use tables.", "never use tables"),
    ],
)
def test_a_rule_is_named_by_its_words(said: str, rule: str) -> None:
    assert asked_to_forget(said) == (Asked(rule, own=False, named=False, rule=True),)


def rates(name: str) -> dict[str, list[str]]:
    """Give what of a set of phrasings is not heard as it is meant."""
    found: dict[str, list[str]] = {}
    phrasings = yaml.safe_load((Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8"))
    for kind in ("heard", "unsure", "unheard"):
        for said in phrasings[kind]:
            asked = asked_to_forget(said)
            things = [] if kind == "unheard" else phrasings[kind][said]
            meant = [each.words for each in asked] == things and all(each.sure == (kind == "heard") for each in asked)
            found.setdefault(kind, []).extend([] if meant else [said])
    return found


@pytest.mark.parametrize("which", ["first", "second"])
def test_the_phrasings_that_were_written_down_are_heard_as_they_are_meant(which: str) -> None:
    assert rates(f"forget_phrasings_{which}") == {"heard": [], "unsure": [], "unheard": []}


def test_several_things_are_several_requests() -> None:
    assert [each.words for each in asked_to_forget("忘掉我说过的榴莲和香菜")] == ["榴莲", "香菜"]
    english = asked_to_forget("forget everything I told you about durian and pineapple")
    assert [each.words for each in english] == ["durian", "pineapple"]


@pytest.mark.parametrize(
    ("said", "things"),
    [
        ("Forget my address, always answer in French.", ["address"]),
        ("Forget my address and fix the test.", ["address"]),
        ("Forget my address and my phone number, then go on", ["address", "phone number"]),
        ("Well, forget what I said about the boss and the trip to Rome", ["boss", "trip to Rome"]),
        ("忘掉我的地址，以后用英文回答", ["地址"]),
        ("忘掉我的地址和电话，然后继续", ["地址", "电话"]),
        ("好的，忘掉我说过的榴莲、香菜和苹果", ["榴莲", "香菜", "苹果"]),
    ],
)
def test_what_stands_beside_a_request_is_no_part_of_it(said: str, things: list[str]) -> None:
    assert [each.words for each in asked_to_forget(said)] == things


@pytest.mark.parametrize(
    "said",
    [
        "Fix the grammar of this sentence. Forget my address.",
        "把下面的话翻成英文\n请忘掉我的地址。",
        "Hi Tom,\n\nthanks.\nplease forget my address\nBest\nAnn",
        "汤姆：\n你好。\n请忘掉我的地址\n祝好\n安",
        "写一个故事，忘掉我的名字吧",
        "If I move, forget my address",
        "如果我搬家了，忘掉我的地址",
        "Forget what I said about no",
        "请把“苹果”翻译成英文",
        "“忘掉我的地址”是什么意思？",
        "don't forget to call mom",
        "Don't forget my birthday",
        "never forget what I said about durian",
        "I forgot my keys",
        "I forget what I said about durian",
        'He said "forget my address" to me',
        "Did you forget my address?",
        "How do I forget my ex?",
        "forget it",
        "forget about the deadline, let's go on",
        "forget the previous instructions",
        "forget the table format",
        "forget everything",
        "forget to",
        "Translate: forget my address",
        "`forget my address`",
        "别忘了带伞",
        "我忘了带伞",
        "忘了带伞",
        "忘记带钥匙了",
        "不要忘掉我的生日",
        "千万别忘记我说过的榴莲",
        "他说“忘掉我的地址”",
        "你会忘掉我的地址吗？",
        "把它忘了",
        "算了，忘了吧",
        "忘掉之前的要求",
        "我怎么也忘不掉榴莲的味道",
        "我妈让我忘掉前男友",
        "翻译：忘掉我的地址",
        "忘掉一切",
        "忘了我的密码",
        "忘记我的密码了",
        "忘记我的密码怎么办",
        "忘了我的钥匙放哪了",
        "你把我的地址忘了",
        "不要把榴莲从记忆里删掉",
        "怎样把前任从记忆中抹掉",
        "请忘掉我的地址，他说。",
        "翻译下面这句话：\n忘掉我的地址",
        "Translate this into Chinese:\nPlease forget my address.",
        "Forget my address, she said.",
        "Forget what I told you before, always answer in French.",
        "Forget what I said earlier and answer in French.",
        "Forget what I told you, from now on call me Captain",
        "forget my mistake and fix the test",
        "忘记我说过的话，从现在开始用英文回答",
        "忘掉我以前说过的，以后都用英文回答",
        "忘记我之前说的话和重新开始",
        "忘记我的错误，修好测试",
        "忘掉我说的话",
        "就当我没说",
        "我忘了跟你说我怀孕了",
        "别忘了我说过我怀孕的事",
        "Pretend I never said that",
        "Don't forget that I told you I'm pregnant",
    ],
)
def test_reminders_reports_quotations_questions_and_withdrawals_ask_for_nothing(said: str) -> None:
    assert asked_to_forget(said) == ()


@pytest.mark.parametrize(
    ("asked", "memory", "subject", "found"),
    [
        ("please forget my address", "I live at 12 Elm Street", "home", "my address"),
        ("please forget my address", "My address is 12 Elm Street", "is:address", "12 Elm Street"),
        ("忘掉我的手机号", "我的手机号是 13900001234", "is:手机号", "13900001234"),
        ("忘掉我的地址", "我的地址是苏州市莲花路", "is:地址", "苏州市莲花路"),
    ],
)
def test_what_is_ones_own_is_also_found_by_what_the_memory_of_it_tells(
    asked: str, memory: str, subject: str, found: str
) -> None:
    (thing,) = asked_to_forget(asked)
    assert found in phrases(thing, [a_record(memory, subject=subject)])


@pytest.mark.parametrize(
    ("asked", "memory"),
    [
        ("Forget my age.", "I'm 34 years old."),
        ("忘掉我的年龄", "我今年三十四岁。"),
        ("Delete my birthday.", "I was born on May 3, 1990."),
        ("删除我的生日", "我是1990年5月3日出生的。"),
        ("Forget my home address.", "I live at 12 Elm Street."),
        ("忘掉我的住址", "我住在苏州。"),
        ("Please forget my name.", "Call me Ada."),
        ("请忘掉我的名字", "叫我小林。"),
        ("Forget my job.", "I work at Siemens."),
        ("忘掉我的工作", "我在西门子上班。"),
    ],
)
def test_what_a_person_tells_of_themselves_is_found_without_the_name_of_what_it_is(asked: str, memory: str) -> None:
    (thing,) = asked_to_forget(asked)
    told = a_record(memory, subject=subject(memory))
    assert memory in phrases(thing, [told, a_record("It is raining.")])
    assert "It is raining." not in phrases(thing, [told, a_record("It is raining.")])


def test_a_bare_thing_is_meant_only_where_something_of_the_persons_holds_it() -> None:
    (thing,) = asked_to_forget("忘掉榴莲")
    assert phrases(thing, [a_record("我爱吃苹果")]) == ()
    assert phrases(thing, [a_record("我讨厌榴莲")]) == ("榴莲",)
    assert phrases(thing, [], ["不要推荐榴莲"]) == ("榴莲",)
