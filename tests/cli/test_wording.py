"""Both languages say the same things."""

from pathlib import Path
from string import Formatter

import pytest
import yaml

from ninefold.state import Language, LayerName, Step
from ninefold.wording import Wording, language_of, sentences

ROOT = Path(__file__).resolve().parents[2]
KEYS = tuple(yaml.safe_load((ROOT / "policies/data/constraint_keys.yaml").read_text(encoding="utf-8")))


def test_both_languages_have_the_same_sentences_with_the_same_values() -> None:
    chinese, english = sentences(Language.CHINESE), sentences(Language.ENGLISH)
    assert list(chinese) == list(english)
    for key in english:
        fields = [{name for _, name, _, _ in Formatter().parse(said[key]) if name} for said in (chinese, english)]
        assert fields[0] == fields[1], key


def test_a_sentence_is_filled_in() -> None:
    assert Wording(Language.CHINESE).say("chat.note", text="好") == "提示：好"


@pytest.mark.parametrize(("turns", "said"), [(1, "1 turn."), (0, "0 turns."), (2, "2 turns.")])
def test_one_of_a_thing_is_singular(turns: int, said: str) -> None:
    assert Wording(Language.ENGLISH).say("chat.resumed", turns=turns).endswith(f"after {said}")


def test_every_key_of_a_constraint_and_every_step_has_a_name_in_both_languages() -> None:
    for language in Language:
        wording = Wording(language)
        for group, names in (("key", KEYS), ("step", Step), ("layer", LayerName)):
            assert all(f"{group}.{name}" in sentences(language) for name in names)
        assert wording.name("key", "a key of one's own") == "a key of one's own"


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
