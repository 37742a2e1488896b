"""The step over turns: what is added, changed, removed and let go, in both languages."""

from collections.abc import Mapping
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage

from ninefold.state import (
    AgentSettings,
    ConflictRule,
    ConstraintsUpdated,
    Fate,
    MemoryKind,
    ModelRefused,
    Origin,
    Polarity,
    Recalled,
    Scope,
)
from tests.constraints.conversation import Conversation, Words
from tests.examples import examples

RULES = {
    "zh": ("不要用红色，不要用圆角，所有金额用人民币", ["不要用红色", "不要用圆角", "所有金额用人民币"]),
    "en": (
        "Don't use red. No rounded corners. All amounts must be in yuan.",
        ["Don't use red", "No rounded corners", "All amounts must be in yuan"],
    ),
}
PAIRS = [
    (
        "帮我写个爬虫，只要标题和链接，不要正文，输出成 CSV",
        "帮我写一封感谢邮件",
        ["只要标题和链接", "不要正文", "输出成 CSV"],
    ),
    (
        "Write me a scraper, just the titles and links, no body text, output as CSV",
        "Write a thank-you e-mail to my landlord",
        ["just the titles and links", "no body text", "output as CSV"],
    ),
]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_rules_of_the_first_turn_hold_through_any_small_talk(language: str) -> None:
    said, words = RULES[language]
    talk = Conversation().say(said)
    for other in (
        "谢谢",
        "thanks",
        "今天天气真好",
        "how are you",
        "帮我写一首诗",
        "write a poem about rain",
        "为什么？",
    ) * 3:
        talk.say(other)
    assert talk.words == words
    assert [each.turn for each in talk.state.constraints] == ["t1"] * 3


@pytest.mark.parametrize(("opening", "later", "words"), PAIRS)
def test_what_belongs_to_a_task_ends_with_it(opening: str, later: str, words: list[str]) -> None:
    talk = Conversation().say(opening)
    assert talk.words == words
    first = talk.state.task
    assert first is not None
    assert {each.task for each in talk.state.constraints} == {first.id}
    talk.say(later)
    assert talk.words == []
    assert talk.state.task is not None
    assert talk.state.task.words in later
    assert talk.changes == [("expired", each) for each in words]


@pytest.mark.parametrize(
    ("opening", "later"),
    [
        (PAIRS[0][0], "再写一个更快的"),
        (PAIRS[0][0], "把爬虫改写一下"),
        (PAIRS[1][0], "Write tests for it"),
        (PAIRS[1][0], "Make this scraper faster"),
    ],
)
def test_a_revision_of_the_same_thing_keeps_what_belongs_to_it(opening: str, later: str) -> None:
    talk = Conversation().say(opening)
    before = talk.words
    assert talk.say(later).words == before


@pytest.mark.parametrize("done", ["这个爬虫完成了", "换个任务", "That task is done", "Let's move on to something else"])
def test_a_finished_task_ends_what_belongs_to_it(done: str) -> None:
    talk = Conversation().say(PAIRS[0][0]).say(done)
    assert talk.words == []
    assert talk.state.task is None


@pytest.mark.parametrize(
    ("rule", "once"),
    [("输出成 JSON", "这次用表格给我看"), ("Output as JSON", "This time, show it as a table")],
)
def test_a_wish_of_this_turn_stands_beside_the_rule_and_is_gone_next_turn(rule: str, once: str) -> None:
    talk = Conversation().say(rule).say(once)
    assert talk.questions == []
    assert [(each.words, each.scope) for each in talk.state.constraints] == [
        (rule, Scope.SESSION),
        (once, Scope.TURN),
    ]
    talk.say("谢谢")
    assert talk.words == [rule]
    assert ("expired", once) in talk.changes


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("输出成 JSON", "改成表格"),
        ("用英文回答", "还是用中文吧"),
        ("回答不超过100字", "改成不超过200字"),
        ("Output as JSON", "Use tables instead"),
        ("Answer in English", "Switch back to French"),
        ("Keep it under 100 words", "Actually, use at most 200 words"),
        ("请用中文回答", "从现在起用英文回答"),
        ("Answer in French", "From now on, answer in English"),
    ],
)
def test_an_explicit_change_takes_the_place_of_the_old_rule_without_a_question(rule: str, change: str) -> None:
    talk = Conversation().say(rule).say(change)
    assert talk.questions == []
    assert len(talk.words) == 1
    assert rule not in talk.words
    assert [kind for kind, _ in talk.changes] == ["changed"]


@pytest.mark.parametrize(
    ("rule", "change", "new"),
    [
        ("以后回答都用表格", "同事说格子太挤了，还是改成列表吧，不用表格了。", "还是改成列表吧"),
        (
            "From now on answer in a table",
            "The others say it is too wide, so no more tables, use bullet points instead.",
            "use bullet points instead",
        ),
    ],
)
def test_the_persons_own_change_behind_what_others_say_takes_the_rules_place(rule: str, change: str, new: str) -> None:
    talk = Conversation().say(rule).say(change)
    assert rule not in talk.words
    assert new in talk.words


@pytest.mark.parametrize("other", ["我习惯上午十点以前开会", "通知的语气正式一点", "以后会议都定在下午三点"])
def test_a_time_of_day_or_a_bit_more_is_no_rival_of_a_length(other: str) -> None:
    assert "回答控制在200字以内" in Conversation().say("回答控制在200字以内").say(other).words


@pytest.mark.parametrize(
    ("rule", "back"),
    [
        ("不要用红色", "现在可以用红色了"),
        ("不要用红色", "取消不要用红色的限制"),
        ("回答不超过100字", "取消字数限制"),
        ("一律用表格回答", "不用再用表格了"),
        ("Don't use red", "You can use red again"),
        ("Keep it under 100 words", "Drop the word limit"),
        ("Don't use red", "Forget the rule about red"),
        ("Always answer in English", "You don't need to answer in English anymore"),
    ],
)
def test_a_rule_taken_back_is_gone_from_the_layer(rule: str, back: str) -> None:
    talk = Conversation().say(rule)
    assert talk.words == [rule]
    talk.say(back)
    assert talk.words == []
    assert ("removed", rule) in talk.changes


@pytest.mark.parametrize("unrelated", ["取消明天的会议", "You can go home now", "忘了带伞了", "I forgot the milk"])
def test_taking_back_something_else_leaves_the_rules(unrelated: str) -> None:
    talk = Conversation().say("不要用红色").say(unrelated)
    assert "不要用红色" in talk.words


def test_the_same_wish_twice_is_held_once() -> None:
    assert Conversation().say("不要用红色").say("不要用红色。").words == ["不要用红色"]
    assert Conversation().say("输出成表格").say("用表格输出").words == ["输出成表格"]


@pytest.mark.parametrize(
    ("session", "when"),
    [("用英文回答", "每当我问天气，用中文回答"), ("Answer in English", "Whenever I ask about Paris, answer in French")],
)
def test_a_when_rule_stands_beside_the_session_rule(session: str, when: str) -> None:
    talk = Conversation().say(session).say(when)
    assert talk.questions == []
    assert talk.words == [session, when]


def test_upper_and_lower_limits_stand_together() -> None:
    talk = Conversation().say("回答至少50字").say("回答不超过200字")
    assert talk.questions == []
    assert len(talk.words) == 2


def test_a_new_search_for_the_same_thing_replaces_the_one_before() -> None:
    talk = Conversation().say("帮我找一家500-600元、评分4.5分以上的酒店")
    talk.say("再找一家人均100元以下的餐馆")
    assert {each.about for each in talk.state.constraints} == {"酒店", "餐馆"}
    talk.say("我想找一家300元以下的酒店")
    assert [each.value for each in talk.state.constraints if each.about == "酒店"] == ["300元以下"]
    assert [each.value for each in talk.state.constraints if each.about == "餐馆"] == ["人均100元以下"]


def test_a_second_way_to_go_takes_the_place_of_the_first_without_a_question() -> None:
    talk = Conversation().say("我想打车从西站到故宫").say("我想打车从故宫到机场")
    assert talk.questions == []
    assert [each.value for each in talk.state.constraints] == ["从故宫到机场"]


def test_a_session_of_many_searches_stays_bounded_and_keeps_the_rules() -> None:
    talk = Conversation().say("不要用红色")
    for number in range(40):
        talk.say(f"有没有带{number}号花园的？")
    assert len(talk.words) <= 26
    assert talk.words[0] == "不要用红色"


def test_only_the_persons_own_messages_are_heard() -> None:
    talk = Conversation().say("你好")
    talk.state = talk.state.model_copy(
        update={
            "messages": [*talk.state.messages, AIMessage("不要用红色", id="x1")],
            "unprocessed": talk.state.unprocessed.model_copy(update={"constraints": ("x1",)}),
        }
    )
    talk.update()
    assert talk.words == []
    assert talk.state.unprocessed.constraints == ()


def test_a_message_of_a_crashed_turn_is_still_taken() -> None:
    talk = Conversation()
    lost = HumanMessage("不要用红色", id="m0")
    talk.state = talk.state.model_copy(
        update={
            "messages": [lost],
            "unprocessed": talk.state.unprocessed.model_copy(update={"constraints": ("m0",)}),
        }
    )
    talk.say("也不要用圆角")
    assert talk.words == ["不要用红色", "也不要用圆角"]


def test_taking_the_same_message_again_changes_nothing() -> None:
    talk = Conversation().say("不要用红色，输出成 JSON")
    before = talk.state.constraints
    talk.state = talk.state.model_copy(
        update={"unprocessed": talk.state.unprocessed.model_copy(update={"constraints": ("m1.0",)})}
    )
    assert talk.update().state.constraints == before


def test_a_turn_without_a_wish_says_why() -> None:
    (event,) = [e for e in Conversation().say("你好").state.trace if isinstance(e, ConstraintsUpdated)]
    assert event.changes == ()
    assert event.reason


def remembered(
    words: str, key: str = "", *, created: str = "2026-02-01", other: Mapping[str, object] = MappingProxyType({})
) -> Recalled:
    basis: dict[str, object] = {"id": words, "kind": MemoryKind.PREFERENCE, "text": words, "created": created}
    basis |= {"score": None, "fate": Fate.RECALLED, "subject": f"constraint:{key}"}
    return Recalled.model_validate(basis | dict(other))


def test_a_rule_for_all_time_is_lasting_and_comes_back_in_a_new_thread() -> None:
    for words in ("以后所有回复都用表格", "From now on, answer in tables"):
        said = Conversation().say(words)
        (first,) = said.state.constraints
        assert first.lasting
        tomorrow = Conversation(recalled=[remembered(words, "output_format")], thread="u").say("你好")
        (again,) = tomorrow.state.constraints
        assert (again.words, again.key, again.origin, again.polarity) == (
            words,
            "output_format",
            Origin.PREFERENCE,
            Polarity.REQUIRE,
        )
        assert tomorrow.say("谢谢").words == [words]


def test_a_standing_rule_gives_way_to_what_is_said_today_without_a_question() -> None:
    talk = Conversation(recalled=[remembered("以后都用英文回答", "language")]).say("用中文回答")
    assert talk.questions == []
    assert talk.words == ["用中文回答"]


def test_of_two_standing_rules_that_cannot_both_hold_the_newest_comes_back() -> None:
    old = remembered("以后都用英文回答", "language", created="2026-01-01")
    new = remembered("今后一律用中文回答", "language", created="2026-02-01")
    assert Conversation(recalled=[new, old]).say("你好").words == ["今后一律用中文回答"]


@pytest.mark.parametrize(
    "fields",
    [{"subject": "taste"}, {"subject": None}, {"fate": Fate.OVER_BUDGET}, {"kind": MemoryKind.FACT}, {"role": "tool"}],
)
def test_other_memories_are_no_constraints(fields: dict[str, object]) -> None:
    assert Conversation(recalled=[remembered("以后都用英文回答", other=fields)]).say("你好").words == []


def test_a_standing_rule_taken_back_stays_away_in_this_thread() -> None:
    rule = remembered("以后都用表格回答", "output_format")
    talk = Conversation(recalled=[rule]).say("你好").say("不用再用表格了").say("谢谢")
    assert talk.words == []


def proposal(words: str, polarity: str = "forbid", scope: str = "session") -> str:
    return f'{{"constraints": [{{"words": "{words}", "polarity": "{polarity}", "scope": "{scope}"}}]}}'


def test_the_model_is_asked_only_where_a_clause_sounds_like_a_wish() -> None:
    model = Words()
    talk = Conversation(assistant=model)
    for plain in ("你好", "谢谢", "天空为什么是蓝色的", "tell me a joke", "不要用红色", "Don't use red"):
        talk.say(plain)
    assert model.asked == []


UNHEARD = "The house style wants serifs and wants them forever"


def test_a_proposal_that_the_message_proves_is_kept_as_the_models() -> None:
    model = Words(proposal("The house style wants serifs", "require"))
    talk = Conversation(assistant=model).say(UNHEARD)
    assert len(model.asked) == 1
    assert [(each.words, each.origin) for each in talk.state.constraints] == [
        ("The house style wants serifs", Origin.MODEL)
    ]
    assert talk.degraded == []


def test_the_model_is_asked_once_a_turn_however_many_messages_came() -> None:
    model = Words(proposal("The house style wants serifs", "require"))
    Conversation(assistant=model).say(UNHEARD, UNHEARD, UNHEARD)
    assert len(model.asked) == 1


def test_a_model_on_the_chats_own_server_is_asked_behind_the_chats_prompt() -> None:
    model = Words(proposal("The house style wants serifs", "require"))
    model.shares_prefix = True
    talk = Conversation(assistant=model, settings=AgentSettings(), fixed="Be kind.").say("不要用红色").say(UNHEARD)
    (prompt,) = model.asked
    assert prompt[0].text.startswith("Be kind.")
    assert "不要用红色" in prompt[0].text
    assert [message.text for message in prompt[1:4]] == ["不要用红色", "ok", UNHEARD]
    assert "The house style wants serifs" in talk.words


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (ModelRefused("The server refuses.", "Look at its log."), "refuses"),
        ("I am sorry, I cannot do that.", "no JSON"),
        ("", "no JSON"),
        ('<think>{"constraints": []}', "no JSON"),
    ],
)
def test_when_the_model_fails_the_rules_stand_and_the_turn_says_so(reply: str | Exception, cause: str) -> None:
    talk = Conversation(assistant=Words(reply)).say(f"不要用红色。{UNHEARD}")
    assert "不要用红色" in talk.words
    assert any(cause in each for each in talk.degraded)


def test_a_message_too_long_for_the_model_is_left_to_the_rules() -> None:
    model = Words()
    model.num_ctx = 600
    talk = Conversation(assistant=model).say("不要用红色。" + f"{UNHEARD}. " * 40)
    assert model.asked == []
    assert "不要用红色" in talk.words
    assert any("too long" in each for each in talk.degraded)


@examples(60)
@given(
    st.lists(
        st.sampled_from(
            [
                "不要用红色",
                "可以用红色了",
                "输出成 JSON",
                "改成表格",
                "这次用列表",
                "谢谢",
                "Don't use red",
                "Use tables instead",
                "帮我写个爬虫，输出成 CSV",
                "帮我写一首诗",
                "以后都用中文",
                "whenever I ask about prices, use euros",
                "取消格式限制",
            ]
        ),
        max_size=12,
    ),
    st.sampled_from(ConflictRule),
    st.sampled_from(["replace", "keep", "this_turn", "?"]),
)
def test_whatever_is_said_every_constraint_is_a_span_and_no_two_are_one(
    said: list[str], rule: ConflictRule, answer: str
) -> None:
    talk = Conversation(rule, answer=answer)
    for text in said:
        talk.say(text)
        held = talk.state.constraints
        assert len({each.id for each in held}) == len(held)
        assert all(any(each.words in earlier for earlier in said) for each in held)
        turn = talk.state.turn
        assert turn is not None
        assert all(each.scope is not Scope.TURN or each.turn == turn.id for each in held)
        assert talk.state.conflicts == ()


@pytest.mark.parametrize(
    ("first", "then", "back"),
    [
        ("回答控制在100字以内", "改成{n}字以内", "字数限制取消"),
        ("Keep your answers under 100 words", "Keep your answers under {n} words instead", "Forget the word limit"),
    ],
)
def test_changes_without_end_leave_the_state_as_large_as_it_was(first: str, then: str, back: str) -> None:
    talk = Conversation().say("不要用红色" if first[0] == "回" else "Don't use red").say(first)
    sizes = []
    for number in range(101, 116):
        talk.say(then.format(n=number)).say(back).say(first)
        sizes.append(len(talk.state.model_dump_json(include={"constraints", "conflicts", "task"})))
    assert len(talk.state.constraints) == 2
    assert max(sizes) - min(sizes) <= 16
