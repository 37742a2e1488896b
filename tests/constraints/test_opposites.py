"""A later rule ends an earlier one that says the opposite, and a task's own rule goes before the session's."""

from pathlib import Path

import pytest

from ninefold.state import ConflictRule, Language, Scope
from tests.constraints.conversation import Conversation
from tests.turn.agents import agent, whole_prompt

DEMANDS = {
    "zh": ("以后用表格回答", "所有回答都用表格", "我喜欢用表格"),
    "en": ("Always answer in tables", "Please use tables for everything"),
}
SENT_AWAY = {
    "zh": (
        "不要再用表格了/表格就算了/表格免了/别给我整表格了/不想再看到表格/表格别再出现了/停止使用表格/"
        "把表格去掉吧/表格不要了/从现在起不用表格/我受够表格了/表格太多了，别用了"
    ),
    "en": (
        "No more tables from now on/stop using tables/tables are out/quit the tables/enough with the tables/"
        "drop the tables/I'm sick of tables/without tables from here on/ditch the tables/Tables must go/"
        "I never want to see a table again/skip the tables/Could you stop using tables?"
    ),
}
RULED_OUT = {
    "zh": (
        "以后别用表格/以后的回答里不要出现表格/不要用表格/不要表格/拒绝表格/禁用表格/"
        "表格一个都不要/我不喜欢表格/能不能别用表格"
    ),
    "en": (
        "In future, no tables/Do not use tables/no tables please/avoid tables/I hate tables/"
        "leave the tables out/Answer without tables"
    ),
}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("rule", [ConflictRule.ASK, ConflictRule.NEWEST])
def test_what_is_sent_away_ends_the_demand_for_it_without_a_question(language: str, rule: ConflictRule) -> None:
    for demand in DEMANDS[language]:
        for ban in SENT_AWAY[language].split("/"):
            talk = Conversation(rule).say(demand).say(ban)
            assert talk.questions == []
            assert demand not in talk.words, ban
            assert len(talk.words) == 1, ban


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_ban_that_is_no_change_in_words_is_a_conflict_and_the_newest_wins(language: str) -> None:
    for demand in DEMANDS[language][:1]:
        for ban in RULED_OUT[language].split("/"):
            assert len(Conversation(answer="replace").say(demand).say(ban).questions) == 1, ban
            assert Conversation(ConflictRule.NEWEST).say(demand).say(ban).say("谢谢").words == [ban]


@pytest.mark.parametrize(
    ("demand", "ban"),
    [
        ("每次回答结尾都加一个笑话", "别再讲笑话了"),
        ("所有回答都用列表", "列表免了吧"),
        ("始终用英文回答", "别再用英文了"),
        ("Always give three examples", "No more examples"),
        ("End every answer with a joke", "Stop telling jokes"),
        ("Always answer in French", "Enough with the French"),
    ],
)
def test_it_is_so_of_anything_that_can_be_asked_for(demand: str, ban: str) -> None:
    assert Conversation().say(demand).say(ban).words == [ban]


@pytest.mark.parametrize(
    ("first", "second", "ban"),
    [
        ("End every answer with a joke", "Start every answer with a poem", "No more jokes and no more poems"),
        ("Use tables for comparisons", "By the way, use lists", "No more tables and no more lists"),
        ("每次回答结尾都加一个笑话", "开头写一首诗", "别再写笑话和诗了"),
    ],
)
def test_a_ban_of_several_things_ends_the_demand_of_each(first: str, second: str, ban: str) -> None:
    assert Conversation(answer="replace").say(first).say(ban).words == [ban]
    assert Conversation(answer="replace").say(second).say(ban).words == [ban]


@pytest.mark.parametrize(
    ("ban", "demand"), [("别再用表格了", "从现在起都用表格"), ("No more tables", "From now on use tables")]
)
def test_the_demand_said_later_ends_the_ban(ban: str, demand: str) -> None:
    assert Conversation().say(ban).say(demand).words == [demand]


@pytest.mark.parametrize(
    ("demand", "ban"),
    [
        ("以后用表格回答", "邮件里不要用表格"),
        ("以后用表格回答", "不要用三列以上的表格"),
        ("价格都用欧元", "别再提价格表了"),
        ("Always answer in tables", "Don't use tables in e-mails"),
        ("Always answer in tables", "No more tables with borders"),
        ("Always answer in French", "No more jokes"),
    ],
)
def test_a_ban_of_one_kind_or_place_leaves_the_rule(demand: str, ban: str) -> None:
    assert Conversation().say(demand).say(ban).words == [demand, ban]


TASKS = {
    Language.CHINESE: ("请用中文回答", "这份报告用英文写", "第二章再短一点", "下一个任务，帮我写一首诗"),
    Language.ENGLISH: (
        "Answer in German",
        "For this report use English",
        "Make the second section shorter",
        "Next task: write a poem about rain",
    ),
}


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("rule", ConflictRule)
def test_a_tasks_own_rule_goes_before_the_sessions_which_stands_again_afterwards(
    tmp_path: Path, language: Language, rule: ConflictRule
) -> None:
    standing, bound, revision, other = TASKS[language]
    with agent(tmp_path, on_conflict=rule, memory=False) as a:
        a.say(standing)
        for said in (bound, revision):
            a.say(said)
            sent = whole_prompt(a.wire.chats[-1])
            assert f'{{"words":"{bound}","overrules":"{standing}"}}' in sent
        a.say(other)
        sent = whole_prompt(a.wire.chats[-1])
        assert f'["{standing}"]' in sent
        assert "overrules" not in sent


@pytest.mark.parametrize(
    ("standing", "bound", "back"),
    [
        ("请用中文回答", "这篇文章请用英文", "改用中文回答"),
        ("Answer in German", "In this essay, use English", "Go back to German: answer in German"),
    ],
)
def test_the_sessions_rule_said_again_ends_the_tasks(standing: str, bound: str, back: str) -> None:
    talk = Conversation().say(standing).say(bound)
    assert {each.scope for each in talk.state.constraints} == {Scope.SESSION}
    assert [each.overrules for each in talk.state.constraints] == [None, standing]
    assert talk.say(back).words == [standing]


@pytest.mark.parametrize(
    ("standing", "bound"), [("请用中文回答", "这份合同用英文"), ("Answer in German", "For this report use English")]
)
def test_a_task_rule_for_good_later_takes_the_place_of_the_sessions(standing: str, bound: str) -> None:
    lasting = {"请用中文回答": "从现在起都用英文回答", "Answer in German": "From now on answer in English"}[standing]
    talk = Conversation().say(standing).say(bound)
    assert talk.words == [standing, bound]
    assert talk.one(bound).overrules == standing
    talk.say(lasting)
    assert standing not in talk.words
    assert lasting in talk.words
    assert all(each.overrules is None for each in talk.state.constraints)


@pytest.mark.parametrize("answer", ["replace", "this_turn"])
def test_a_tasks_rule_goes_before_those_alone_that_stand(answer: str) -> None:
    talk = Conversation().say("不要用英文").say("用中文回答").say("这份报告用日文写")
    assert talk.one("这份报告用日文写").overrules == "用中文回答"
    talk.answer = answer
    talk.say("可以用英文了。这份报告用英文写")
    assert talk.one("这份报告用英文写").overrules == "用中文回答"
    talk.say("谢谢")
