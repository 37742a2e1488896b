"""What a message holds by rules alone: the person's own wishes, and nothing else."""

from pathlib import Path
from typing import cast

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ninefold.policies.constraints import Candidate, extract
from ninefold.policies.constraints.extraction import MAX_WISHES, MAX_WORDS
from ninefold.state import Polarity, Scope


def data(name: str) -> dict[str, list[str]]:
    path = Path(__file__).with_name(f"{name}.yaml")
    return cast(dict[str, list[str]], yaml.safe_load(path.read_text(encoding="utf-8")))


def each(name: str) -> list[tuple[str, str]]:
    return [(kind, text) for kind, texts in data(name).items() for text in texts]


def wish(text: str) -> Candidate:
    (only,) = extract(text).wishes
    return only


@pytest.mark.parametrize(("kind", "text"), each("no_wish"))
def test_questions_quotations_third_persons_and_double_negations_hold_no_wish(kind: str, text: str) -> None:
    assert extract(text).wishes == (), kind


def test_the_texts_that_hold_no_wish_are_sixty() -> None:
    assert len(each("no_wish")) == 60


@pytest.mark.parametrize(("side", "text"), each("wishes"))
def test_a_wish_is_found_on_its_side_however_it_is_put(side: str, text: str) -> None:
    assert wish(text).polarity == side


@pytest.mark.parametrize("language", ["zh", "en"])
def test_small_talk_gives_at_most_one_wish_in_a_hundred_turns(language: str) -> None:
    turns = data("small_talk")[language]
    assert len(turns) == 100
    assert sum(len(extract(turn).wishes) for turn in turns) <= 1


@pytest.mark.parametrize("language", ["zh", "en"])
def test_daily_life_told_in_the_words_of_wishes_gives_at_most_one_in_a_hundred(language: str) -> None:
    turns = data("idle_talk")[language]
    assert len(turns) >= 60
    taken = [turn for turn in turns if extract(turn).wishes]
    assert len(taken) <= 0.01 * len(turns), taken


@pytest.mark.parametrize(
    ("text", "task", "expected"),
    [
        (
            "帮我写个爬虫，只要标题和链接，不要正文，输出成 CSV",
            "写个爬虫",
            [("fields", "标题和链接", "require"), ("exclude", "正文", "forbid"), ("output_format", "CSV", "require")],
        ),
        (
            "Write me a scraper, just the titles and links, no body text, output as CSV",
            "Write me a scraper",
            [
                ("fields", "titles and links", "require"),
                ("exclude", "body text", "forbid"),
                ("output_format", "CSV", "require"),
            ],
        ),
    ],
)
def test_the_opening_message_gives_the_task_and_what_belongs_to_it(
    text: str, task: str, expected: list[tuple[str, str, str]]
) -> None:
    found = extract(text)
    assert found.task is not None
    assert found.task.text == task
    assert [(w.key, w.value, w.polarity) for w in found.wishes] == expected
    assert all(w.task for w in found.wishes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("不要用红色，不要用圆角，所有金额用人民币", ["不要用红色", "不要用圆角", "所有金额用人民币"]),
        (
            "No red, please. No rounded corners. All amounts must be in yuan.",
            ["No red, please", "No rounded corners", "All amounts must be in yuan"],
        ),
        ("My phone number is 555-1234 and never use red", ["never use red"]),
        ("The server runs on port 18443 and do not use tabs.", ["do not use tabs"]),
        ("Write short and never use red.", ["Write short and never use red"]),
        ("我的电话是 13800138000另外不要用红色", ["不要用红色"]),
        ("服务器在上海而且请不要用缩写。", ["请不要用缩写"]),
    ],
)
def test_negations_are_kept_word_for_word(text: str, words: list[str]) -> None:
    assert [w.words for w in extract(text).wishes] == words


@pytest.mark.parametrize(
    "text",
    [
        "这次用表格给我看",
        "这次回答用表情",
        "下一条回复用表情",
        "This time, show it as a table",
        "Just for now, use a table",
        "For this reply use emojis",
        "Use emojis in this reply",
    ],
)
def test_this_turn_wording_gives_a_wish_of_this_turn(text: str) -> None:
    assert wish(text).scope is Scope.TURN


@pytest.mark.parametrize("text", ["这次旅行不要安排购物", "On this trip, do not plan any shopping"])
def test_a_thing_called_this_is_no_this_turn_wording(text: str) -> None:
    assert wish(text).scope is Scope.SESSION


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("每当我问价格，请用人民币回答", "每当我问价格"),
        ("如果我问到天气，就用摄氏度", "如果我问到天气"),
        ("Whenever I ask about prices, answer in euros", "Whenever I ask about prices"),
        ("Always show the sources when I ask about medicine.", "when I ask about medicine"),
    ],
)
def test_an_occasion_gives_a_when_wish_with_its_condition(text: str, condition: str) -> None:
    found = wish(text)
    assert found.scope is Scope.WHEN
    assert found.condition == condition
    assert found.words == text.rstrip(".")


@pytest.mark.parametrize(
    "text", ["以后所有回复都用表格", "今后一律用英文", "From now on, answer in English", "Always use metric units"]
)
def test_words_for_all_time_make_a_lasting_wish(text: str) -> None:
    assert wish(text).lasting


@pytest.mark.parametrize("text", ["这次对话里请始终用英文回答", "For this conversation, always answer in English"])
def test_words_for_this_conversation_do_not_last_beyond_it(text: str) -> None:
    assert not wish(text).lasting


@pytest.mark.parametrize("text", ["改成 JSON", "还是用英文吧", "Use JSON instead", "Switch back to English"])
def test_change_wording_is_heard(text: str) -> None:
    assert wish(text).change


@pytest.mark.parametrize(
    "text",
    ["回答的时候不要超过两句话", "不能少于300字", "Use no more than four sentences", "Do not exceed 100 words"],
)
def test_a_limit_demands_its_value_and_rules_nothing_out(text: str) -> None:
    assert wish(text).polarity is Polarity.REQUIRE
    assert wish(text).key == "length"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("有没有评分4.5分以上的酒店？", [("rating", "酒店")]),
        ("想找一家人均50-100元、评分4分以上的餐馆", [("price", "餐馆"), ("rating", "餐馆")]),
        ("Is there a hotel under $100?", [("price", "hotel")]),
        ("Can you recommend a restaurant with outdoor seating?", [("feature", "restaurant")]),
    ],
)
def test_what_a_search_asks_for_counts_although_it_is_a_question(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(w.key, w.about) for w in extract(text).wishes] == expected


@pytest.mark.parametrize("text", ["这家酒店评分是多少？", "它的价格贵吗？", "What is the rating of this hotel?"])
def test_a_question_about_a_value_asks_for_none(text: str) -> None:
    assert extract(text).wishes == ()


def test_a_text_that_is_handed_over_holds_no_wish() -> None:
    letter = (
        "Dear guests, never leave the gate open. You must not feed the animals. Always keep the dogs on a leash. " * 3
    )
    assert extract(f"Please proofread the following letter:\n\n{letter}").wishes == ()
    notice = "各位住户，请勿在楼道堆放杂物。务必随手关门。禁止饲养大型犬。以后一律凭卡出入。" * 4
    assert extract(f"把下面这段话翻译成法语：{notice}").wishes == ()


def test_quoted_words_belong_to_the_wish_around_them() -> None:
    assert (
        wish('Use the phrase "Well, well." in each response.').words == 'Use the phrase "Well, well." in each response'
    )
    assert wish("每次回答都以“综上所述”结尾").words == "每次回答都以“综上所述”结尾"


def test_a_long_pasted_text_cannot_fill_the_layer() -> None:
    assert [wish.words for wish in extract("不要用红色。" * 500).wishes] == ["不要用红色"]
    found = extract("".join(f"不要用第{n}号颜色。" for n in range(100, 500)))
    assert len(found.wishes) == MAX_WISHES
    assert len(found.beyond) == 400 - MAX_WISHES


@given(st.text(max_size=300))
def test_every_wish_is_a_span_of_its_message(text: str) -> None:
    found = extract(text)
    assert all(text[w.start : w.end] == w.words and w.words.strip() for w in found.wishes)


@given(
    st.lists(st.sampled_from([text for _, text in each("wishes")]), min_size=1, max_size=4), st.sampled_from("。 \n!")
)
def test_wishes_keep_their_words_beside_one_another(texts: list[str], mark: str) -> None:
    message = mark.join(texts)
    assert all(message[w.start : w.end] == w.words for w in extract(message).wishes)


@pytest.mark.parametrize(
    "text",
    [
        "Do not, under any circumstances, share my address",
        "请不要，我再说一遍，不要用红色",
        "少来点套话",
        "非必要不要用外来词",
        "Please do not always use tables",
        "I don't want you to always answer in French",
        "我不希望你每次都用表格",
        "别再一律用英文回答",
        "You can't use external libraries",
        "No need to always add a summary",
        "Never only give titles",
        "Stop always calling me Sam",
    ],
)
def test_a_ban_is_never_turned_round_by_the_demand_inside_it(text: str) -> None:
    wishes = extract(text).wishes
    assert wishes
    assert all(wish.polarity is Polarity.FORBID or wish.withdraws for wish in wishes)


@given(
    st.sampled_from([text for side, text in each("wishes") if side == "forbid"]), st.sampled_from(["另外，", "Also, "])
)
def test_a_ban_stays_a_ban_behind_other_words(text: str, before: str) -> None:
    assert all(wish.polarity is Polarity.FORBID for wish in extract(before + text).wishes)


@pytest.mark.parametrize(
    "text", ["不要用红色" + "汉字" * 5000, "以后" + "汉字不要" * 5000, "Don't use red " + "and so on " * 500]
)
def test_a_clause_of_any_length_gives_words_that_the_state_takes(text: str) -> None:
    (found,) = extract(text).wishes
    assert text[found.start : found.end] == found.words
    assert 0 < len(found.words) <= MAX_WORDS


@pytest.mark.parametrize("language", ["zh", "en"])
def test_texts_that_were_written_before_the_forms_are_heard_for_what_they_are(language: str) -> None:
    wishes = cast(dict[str, dict[str, list[str]]], data("held_out_wishes"))[language]
    others = cast(dict[str, dict[str, list[str]]], data("held_out_no_wish"))[language]
    said = [text.replace("【", "").replace("】", "") for texts in wishes.values() for text in texts[::2]]
    idle = [text for texts in others.values() for text in texts[::2]]
    assert sum(bool(extract(text).wishes) for text in said) >= 0.95 * len(said)
    assert sum(bool(extract(text).wishes) for text in idle) <= 0.03 * len(idle)


@pytest.mark.parametrize(
    "text", ["不用表格了", "语气不用那么正式了", "Tables aren't needed anymore", "Feel free to use bullet points again"]
)
def test_a_need_that_is_gone_is_a_withdrawal(text: str) -> None:
    assert wish(text).withdraws


@pytest.mark.parametrize(
    "text", ["再写短一点", "刚才那段换个更活泼的说法", "Make this one shorter", "A bit more formal, please"]
)
def test_what_is_asked_of_the_last_answer_holds_this_turn_alone(text: str) -> None:
    assert wish(text).scope is Scope.TURN


@pytest.mark.parametrize(
    "text",
    [
        "要是答案不确定，直接说不知道",
        "写代码的时候用四个空格缩进",
        "Should I ask about money, answer in euros",
        "Unless I ask for it, don't show the code",
    ],
)
def test_a_command_behind_an_occasion_holds_on_that_occasion(text: str) -> None:
    found = wish(text)
    assert found.scope is Scope.WHEN
    assert found.words == text


@pytest.mark.parametrize(
    "text",
    [
        "去年我们团队用的是红色主题，今年换成了蓝色",
        "小时候奶奶不许我吃冰棍",
        "const MAX = 10 // 不得超过十",
        "I only have the first part, no second one",
        "At the last meeting they capped the budget at 50,000",
    ],
)
def test_what_is_told_is_not_wished(text: str) -> None:
    assert extract(text).wishes == ()


def test_the_occasion_of_a_wish_is_no_wish_of_its_own() -> None:
    for text in ("当我问价格时，用人民币回答", "每次我问价格时，用人民币回答", "一看到错别字，就告诉我"):
        (wish,) = extract(text).wishes
        assert wish.scope is Scope.WHEN


@pytest.mark.parametrize(
    "text",
    [
        "一台服务器报价 3 万，写一句话的报价说明。",
        "一台服务器报价 3 万，写一句报价说明。",
        "当前服务器报价 3 万，写一句报价说明。",
        "A server costs 30 thousand, write one sentence about the offer.",
    ],
)
def test_a_statement_before_a_task_is_no_occasion(text: str) -> None:
    assert extract(text).wishes == ()


def test_a_remark_behind_a_wish_does_not_limit_it_to_the_remarks_occasion() -> None:
    (found,) = extract("From now on answer in a table, my colleagues take it in faster when I pass it on.").wishes
    assert found.scope is Scope.SESSION
    assert found.lasting


def test_a_name_before_a_wish_is_no_occasion() -> None:
    assert [(wish.words, wish.scope) for wish in extract("我叫林若，不要用红色。").wishes] == [
        ("不要用红色", Scope.SESSION)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "用三句话总结这份合同",
        "写一篇至少八百字的游记",
        "帮我写一首不超过二十行的诗",
        "用英文写一封道歉信",
        "请用一百字以内介绍一下杭州",
        "我要一篇八百字的作文",
        "用表格列出这三款手机的差别",
        "Summarise this contract in no more than three sentences",
        "Write an essay of at least 800 words about the sea",
        "Can you summarise this in at most two paragraphs?",
        "Explain recursion in under 50 words",
        "Draft a short e-mail to my landlord in no more than five lines",
        "I need a poem with no more than 10 lines",
    ],
)
def test_what_bounds_one_piece_of_work_holds_this_turn_alone(text: str) -> None:
    assert {each.scope for each in extract(text).wishes} == {Scope.TURN}


@pytest.mark.parametrize(
    "text",
    [
        "以后总结都用三句话",
        "每次写文章都至少八百字",
        "所有总结都控制在三句话",
        "回答不要超过三句话",
        "请用中文回答",
        "先给一句结论，再展开",
        "给每个函数写一段注释",
        "用中文解释术语",
        "Always summarise in three sentences",
        "Always answer in three sentences",
        "Answer my questions in French",
        "Keep your answers under 100 words",
        "Write emails in under 100 words",
        "At most three sentences please",
    ],
)
def test_what_bounds_a_kind_of_work_or_every_answer_is_a_rule_of_the_session(text: str) -> None:
    assert wish(text).scope is Scope.SESSION


@pytest.mark.parametrize("text", ["写一个不用递归的排序函数", "帮我写一份周报，不要提加班"])
def test_a_ban_beside_a_task_belongs_to_the_task(text: str) -> None:
    assert wish(text).task
    assert wish(text).polarity is Polarity.FORBID


@pytest.mark.parametrize("text", ["能不能用三句话概括一下", "可不可以用表格", "该不该写日期"])
def test_an_asked_verb_is_no_ban(text: str) -> None:
    assert all(each.polarity is not Polarity.FORBID for each in extract(text).wishes)


@pytest.mark.parametrize(
    "text",
    [
        "我只去过两次北京",
        "我只睡了四个小时",
        "我们昨天只聊了一会儿",
        "我只剩两天假了",
        "我只想问一下",
        "今天别提多累了",
        "I only slept four hours",
        "I've only been to Norway once",
        "We only tried one of them",
        "I only brought two hundred in cash",
    ],
)
def test_what_the_person_only_did_is_no_rule(text: str) -> None:
    assert extract(text).wishes == ()


@pytest.mark.parametrize(
    "text",
    ["我只喝黑咖啡", "我只接受不超过五百的报价", "我只对花生过敏", "I only drink black coffee", "I only use Linux"],
)
def test_what_the_person_only_does_is_a_preference(text: str) -> None:
    assert wish(text).polarity in (Polarity.PREFER, Polarity.FORBID)


@pytest.mark.parametrize(
    ("name", "language", "heard", "false"),
    [
        ("held_out_first", "zh", 0.95, 0.05),
        ("held_out_first", "en", 0.95, 0.05),
        ("held_out_second", "zh", 0.66, 0.09),
        ("held_out_second", "en", 0.52, 0.13),
        ("held_out_third", "zh", 0.95, 0.05),
        ("held_out_third", "en", 0.93, 0.05),
        ("held_out_fourth", "zh", 0.95, 0.05),
        ("held_out_fourth", "en", 0.85, 0.05),
        ("held_out_fifth", "zh", 0.66, 0.07),
        ("held_out_fifth", "en", 0.63, 0.0),
        ("held_out_sixth", "zh", 0.75, 0.20),
        ("held_out_sixth", "en", 0.70, 0.17),
    ],
)
def test_unusual_phrasings_are_heard_as_often_as_was_measured(
    name: str, language: str, heard: float, false: float
) -> None:
    """Each bound lies a little below the last measure; the sixth set was measured once, and nothing changed for it."""
    texts = cast(dict[str, dict[str, list[str]]], data(name))[language]
    said, idle = texts["wishes"], texts["none"]
    assert len(said) + len(idle) >= 45
    assert sum(bool(extract(text).wishes) for text in said) >= heard * len(said)
    lasting = [text for text in idle if any(each.scope is not Scope.TURN for each in extract(text).wishes)]
    assert len(lasting) <= false * len(idle), lasting


@pytest.mark.parametrize("name", ["An", "Or", "Al", "In", "On", "Up", "Soon"])
def test_a_name_may_be_written_like_a_small_word(name: str) -> None:
    said = wish(f"Please call me {name}")
    assert (said.key, said.value) == ("name", name)


@pytest.mark.parametrize("text", ["Call me in the morning", "Call me or text me", "Call me if it rains"])
def test_a_small_word_behind_call_me_is_no_name(text: str) -> None:
    assert all(each.key != "name" for each in extract(text).wishes)


@pytest.mark.parametrize("unseen", ["\0", "\ufffd", "\u200b", "\xad"])
@pytest.mark.parametrize("words", ["Nev{}er use tables", "Never use ta{}bles", "不{}要用表格", "不要用表{}格"])
def test_what_nobody_sees_inside_a_word_hides_no_word(words: str, unseen: str) -> None:
    text = words.format(unseen)
    said = wish(f"{text}。" if "表" in text else f"{text}.")
    assert (said.words, said.polarity, said.key) == (text, Polarity.FORBID, "output_format")
    assert text[said.start : said.end] == said.words
