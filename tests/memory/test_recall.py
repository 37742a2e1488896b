"""The fate of every candidate."""

from typing import Any

import pytest

from ninefold.policies.fragment import fragment
from ninefold.policies.recall import DefaultRanking, Found, InView, Limits
from ninefold.state import Fate, MemoryKind, MemoryRecord, MemoryStatus, Recalled

from .stores import a_record


def ranked(
    always: list[MemoryRecord] | None = None,
    found: list[tuple[MemoryRecord, float]] | None = None,
    *,
    query: str = "",
    view: InView | None = None,
    **limits: Any,
) -> tuple[Recalled, ...]:
    bounds = Limits(**{"min_score": 0.45, "top_k": 5, "tokens": 600, **limits})
    return DefaultRanking().rank(
        always or [], Found(near=found or []), query=query, view=view or InView(), limits=bounds
    )


def fates(candidates: tuple[Recalled, ...]) -> dict[str, Fate]:
    return {candidate.text: candidate.fate for candidate in candidates}


def preference(text: str, **changed: Any) -> MemoryRecord:
    return a_record(text, kind=MemoryKind.PREFERENCE, **changed)


def test_the_threshold_is_cosine_and_holds_for_what_was_searched_only() -> None:
    given = ranked([preference("likes tea")], [(a_record("at"), 0.45), (a_record("below"), 0.4499)])
    assert fates(given) == {"likes tea": Fate.RECALLED, "at": Fate.RECALLED, "below": Fate.BELOW_THRESHOLD}


def test_no_more_than_top_k_and_doublets_take_no_place() -> None:
    texts = ["one thing", "One Thing!", "two things", "three things", "four things"]
    given = fates(ranked(found=[(a_record(text), 0.9 - i / 100) for i, text in enumerate(texts)], top_k=3))
    assert given == {
        "one thing": Fate.RECALLED,
        "One Thing!": Fate.DUPLICATE,
        "two things": Fate.RECALLED,
        "three things": Fate.RECALLED,
        "four things": Fate.BEYOND_TOP_K,
    }


@pytest.mark.parametrize(
    "view",
    [
        InView(ids=frozenset({"m-red"})),
        InView(turns=frozenset({"turn-1"})),
        InView(texts=("Ｒｅｄ！",)),
    ],
)
def test_what_the_view_holds_is_not_recalled(view: InView) -> None:
    assert fates(ranked(found=[(a_record("red"), 0.9)], view=view)) == {"red": Fate.IN_VIEW}


def test_only_the_newest_of_two_that_contradict_is_current_and_says_what_it_replaces() -> None:
    old = a_record("预算是 3 万", subject="is:预算", created="2026-02-01T10:00:00+08:00", thread="t0")
    new = a_record("预算改成 5 万", subject="is:预算", created="2026-03-02T10:00:00+08:00")
    given = ranked(found=[(old, 0.99), (new, 0.7)])
    assert fates(given) == {"预算改成 5 万": Fate.RECALLED, "预算是 3 万": Fate.SUPERSEDED}
    assert given[0].replaces == "2026-02-01"


def test_a_negated_twin_is_outdated_by_the_newer_one() -> None:
    old = preference("我喜欢红色", sequence=1)
    new = preference("我不喜欢红色", sequence=2)
    assert fates(ranked([new, old])) == {"我不喜欢红色": Fate.RECALLED, "我喜欢红色": Fate.SUPERSEDED}


def test_rules_that_can_stand_side_by_side_do() -> None:
    red = preference("以后不要用红色", subject="constraint:exclude", sequence=1)
    round_ = preference("以后不要用圆角", subject="constraint:exclude", sequence=2)
    assert set(fates(ranked([round_, red])).values()) == {Fate.RECALLED}
    nameless = [
        preference(f"以后{text}", subject="constraint:", sequence=i) for i, text in enumerate(("请看图", "先说结论"))
    ]
    assert set(fates(ranked(nameless)).values()) == {Fate.RECALLED}


@pytest.mark.parametrize("status", [MemoryStatus.SUPERSEDED, MemoryStatus.ARCHIVED])
def test_what_no_longer_holds_is_never_recalled_even_if_a_store_gives_it(status: MemoryStatus) -> None:
    assert fates(ranked(found=[(a_record("old", status=status), 1.0)])) == {"old": Fate.SUPERSEDED}


def test_preferences_that_bear_on_the_question_come_first_and_the_newest_before_the_rest() -> None:
    always = [preference("likes jazz"), preference("drinks green tea"), preference("wears blue")]
    given = ranked(always, query="Which tea should I buy?")
    assert [candidate.text for candidate in given] == ["drinks green tea", "likes jazz", "wears blue"]
    chinese = [preference("我喜欢爵士乐"), preference("我喝绿茶")]
    assert ranked(chinese, query="买哪种绿茶？")[0].text == "我喝绿茶"


@pytest.mark.parametrize("said", ["likes {} tea", "喜欢第 {} 种茶"])
def test_preferences_found_beside_many_facts_refuse_none_of_these(said: str) -> None:
    likes = [(preference(said.format(i), id=f"p{i}"), 0.8) for i in range(20)]
    facts = [(a_record(f"fact {i}"), 0.6 - i / 100) for i in range(10)]
    alone = [text for text, fate in fates(ranked(found=facts)).items() if fate is Fate.RECALLED]
    beside = fates(ranked([record for record, _ in likes], [*likes, *facts]))
    assert [text for text in beside if text in alone and beside[text] is Fate.RECALLED] == alone
    assert alone[0] == "fact 0"


def test_of_many_that_stand_out_alike_the_first_ones_are_recalled() -> None:
    given = fates(ranked(found=[(a_record(f"fact {i}"), 0.6) for i in range(12)]))
    assert list(given.values()).count(Fate.RECALLED) == 5


def test_a_budget_leaves_the_last_ones_out() -> None:
    given = ranked([preference(f"{i} " + "长" * 190) for i in range(9)], tokens=600)
    assert [candidate.fate for candidate in given].count(Fate.RECALLED) == 2
    assert [candidate.fate for candidate in given].count(Fate.OVER_BUDGET) == 7


def test_of_a_long_memory_the_part_that_answers_is_shown() -> None:
    text = "Nothing here. " * 60 + "The staging port is 8443. " + "Nothing there. " * 60
    shown = fragment(text, "Which port does staging use?")
    assert "The staging port is 8443." in shown
    assert len(shown) <= 400
    assert fragment("short", "x") == "short"
    assert len(fragment("长" * 3000, "短")) <= 400


def test_who_said_it_is_kept() -> None:
    assert ranked(found=[(a_record("noted", role="assistant"), 0.9)])[0].role == "assistant"
