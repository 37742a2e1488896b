"""What a model proposes is kept only as the person's own words on the side they took."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninefold.policies.constraints import grounded
from ninefold.state import Origin, Polarity, Scope

TEXT = "总体上别太花哨，红色看着头疼。老板说不能用蓝色。“只用黑体”是他的原话。要不要加阴影？"


def item(words: object, polarity: object = "forbid", scope: object = "session") -> dict[str, object]:
    return {"words": words, "polarity": polarity, "scope": scope}


def test_a_span_on_its_own_side_is_kept_letter_for_letter() -> None:
    (kept,) = grounded({"constraints": [item("总体上别太花哨")]}, TEXT)
    assert (kept.words, kept.polarity, kept.origin) == ("总体上别太花哨", Polarity.FORBID, Origin.MODEL)
    assert TEXT[kept.start : kept.end] == kept.words


@pytest.mark.parametrize(
    "proposed",
    [
        item("总体上不要太花哨"),
        item("Nothing too fancy"),
        item("总体上别太花哨", "require"),
        item("总体上别太花哨", "prefer"),
        item("红色看着头疼", "forbid"),
        item("老板说不能用蓝色"),
        item("不能用蓝色"),
        item("只用黑体", "require"),
        item("要不要加阴影", "require"),
        item("加阴影", "require"),
        item("。"),
        item(""),
        item("  "),
        item(7),
        item(None),
        item(["总体上别太花哨"]),
        item("总体上别太花哨", None),
        {"polarity": "forbid"},
        "总体上别太花哨",
        None,
    ],
)
def test_what_the_message_does_not_prove_is_dropped(proposed: object) -> None:
    assert grounded({"constraints": [proposed]}, TEXT) == ()


@pytest.mark.parametrize("reply", [None, 3, "x", [], {}, {"constraints": None}, {"constraints": "x"}, {"other": []}])
def test_a_reply_of_the_wrong_form_gives_nothing(reply: object) -> None:
    assert grounded(reply, TEXT) == ()


def test_a_bare_list_and_unknown_keys_are_read_all_the_same() -> None:
    (kept,) = grounded([item("总体上别太花哨") | {"confidence": 0.9}], TEXT)
    assert kept.words == "总体上别太花哨"


def test_scope_and_key_come_from_the_words_not_from_the_model() -> None:
    text = "这次不妨来个表格，大家都别闹"
    (kept,) = grounded([item("这次不妨来个表格", "require", "session")], text)
    assert kept.scope is Scope.TURN


@given(st.text(max_size=60), st.text(max_size=20), st.sampled_from(["require", "forbid", "prefer", "x"]))
def test_nothing_but_spans_is_ever_kept(text: str, words: str, polarity: str) -> None:
    for kept in grounded([item(words, polarity)], text):
        assert text[kept.start : kept.end] == kept.words


@pytest.mark.parametrize(
    ("text", "words", "scope"),
    [
        ("用三句轻快的话总结这份合同", "用三句轻快的话总结这份合同", Scope.TURN),
        ("以后总结都用三句轻快的话", "总结都用三句轻快的话", Scope.SESSION),
        ("Summarise this contract in a cheerful way", "Summarise this contract in a cheerful way", Scope.TURN),
        ("Summaries of contracts in a cheerful way", "Summaries of contracts in a cheerful way", Scope.SESSION),
    ],
)
def test_a_proposal_that_bounds_one_piece_of_work_holds_this_turn_alone(text: str, words: str, scope: Scope) -> None:
    (kept,) = grounded({"constraints": [item(words, "require")]}, text)
    assert kept.scope is scope
