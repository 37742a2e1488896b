"""Both languages say the same things."""

from string import Formatter

import pytest

from ninefold.state import Language
from ninefold.wording import Wording, language_of, sentences


def test_both_languages_have_the_same_sentences_with_the_same_values() -> None:
    chinese, english = sentences(Language.CHINESE), sentences(Language.ENGLISH)
    assert list(chinese) == list(english)
    for key in english:
        fields = [{name for _, name, _, _ in Formatter().parse(said[key]) if name} for said in (chinese, english)]
        assert fields[0] == fields[1], key


def test_a_sentence_is_filled_in() -> None:
    assert Wording(Language.CHINESE).say("chat.note", text="好") == "提示：好"


@pytest.mark.parametrize(
    ("environment", "chosen", "language"),
    [
        ({}, None, "en"),
        ({"LANG": "zh_CN.UTF-8"}, None, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, None, "en"),
        ({"LANG": "C", "LC_MESSAGES": "zh_TW"}, None, "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "en", "en"),
        ({"LANG": "de_DE"}, "zh", "zh"),
    ],
)
def test_the_language_is_the_chosen_one_else_the_locales(
    environment: dict[str, str], chosen: str | None, language: str
) -> None:
    assert language_of(environment, chosen).value == language
