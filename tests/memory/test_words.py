"""Finding by words: both languages, one text at a time, neighbours as keys, long texts by their best part."""

import pytest

from ninefold.adapters.lexical import LexicalIndex, terms
from ninefold.adapters.memory.in_memory import InMemoryMemory
from ninefold.policies.fusion import fused
from ninefold.policies.recall import Limits
from ninefold.state import MemoryKind, MemoryStatus

from .bag_of_words import BagOfWords
from .stores import STAMP, a_record

LIMITS = Limits(min_score=0.45, top_k=5, tokens=600)


def index(*texts: str, episode: int = 0) -> LexicalIndex:
    made = LexicalIndex()
    for text in texts:
        made.add(text, episode=episode)
    return made


def test_words_meet_in_every_form_width_and_case() -> None:
    assert set(terms("Deploying")) == set(terms("deployed")) == set(terms("ＤＥＰＬＯＹＳ"))
    assert set(terms("She went home")) & set(terms("when did she go")) == {"go"}
    assert set(terms("the children")) == set(terms("child"))
    assert {"165cm", "165", "cm"} <= set(terms("身高165cm"))
    assert "预算" in terms("项目的预算是多少")
    assert terms("the of 的") == ["的"] or terms("the of 的") == []


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Which port does staging use?", ["We had soup.", "Staging listens on port 8443.", "The port of Lisbon."]),
        ("测试环境用哪个端口？", ["我们喝了汤。", "测试环境的端口是 8443。", "里斯本的港口很美。"]),
    ],
)
def test_what_shares_most_with_the_question_comes_first(question: str, texts: list[str]) -> None:
    scores = index(*texts).scores(question)
    assert scores.argmax() == 1
    assert scores[0] == 0


def test_an_answer_is_found_by_the_question_before_it() -> None:
    found = index("What is your sister's name?", "Marta.", "Let us go on.", "Nothing else.").in_context("sister name")
    assert found[1] > 0
    assert found[0] > found[1] > found[3]


@pytest.mark.parametrize(("asked", "told"), [("What is your sister's name?", "Marta."), ("你姐姐叫什么？", "小芳。")])
def test_the_answer_to_a_question_stands_above_what_is_said_before_it(asked: str, told: str) -> None:
    scores = index("Hm.", asked, told).in_context(asked)
    assert scores[1] > scores[2] > scores[0]
    assert index("Hm.", asked[:-1], told).in_context(asked)[2] < scores[2]


def test_neighbours_do_not_reach_into_another_episode() -> None:
    made = index("What is your sister's name?")
    made.add("Good morning.", episode=1)
    assert made.in_context("sister name")[1] == 0


def test_a_long_text_is_found_by_its_best_part() -> None:
    filler = "Nothing to see here, only more of the same prose. " * 80
    made = index(f"{filler} The staging port is 8443. {filler}", "The harbour port was full of ships that day.")
    assert made.scores("staging port").argmax() == 0


def test_adding_one_by_one_is_adding_all_at_once() -> None:
    texts = [f"row {number} holds {number * 7} boxes of tea" for number in range(20)]
    grown = LexicalIndex()
    for text in texts:
        grown.add(text)
        grown.in_context("boxes of tea")
    assert grown.in_context("row 7 tea").tolist() == index(*texts).in_context("row 7 tea").tolist()


def test_an_empty_index_and_an_empty_question_find_nothing() -> None:
    assert LexicalIndex().in_context("tea").tolist() == []
    assert index("tea").in_context("").tolist() == [0]
    assert index("", "tea").in_context("tea")[1] > 0


def test_meaning_and_words_count_alike_and_neither_is_needed() -> None:
    near, shared, both, far = (a_record(text) for text in ("near", "shared", "both", "far"))
    order = fused([(near, 0.8), (both, 0.75), (far, 0.3)], [(shared, 0.9), (both, 0.85)], LIMITS)
    assert [each.record.text for each in order][::3] == ["both", "far"]
    assert [each.record.text for each in fused([], [(shared, 0.9)], LIMITS)] == ["shared"]
    assert {each.record.text: each.cosine for each in fused([(near, 0.8)], [(shared, 0.9)], LIMITS)}["shared"] is None


def test_a_memory_that_no_longer_holds_is_not_found_by_its_words() -> None:
    store = InMemoryMemory(BagOfWords(), STAMP)
    old = a_record("the budget is 3 million")
    store.write([old, a_record("the budget is 5 million")])
    assert len(store.matching("ann", "budget", limit=5)) == 2
    store.write([old.model_copy(update={"status": MemoryStatus.SUPERSEDED})])
    assert [record.text for record, _ in store.matching("ann", "budget", limit=5)] == ["the budget is 5 million"]
    assert store.matching("ann", "budget", limit=5, kinds=[MemoryKind.TODO]) == ()
